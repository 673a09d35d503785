import com.sleepycat.je.Cursor;
import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Durability;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockConflictException;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.TransactionConfig;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The Java edition. */
public final class BerkeleyDb implements Store {
  private Environment environment;
  private Database database;

  @Override
  public void open(Path folder, Properties options) {
    var configuration = new EnvironmentConfig().setAllowCreate(true).setTransactional(true);
    configuration.setLockTimeout(20, TimeUnit.MILLISECONDS).setDurability(Durability.COMMIT_WRITE_NO_SYNC);
    configuration.setCacheSize(CACHE_BYTES);
    environment = new Environment(folder.toFile(), configuration);
    var kept = new DatabaseConfig().setAllowCreate(true).setTransactional(true);
    database = environment.openDatabase(null, "isolab", kept);
  }

  private static final long CACHE_BYTES = 32 << 20;

  @Override
  public Transaction begin(String level) {
    var configuration = new TransactionConfig().setSerializableIsolation(true);
    return new Begun(environment.beginTransaction(null, configuration));
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    return failure instanceof LockConflictException;
  }

  @Override
  public void close() {
    database.close();
    environment.close();
  }

  private final class Begun implements Transaction {
    private final com.sleepycat.je.Transaction transaction;

    Begun(com.sleepycat.je.Transaction transaction) {
      this.transaction = transaction;
    }

    @Override
    public String get(String key) {
      var found = new DatabaseEntry();
      OperationStatus status = database.get(transaction, entry(key), found, null);
      return status == OperationStatus.SUCCESS ? new String(found.getData()) : null;
    }

    @Override
    public void put(String key, String value) {
      database.put(transaction, entry(key), entry(value));
    }

    @Override
    public TreeMap<String, String> range(long low, long high) {
      var found = new TreeMap<String, String>();
      DatabaseEntry key = entry(Store.keyOf(low));
      var value = new DatabaseEntry();
      try (Cursor rows = database.openCursor(transaction, null)) {
        OperationStatus status = rows.getSearchKeyRange(key, value, null);
        while (status == OperationStatus.SUCCESS && new String(key.getData()).compareTo(Store.keyOf(high)) <= 0) {
          found.put(new String(key.getData()), new String(value.getData()));
          status = rows.getNext(key, value, null);
        }
      }
      return found;
    }

    @Override
    public void commit() {
      transaction.commit();
    }

    @Override
    public void rollback() {
      transaction.abort();
    }
  }

  private static DatabaseEntry entry(String text) {
    return new DatabaseEntry(text.getBytes());
  }
}
