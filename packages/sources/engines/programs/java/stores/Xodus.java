import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.bindings.StringBinding;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.StoreConfig;

/** Files are small and soon collected, so that collection meets transactions. */
public final class Xodus implements Store {
  private Environment environment;
  private jetbrains.exodus.env.Store store;

  @Override
  public void open(Path folder, Properties options) {
    var configuration = new EnvironmentConfig().setLogFileSize(FILE_KILOBYTES).setManagementEnabled(false);
    configuration.setGcStartIn(0).setGcFileMinAge(1).setGcRunPeriod(1).setGcFilesDeletionDelay(0);
    environment = Environments.newInstance(folder.toFile(), configuration);
    store =
        environment.computeInTransaction(
            change -> environment.openStore("isolab", StoreConfig.WITHOUT_DUPLICATES, change));
  }

  private static final long FILE_KILOBYTES = 64;

  @Override
  public Transaction begin(String level) {
    boolean isAlone = level.equals("exclusive");
    return new Begun(isAlone ? environment.beginExclusiveTransaction() : environment.beginTransaction());
  }

  @Override
  public void close() {
    environment.close();
  }

  private final class Begun implements Transaction {
    private final jetbrains.exodus.env.Transaction transaction;

    Begun(jetbrains.exodus.env.Transaction transaction) {
      this.transaction = transaction;
    }

    @Override
    public String get(String key) {
      ByteIterable found = store.get(transaction, StringBinding.stringToEntry(key));
      return found == null ? null : StringBinding.entryToString(found);
    }

    @Override
    public void put(String key, String value) {
      store.put(transaction, StringBinding.stringToEntry(key), StringBinding.stringToEntry(value));
    }

    @Override
    public TreeMap<String, String> range(long low, long high) {
      var found = new TreeMap<String, String>();
      try (var rows = store.openCursor(transaction)) {
        boolean isThere = rows.getSearchKeyRange(StringBinding.stringToEntry(Store.keyOf(low))) != null;
        while (isThere && StringBinding.entryToString(rows.getKey()).compareTo(Store.keyOf(high)) <= 0) {
          found.put(StringBinding.entryToString(rows.getKey()), StringBinding.entryToString(rows.getValue()));
          isThere = rows.getNext();
        }
      }
      return found;
    }

    @Override
    public void commit() throws Conflict {
      if (!transaction.commit()) throw new Conflict("commit returned false");
    }

    @Override
    public void rollback() {
      if (!transaction.isFinished()) transaction.abort();
    }
  }
}
