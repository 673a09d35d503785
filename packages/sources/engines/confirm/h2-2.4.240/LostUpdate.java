import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Two threads read two counters in either order and add one to some of what they read; a transaction that fails is rolled
 * back and not counted. At snapshot isolation and above a counter then stands at the number of its committed increments.
 * Exits with 1 if any increment was lost.
 */
public final class LostUpdate {
  private static final int KEYS = 2;

  public static void main(String[] arguments) throws Exception {
    int level = levelOf(arguments[0]);
    String url = "jdbc:h2:mem:counters;DB_CLOSE_DELAY=-1" + (arguments.length > 2 ? ";" + arguments[2] : "");
    long end = System.nanoTime() + 1_000_000_000L * Integer.parseInt(arguments[1]);
    try (Connection admin = DriverManager.getConnection(url); var statement = admin.createStatement()) {
      System.out.println(admin.getMetaData().getDatabaseProductVersion());
      statement.execute("CREATE TABLE t (k INT PRIMARY KEY, v BIGINT)");
      for (int key = 0; key < KEYS; key++) statement.execute("INSERT INTO t VALUES (" + key + ", 0)");
      var committed = new AtomicLongArray(KEYS);
      List<Thread> threads = new ArrayList<>();
      for (int seed = 0; seed < 2; seed++) threads.add(client(url, level, end, new Random(seed), committed));
      for (Thread thread : threads) thread.join();
      boolean isLost = false;
      try (ResultSet rows = statement.executeQuery("SELECT k, v FROM t ORDER BY k")) {
        while (rows.next()) {
          long increments = committed.get(rows.getInt(1));
          System.out.println(increments + " increments committed, the counter stands at " + rows.getLong(2));
          isLost |= increments != rows.getLong(2);
        }
      }
      System.exit(isLost ? 1 : 0);
    }
  }

  private static Thread client(String url, int level, long end, Random random, AtomicLongArray committed) {
    var thread = new Thread(() -> {
      try (Connection connection = DriverManager.getConnection(url)) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(level);
        PreparedStatement read = connection.prepareStatement("SELECT v FROM t WHERE k = ?");
        PreparedStatement write = connection.prepareStatement("UPDATE t SET v = ? WHERE k = ?");
        while (System.nanoTime() < end) {
          try {
            int first = random.nextInt(KEYS);
            List<Integer> increased = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
              int key = (first + i) % KEYS;
              read.setInt(1, key);
              long value;
              try (ResultSet found = read.executeQuery()) {
                found.next();
                value = found.getLong(1);
              }
              if (random.nextInt(3) == 0) continue;
              write.setLong(1, value + 1);
              write.setInt(2, key);
              write.executeUpdate();
              increased.add(key);
            }
            connection.commit();
            for (int key : increased) committed.incrementAndGet(key);
          } catch (SQLException conflict) {
            connection.rollback();
          }
        }
      } catch (SQLException failure) {
        throw new IllegalStateException(failure);
      }
    });
    thread.start();
    return thread;
  }

  private static int levelOf(String name) {
    return switch (name) {
      case "repeatable-read" -> Connection.TRANSACTION_REPEATABLE_READ;
      case "snapshot" -> 6; // H2's own
      case "serializable" -> Connection.TRANSACTION_SERIALIZABLE;
      default -> throw new IllegalArgumentException("repeatable-read, snapshot or serializable, not " + name);
    };
  }
}
