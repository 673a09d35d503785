import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.multiverse.api.GlobalStmInstance;
import org.multiverse.api.IsolationLevel;
import org.multiverse.api.StmUtils;
import org.multiverse.api.Txn;
import org.multiverse.api.exceptions.ControlFlowError;
import org.multiverse.api.references.TxnRef;

/** Software transactional memory: each key is a reference, which is never removed. */
public final class Multiverse implements Store {
  private final Map<String, TxnRef<String>> refs = new ConcurrentHashMap<>();

  @Override
  public void open(Path folder, Properties options) {}

  @Override
  public boolean clear() {
    refs.clear();
    return true;
  }

  @Override
  public Transaction begin(String level) {
    var isolation = level.equals("snapshot") ? IsolationLevel.Snapshot : IsolationLevel.Serializable;
    var builder = GlobalStmInstance.getGlobalStmInstance().newTxnFactoryBuilder();
    return new Begun(builder.setSpeculative(false).setIsolationLevel(isolation).newTransactionFactory().newTxn());
  }

  @Override
  public boolean isVolatile(Properties options) {
    return true;
  }

  @Override
  public void close() {}

  private final class Begun implements Transaction {
    private final Txn transaction;

    Begun(Txn transaction) {
      this.transaction = transaction;
    }

    private TxnRef<String> ref(String key) {
      return refs.computeIfAbsent(key, each -> StmUtils.newTxnRef(null));
    }

    @Override
    public String get(String key) throws Exception {
      return step(() -> ref(key).get(transaction));
    }

    @Override
    public void put(String key, String value) throws Exception {
      step(() -> ref(key).set(transaction, value));
    }

    @Override
    public void commit() throws Exception {
      step(
          () -> {
            transaction.commit();
            return null;
          });
    }

    @Override
    public void rollback() {
      transaction.abort();
    }

    private static String step(Callable<String> does) throws Exception {
      try {
        return does.call();
      } catch (ControlFlowError conflict) {
        throw new Conflict(conflict.toString());
      }
    }
  }
}
