import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.TxMaker;
import org.mapdb.TxRollbackException;

/** Concurrent transactions of TxMaker on one map with an order. */
public final class MapDb implements Store {
  private TxMaker maker;

  @Override
  public void open(Path folder, Properties options) {
    maker = DBMaker.newFileDB(folder.resolve("data").toFile()).makeTxMaker();
    maker.execute((DB database) -> database.getTreeMap("isolab"));
  }

  @Override
  public Transaction begin(String level) {
    return new Begun(maker.makeTx());
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    return failure instanceof TxRollbackException;
  }

  @Override
  public void close() {
    maker.close();
  }

  private static final class Begun implements Transaction {
    private final DB database;
    private final java.util.concurrent.ConcurrentNavigableMap<String, String> map;

    Begun(DB database) {
      this.database = database;
      map = database.getTreeMap("isolab");
    }

    @Override
    public String get(String key) {
      return map.get(key);
    }

    @Override
    public void put(String key, String value) {
      map.put(key, value);
    }

    @Override
    public TreeMap<String, String> range(long low, long high) {
      return new TreeMap<>(map.subMap(Store.keyOf(low), true, Store.keyOf(high), true));
    }

    @Override
    public void commit() {
      database.commit();
    }

    @Override
    public void rollback() {
      if (!database.isClosed()) database.close();
    }
  }
}
