import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.OptimisticTransactionOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.Status;
import org.rocksdb.TransactionDB;
import org.rocksdb.TransactionDBOptions;
import org.rocksdb.TransactionOptions;
import org.rocksdb.TxnDBWritePolicy;
import org.rocksdb.WriteOptions;

/** Locks as TransactionDB with one of its policies, or checks at commit as OptimisticTransactionDB. */
public final class RocksDb implements Store {
  static {
    RocksDB.loadLibrary();
  }

  private final WriteOptions writing = new WriteOptions();
  private OptimisticTransactionDB optimistic;
  private TransactionDB locking;

  @Override
  public void open(Path folder, Properties given) throws RocksDBException {
    var options = new Options().setCreateIfMissing(true);
    String policy = given.getProperty("policy");
    if (policy.equals("optimistic")) {
      optimistic = OptimisticTransactionDB.open(options, folder.toString());
      return;
    }
    var policies = new TransactionDBOptions().setWritePolicy(TxnDBWritePolicy.valueOf("WRITE_" + policy.toUpperCase()));
    policies.setTransactionLockTimeout(LOCK_MS).setDefaultLockTimeout(LOCK_MS);
    locking = TransactionDB.open(options, policies, folder.toString());
  }

  private static final long LOCK_MS = 20;

  @Override
  public Transaction begin(String level) {
    var transaction =
        locking == null
            ? optimistic.beginTransaction(writing, new OptimisticTransactionOptions().setSetSnapshot(true))
            : locking.beginTransaction(writing, new TransactionOptions().setSetSnapshot(true));
    return new Begun(transaction, level.equals("locked reads"));
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    if (!(failure instanceof RocksDBException rocks) || rocks.getStatus() == null) return false;
    Status.Code code = rocks.getStatus().getCode();
    return code == Status.Code.Busy || code == Status.Code.TimedOut || code == Status.Code.TryAgain;
  }

  @Override
  public void close() {
    if (locking == null) optimistic.close();
    else locking.close();
  }

  private static final class Begun implements Transaction {
    private final org.rocksdb.Transaction transaction;
    private final boolean locksReads;
    private final Snapshot snapshot;

    Begun(org.rocksdb.Transaction transaction, boolean locksReads) {
      this.transaction = transaction;
      this.locksReads = locksReads;
      snapshot = transaction.getSnapshot();
    }

    @Override
    public String get(String key) throws RocksDBException {
      try (var reading = new ReadOptions().setSnapshot(snapshot)) {
        byte[] found =
            locksReads
                ? transaction.getForUpdate(reading, key.getBytes(), true)
                : transaction.get(reading, key.getBytes());
        return found == null ? null : new String(found);
      }
    }

    @Override
    public void put(String key, String value) throws RocksDBException {
      transaction.put(key.getBytes(), value.getBytes());
    }

    @Override
    public TreeMap<String, String> range(long low, long high) throws Exception {
      if (locksReads) return Transaction.super.range(low, high); // locks absent keys, too
      var found = new TreeMap<String, String>();
      try (var end = new Slice(Store.keyOf(high) + "\0");
          var reading = new ReadOptions().setSnapshot(snapshot).setIterateUpperBound(end);
          var rows = transaction.getIterator(reading)) {
        for (rows.seek(Store.keyOf(low).getBytes()); rows.isValid(); rows.next())
          found.put(new String(rows.key()), new String(rows.value()));
        rows.status();
      }
      return found;
    }

    @Override
    public void commit() throws RocksDBException {
      transaction.commit();
      transaction.close();
    }

    @Override
    public void rollback() throws RocksDBException {
      transaction.rollback();
      transaction.close();
    }
  }
}
