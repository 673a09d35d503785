import com.arcadedb.GlobalConfiguration;
import com.arcadedb.database.Database;
import com.arcadedb.database.DatabaseFactory;
import com.arcadedb.exception.ConcurrentModificationException;
import com.arcadedb.exception.DuplicatedKeyException;
import com.arcadedb.exception.NeedRetryException;
import com.arcadedb.exception.RecordNotFoundException;
import com.arcadedb.log.LogManager;
import com.arcadedb.log.Logger;
import com.arcadedb.schema.Schema;
import com.arcadedb.schema.Type;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;

/** Documents of one type, which a unique index finds by their keys. */
public final class ArcadeDb implements Store {
  private Database database;

  @Override
  public void open(Path folder, Properties options) {
    LogManager.instance().setLogger(silent());
    GlobalConfiguration.TX_RETRIES.setValue(0);
    var factory = new DatabaseFactory(folder.resolve("data").toString());
    database = factory.exists() ? factory.open() : factory.create();
    if (database.getSchema().existsType("isolab")) return;
    var type = database.getSchema().createDocumentType("isolab");
    type.createProperty("k", Type.STRING);
    type.createTypeIndex(Schema.INDEX_TYPE.LSM_TREE, true, "k");
  }

  /** Its own logger writes errors without a consequence into the standard error. */
  private static Logger silent() {
    var loader = ArcadeDb.class.getClassLoader();
    return (Logger) Proxy.newProxyInstance(loader, new Class<?>[] {Logger.class}, (proxy, method, given) -> null);
  }

  @Override
  public Transaction begin(String level) {
    database.begin(Database.TRANSACTION_ISOLATION_LEVEL.valueOf(level.toUpperCase().replace(' ', '_')));
    return new Begun();
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    // A statement that finds an entry of the index without its record has no effect: its transaction is rolled back.
    return !isCommit && failure instanceof RecordNotFoundException
        || failure instanceof NeedRetryException // as ConcurrentModificationException is
        || failure instanceof ConcurrentModificationException
        || failure instanceof DuplicatedKeyException;
  }

  @Override
  public void close() {
    database.close();
  }

  private final class Begun implements Transaction {
    @Override
    public String get(String key) {
      var found = database.lookupByKey("isolab", "k", key);
      return found.hasNext() ? found.next().asDocument().getString("v") : null;
    }

    @Override
    public void put(String key, String value) {
      var found = database.lookupByKey("isolab", "k", key);
      var document = found.hasNext() ? found.next().asDocument().modify() : database.newDocument("isolab").set("k", key);
      document.set("v", value).save();
    }

    @Override
    public TreeMap<String, String> range(long low, long high) {
      var found = new TreeMap<String, String>();
      var index = (com.arcadedb.index.RangeIndex) database.getSchema().getIndexByName("isolab[k]");
      var rows = index.range(true, new Object[] {Store.keyOf(low)}, true, new Object[] {Store.keyOf(high)}, true);
      while (rows.hasNext()) {
        var document = rows.next().asDocument();
        found.put(document.getString("k"), document.getString("v"));
      }
      return found;
    }

    @Override
    public void commit() {
      database.commit();
    }

    @Override
    public void rollback() {
      if (database.isTransactionActive()) database.rollback();
    }
  }
}
