import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads ranges of rows of Derby beside updates that are all rolled back: java -cp "jars/*" DirtyRead.java SECONDS LEVEL,
 * where LEVEL is 2 for READ COMMITTED and 8 for SERIALIZABLE. Exits with 1 if a range has a value that never committed.
 */
public final class DirtyRead {
  private static final String URL = "jdbc:derby:memory:dirty;create=true";
  private static final int ROWS = 15;

  public static void main(String[] words) throws Exception {
    System.setProperty("derby.locks.waitTimeout", "1");
    System.setProperty("derby.locks.deadlockTimeout", "0");
    long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000_000L;
    int level = Integer.parseInt(words[1]);
    try (Connection first = DriverManager.getConnection(URL); var statement = first.createStatement()) {
      statement.execute("CREATE TABLE t (k BIGINT PRIMARY KEY, v BIGINT NOT NULL)");
      for (int key = 0; key < ROWS; key++) statement.execute("INSERT INTO t VALUES (" + key + ", 1)");
    }
    var reads = new AtomicLong();
    var dirty = new AtomicLong();
    var threads = new Thread[8];
    for (int number = 0; number < threads.length; number++) {
      boolean writes = number % 2 == 0;
      threads[number] = new Thread(() -> work(end, level, writes, reads, dirty));
      threads[number].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(reads + " ranges were read, and " + dirty + " had a value that never committed.");
    System.exit(dirty.get() > 0 ? 1 : 0);
  }

  private static void work(long end, int level, boolean writes, AtomicLong reads, AtomicLong dirty) {
    var random = ThreadLocalRandom.current();
    try (Connection connection = DriverManager.getConnection(URL)) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(level);
      PreparedStatement update = connection.prepareStatement("UPDATE t SET v = ? WHERE k = ?");
      PreparedStatement range = connection.prepareStatement("SELECT k, v FROM t WHERE k BETWEEN ? AND ?");
      while (System.nanoTime() < end) {
        try {
          int key = random.nextInt(ROWS);
          if (writes) {
            update.setLong(1, -1);
            update.setLong(2, key);
            update.executeUpdate();
            connection.rollback();
            continue;
          }
          range.setLong(1, key);
          range.setLong(2, key + 3);
          boolean isDirty = false;
          try (ResultSet rows = range.executeQuery()) {
            while (rows.next()) isDirty |= rows.getLong(2) < 0;
          }
          reads.incrementAndGet();
          if (isDirty) dirty.incrementAndGet();
          connection.commit();
        } catch (SQLException refusal) {
          connection.rollback();
        }
      }
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }
}
