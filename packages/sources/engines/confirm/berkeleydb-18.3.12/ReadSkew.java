import com.sleepycat.je.Database;
import com.sleepycat.je.DatabaseConfig;
import com.sleepycat.je.DatabaseEntry;
import com.sleepycat.je.Environment;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.LockConflictException;
import com.sleepycat.je.OperationStatus;
import com.sleepycat.je.Transaction;
import com.sleepycat.je.TransactionConfig;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets serializable transactions insert two keys each, and others read first the key that is inserted last: java -cp
 * je-18.3.12.jar ReadSkew.java [SECONDS [insert|update]]. Exits with 1 if a reader commits that saw only one of them.
 */
public class ReadSkew {
  static final AtomicInteger round = new AtomicInteger();
  static final AtomicInteger skews = new AtomicInteger();
  static final AtomicInteger reads = new AtomicInteger();
  static Environment environment;
  static Database database;
  static boolean updates;

  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
    updates = arguments.length > 1 && arguments[1].equals("update");
    var configuration = new EnvironmentConfig().setAllowCreate(true).setTransactional(true);
    configuration.setLockTimeout(20, TimeUnit.MILLISECONDS);
    environment = new Environment(Files.createTempDirectory("je").toFile(), configuration);
    database = environment.openDatabase(null, "d", new DatabaseConfig().setAllowCreate(true).setTransactional(true));
    if (updates) for (int key = 0; key < 20_000; key++) database.put(null, entry("k" + key), entry("old"));
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    var threads = new Thread[8];
    for (int number = 0; number < threads.length; number++) {
      boolean writes = number % 2 == 0;
      threads[number] = new Thread(() -> { while (System.nanoTime() < end) turn(writes); });
      threads[number].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(skews + " of " + reads + " committed readers saw only one of two keys; " + Math.min(round.get(), 9_000) + " pairs were written");
    System.exit(skews.get() > 0 ? 1 : 0);
  }

  static void turn(boolean writes) {
    int key = 2 * (round.get() % 9_000);
    Transaction transaction = environment.beginTransaction(null, new TransactionConfig().setSerializableIsolation(true));
    try {
      if (writes) {
        database.put(transaction, entry("k" + (key + 1)), entry("new"));
        database.put(transaction, entry("k" + key), entry("new"));
        transaction.commit();
        round.incrementAndGet();
      } else {
        boolean second = isNew(transaction, key);
        boolean first = isNew(transaction, key + 1);
        transaction.commit();
        reads.incrementAndGet();
        if (first != second) skews.incrementAndGet();
      }
    } catch (LockConflictException conflict) {
      transaction.abort();
    }
  }

  static boolean isNew(Transaction transaction, int key) {
    var found = new DatabaseEntry();
    OperationStatus status = database.get(transaction, entry("k" + key), found, null);
    return status == OperationStatus.SUCCESS && new String(found.getData()).equals("new");
  }

  static DatabaseEntry entry(String text) {
    return new DatabaseEntry(text.getBytes());
  }
}
