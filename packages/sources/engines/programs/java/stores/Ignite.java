import java.nio.file.Path;
import java.util.Properties;
import org.apache.ignite.IgniteCache;
import org.apache.ignite.Ignition;
import org.apache.ignite.cache.CacheAtomicityMode;
import org.apache.ignite.configuration.CacheConfiguration;
import org.apache.ignite.configuration.IgniteConfiguration;
import org.apache.ignite.spi.discovery.tcp.TcpDiscoverySpi;
import org.apache.ignite.spi.discovery.tcp.ipfinder.vm.TcpDiscoveryVmIpFinder;
import org.apache.ignite.transactions.TransactionConcurrency;
import org.apache.ignite.transactions.TransactionDeadlockException;
import org.apache.ignite.transactions.TransactionIsolation;
import org.apache.ignite.transactions.TransactionOptimisticException;
import org.apache.ignite.transactions.TransactionRollbackException;
import org.apache.ignite.transactions.TransactionTimeoutException;

/** One node in memory. */
public final class Ignite implements Store {
  private org.apache.ignite.Ignite node;
  private IgniteCache<String, String> cache;

  @Override
  public void open(Path folder, Properties options) {
    System.setProperty("IGNITE_QUIET", "true");
    System.setProperty("IGNITE_NO_ASCII", "true");
    System.setProperty("IGNITE_UPDATE_NOTIFIER", "false");
    var configuration = new IgniteConfiguration().setIgniteInstanceName(folder.toString());
    configuration.setWorkDirectory(folder.toString()).setLocalHost("127.0.0.1");
    var alone = new TcpDiscoveryVmIpFinder(true);
    configuration.setDiscoverySpi(new TcpDiscoverySpi().setIpFinder(alone));
    node = Ignition.start(configuration);
    var kept = new CacheConfiguration<String, String>("isolab").setAtomicityMode(CacheAtomicityMode.TRANSACTIONAL);
    cache = node.getOrCreateCache(kept);
  }

  @Override
  public Transaction begin(String level) {
    var concurrency = TransactionConcurrency.valueOf(level.toUpperCase());
    return new Begun(node.transactions().txStart(concurrency, TransactionIsolation.SERIALIZABLE, LIMIT_MS, 0));
  }

  private static final long LIMIT_MS = 1_000;

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause())
      if (cause instanceof TransactionOptimisticException
          || cause instanceof TransactionDeadlockException
          || cause instanceof TransactionTimeoutException // never after the commit was prepared
          || (!isCommit && cause instanceof TransactionRollbackException)) return true;
    return false;
  }

  @Override
  public boolean clear() {
    cache.clear();
    return true;
  }

  @Override
  public boolean isVolatile(Properties options) {
    return true;
  }

  @Override
  public void close() {
    node.close();
  }

  private final class Begun implements Transaction {
    private final org.apache.ignite.transactions.Transaction transaction;

    Begun(org.apache.ignite.transactions.Transaction transaction) {
      this.transaction = transaction;
    }

    @Override
    public String get(String key) {
      return cache.get(key);
    }

    @Override
    public void put(String key, String value) {
      cache.put(key, value);
    }

    @Override
    public void commit() {
      transaction.commit();
    }

    @Override
    public void rollback() {
      transaction.close();
    }
  }
}
