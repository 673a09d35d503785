import com.scalar.db.api.DistributedTransaction;
import com.scalar.db.api.DistributedTransactionManager;
import com.scalar.db.api.Get;
import com.scalar.db.api.Result;
import com.scalar.db.api.Scan;
import com.scalar.db.api.TableMetadata;
import com.scalar.db.api.Upsert;
import com.scalar.db.exception.transaction.CommitConflictException;
import com.scalar.db.exception.transaction.CrudConflictException;
import com.scalar.db.io.DataType;
import com.scalar.db.io.Key;
import com.scalar.db.service.TransactionFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** Consensus Commit over a file of SQLite. All keys are in one partition, in their order. */
public final class ScalarDb implements Store {
  /** A manager for each level. */
  private final Map<String, DistributedTransactionManager> managers = new HashMap<>();
  private final Properties settings = new Properties();

  @Override
  public void open(Path folder, Properties options) throws Exception {
    String file = "jdbc:sqlite:" + folder + "/data?busy_timeout=10000&journal_mode=WAL&synchronous=OFF";
    settings.putAll(Map.of("scalar.db.storage", "jdbc", "scalar.db.contact_points", file));
    settings.putAll(Map.of("scalar.db.username", "", "scalar.db.password", ""));
    String commit = options.getProperty("commit");
    if (commit.equals("one-phase")) setting("one_phase_commit.enabled", "true");
    if (commit.equals("group")) setting("coordinator.group_commit.enabled", "true");
    if (commit.equals("asynchronous")) setting("async_commit.enabled", "true");
    try (var admin = TransactionFactory.create(settings).getTransactionAdmin()) {
      admin.createCoordinatorTables(true);
      admin.createNamespace("isolab", true);
      var table = TableMetadata.newBuilder().addPartitionKey("p").addClusteringKey("k");
      table.addColumn("p", DataType.INT).addColumn("k", DataType.TEXT).addColumn("v", DataType.TEXT);
      admin.createTable("isolab", "keys", table.build(), true);
    }
  }

  private void setting(String name, String value) {
    settings.setProperty("scalar.db.consensus_commit." + name, value);
  }

  private synchronized DistributedTransactionManager managerOf(String level) {
    return managers.computeIfAbsent(level, name -> {
      setting("isolation_level", name.toUpperCase().replace(' ', '_'));
      return TransactionFactory.create(settings).getTransactionManager();
    });
  }

  @Override
  public Transaction begin(String level) throws Exception {
    return new Begun(managerOf(level).begin(), level.equals("serializable"));
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    return isCommit ? failure instanceof CommitConflictException : failure instanceof CrudConflictException;
  }

  @Override
  public void close() {
    for (var manager : managers.values()) manager.close();
  }

  private static final Key PARTITION = Key.ofInt("p", 0);

  private static final class Begun implements Transaction {
    private final DistributedTransaction transaction;
    private boolean scans;
    private boolean hasEnded;

    Begun(DistributedTransaction transaction, boolean scans) {
      this.transaction = transaction;
      this.scans = scans;
    }

    @Override
    public String get(String key) throws Exception {
      var get = Get.newBuilder().namespace("isolab").table("keys").partitionKey(PARTITION);
      return transaction.get(get.clusteringKey(Key.ofText("k", key)).build()).map(Begun::valueOf).orElse(null);
    }

    @Override
    public void put(String key, String value) throws Exception {
      scans = false;
      var put = Upsert.newBuilder().namespace("isolab").table("keys").partitionKey(PARTITION);
      transaction.upsert(put.clusteringKey(Key.ofText("k", key)).textValue("v", value).build());
    }

    /** ScalarDB refuses scans after writes of the same records. Only SERIALIZABLE protects rows that a scan misses. */
    @Override
    public TreeMap<String, String> range(long low, long high) throws Exception {
      if (!scans) return Transaction.super.range(low, high);
      var found = new TreeMap<String, String>();
      var scan = Scan.newBuilder().namespace("isolab").table("keys").partitionKey(PARTITION);
      scan.start(Key.ofText("k", Store.keyOf(low))).end(Key.ofText("k", Store.keyOf(high)));
      for (Result row : transaction.scan(scan.build())) found.put(row.getText("k"), valueOf(row));
      return found;
    }

    private static String valueOf(Result row) {
      return row.getText("v");
    }

    @Override
    public void commit() throws Exception {
      hasEnded = true;
      transaction.commit();
    }

    @Override
    public void rollback() throws Exception {
      if (hasEnded) return;
      hasEnded = true;
      transaction.rollback();
    }
  }
}
