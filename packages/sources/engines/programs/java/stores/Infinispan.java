import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.util.Properties;
import org.infinispan.Cache;
import org.infinispan.commons.TimeoutException;
import org.infinispan.commons.tx.lookup.TransactionManagerLookup;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup;
import org.infinispan.util.concurrent.IsolationLevel;

/** A local cache with optimistic transactions. */
public final class Infinispan implements Store {
  private DefaultCacheManager caches;
  private Cache<String, String> cache;
  private TransactionManager manager;

  @Override
  public void open(Path folder, Properties options) {
    caches = new DefaultCacheManager();
    var configuration = new ConfigurationBuilder();
    configuration.locking().isolationLevel(IsolationLevel.REPEATABLE_READ).lockAcquisitionTimeout(20);
    configuration.transaction().transactionMode(TransactionMode.TRANSACTIONAL).lockingMode(LockingMode.OPTIMISTIC);
    TransactionManagerLookup lookup = new EmbeddedTransactionManagerLookup();
    configuration.transaction().transactionManagerLookup(lookup);
    caches.defineConfiguration("isolab", configuration.build());
    cache = caches.getCache("isolab");
    manager = cache.getAdvancedCache().getTransactionManager();
  }

  @Override
  public boolean clear() {
    cache.clear();
    return true;
  }

  @Override
  public Transaction begin(String level) throws Exception {
    manager.begin();
    return new Begun();
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    return failure instanceof RollbackException || (!isCommit && failure instanceof TimeoutException);
  }

  @Override
  public boolean isVolatile(Properties options) {
    return true;
  }

  @Override
  public void close() {
    caches.stop();
  }

  private final class Begun implements Transaction {
    @Override
    public String get(String key) {
      return cache.get(key);
    }

    @Override
    public void put(String key, String value) {
      cache.put(key, value);
    }

    @Override
    public void commit() throws Exception {
      manager.commit();
    }

    @Override
    public void rollback() throws Exception {
      if (manager.getTransaction() != null) manager.rollback();
    }
  }
}
