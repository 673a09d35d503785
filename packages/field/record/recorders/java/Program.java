import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the tests run: Program MODE FILE. POSTGRES_URL is the database; STALLING_URL leads to the same one through a proxy that
 * does not let COMMIT pass.
 */
public final class Program {
  private static final String[] SETUP = {
    "CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS accounts (id INT PRIMARY KEY, owner TEXT NOT NULL, balance INT NOT NULL)",
    "TRUNCATE kv, accounts",
    "INSERT INTO kv VALUES ('a', 0), ('b', 0), ('c', 0)",
    "INSERT INTO accounts VALUES (1, 'alice', 100), (2, 'bob', 100)",
  };

  /** The application changes its mind, and the transaction is rolled back. */
  private static final class Changed extends Exception {
    private static final long serialVersionUID = 1;
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("refusals")) {
      System.out.print(Stream.of(args).skip(1).filter(IsolabRecorder::isRefusal).collect(Collectors.joining(" ")));
      return;
    }
    try (var connection = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED)) {
      for (var statement : SETUP) connection.createStatement().execute(statement);
    }
    try (var recorder = new IsolabRecorder(args[1], 0, Map.of(), "PostgreSQL")) {
      recorder.existing("accounts", 1, Map.of("owner", "alice", "balance", 100));
      recorder.existing("accounts", 2, Map.of("owner", "bob", "balance", 100));
      switch (args[0]) {
        case "serializable" -> clients(recorder, 4, 30);
        case "lost-update" -> lostUpdate(recorder);
        case "failed" -> failed(recorder);
        case "values" -> values(recorder);
        // Goes on until it is killed, while one transaction waits for the answer to its COMMIT.
        case "killed" -> {
          start(() -> stall(recorder));
          clients(recorder, 2, 1_000_000);
        }
        // The connection is lost while COMMIT is answered, and the application goes on with another one.
        case "lost-commit" -> {
          try {
            stall(recorder);
          } catch (SQLException error) {
            System.out.print(IsolabRecorder.isRefusal(error.getSQLState()) ? "aborted" : "unknown");
          }
          client(recorder, connect("POSTGRES_URL", Connection.TRANSACTION_SERIALIZABLE), 0, 1, 2);
        }
        default -> throw new IllegalArgumentException(args[0]);
      }
    }
  }

  private static Connection connect(String name, int isolation) throws SQLException {
    var url = java.net.URI.create(System.getenv(name));
    var who = url.getUserInfo().split(":", 2);
    var address = "jdbc:postgresql://" + url.getHost() + ":" + url.getPort() + url.getPath() + "?sslmode=disable";
    var connection = DriverManager.getConnection(address, who[0], who.length > 1 ? who[1] : "");
    connection.setTransactionIsolation(isolation);
    return connection;
  }

  private interface Task {
    void run() throws Exception;
  }

  private static Thread start(Task task) {
    var thread = new Thread(() -> {
      try {
        task.run();
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void clients(IsolabRecorder recorder, int count, int transactions) throws Exception {
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < count; i++) connections.add(connect("POSTGRES_URL", Connection.TRANSACTION_SERIALIZABLE));
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      threads.add(start(() -> client(recorder, connections.get(number), number, 0, transactions)));
    }
    for (var thread : threads) thread.join();
  }

  private static void client(IsolabRecorder recorder, Connection connection, int number, int from, int to)
      throws SQLException {
    for (int i = from; i < to;) {
      int index = i;
      try {
        recorder.transaction(connection, tx -> work(connection, tx, number, index));
        i++;
      } catch (Changed changed) {
        i++;
      } catch (SQLException error) {
        if (!IsolabRecorder.isRefusal(error.getSQLState())) throw error;
      }
    }
  }

  /** Every third transaction moves money, the others write a value of their own to a key. */
  private static Void work(Connection connection, IsolabRecorder.Transaction tx, int number, int i)
      throws SQLException, Changed {
    if (i % 3 != 0) {
      var key = String.valueOf("abc".charAt((number + i) % 3));
      read(connection, tx, key);
      return write(connection, tx, key, (number + 1) * 1000 + i);
    }
    for (int id = 1; id <= 2; id++) {
      var found = query(connection, "SELECT owner, balance FROM accounts WHERE id = ?", id);
      var owner = found.getString(1);
      int balance = found.getInt(2);
      int changed = balance + (id == 1 ? -1 : 1);
      tx.readRow("accounts", id, Map.of("owner", owner, "balance", balance));
      update(connection, "UPDATE accounts SET balance = ? WHERE id = ?", changed, id);
      tx.writeRow("accounts", id, Map.of("owner", owner, "balance", changed));
    }
    if (i % 9 == 0) throw new Changed();
    return null;
  }

  private static Void read(Connection connection, IsolabRecorder.Transaction tx, String key) throws SQLException {
    tx.read(key, query(connection, "SELECT v FROM kv WHERE k = ?", key).getLong(1));
    return null;
  }

  private static Void write(Connection connection, IsolabRecorder.Transaction tx, String key, int value) throws SQLException {
    update(connection, "UPDATE kv SET v = ? WHERE k = ?", value, key);
    tx.write(key, value);
    return null;
  }

  private static ResultSet query(Connection connection, String sql, Object... values) throws SQLException {
    var statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
    var result = statement.executeQuery();
    result.next();
    return result;
  }

  private static void update(Connection connection, String sql, Object... values) throws SQLException {
    try (var statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) statement.setObject(i + 1, values[i]);
      statement.executeUpdate();
    }
  }

  private static void lostUpdate(IsolabRecorder recorder) throws SQLException {
    try (var one = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED);
        var other = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED);
        var third = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED)) {
      recorder.transaction(one, first -> {
        read(one, first, "a");
        recorder.transaction(other, second -> {
          read(other, second, "a");
          return write(other, second, "a", 2);
        });
        return write(one, first, "a", 1);
      });
      recorder.transaction(third, last -> read(third, last, "a"));
    }
  }

  /** A statement fails, and the application goes on to COMMIT, which PostgreSQL answers with ROLLBACK. */
  private static void failed(IsolabRecorder recorder) throws SQLException {
    try (var connection = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED)) {
      for (var each : List.of(connection, wrapped(connection)))
        recorder.transaction(each, tx -> {
          write(each, tx, "a", 9);
          try {
            update(each, "INSERT INTO kv VALUES ('a', ?)", 1);
          } catch (SQLException error) {
            // the application does not care
          }
          return null;
        });
    }
    client(recorder, connect("POSTGRES_URL", Connection.TRANSACTION_SERIALIZABLE), 2, 1, 2);
  }

  /** As a pool has it, behind which the driver is not seen. */
  private static Connection wrapped(Connection connection) {
    return (Connection) Proxy.newProxyInstance(Program.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
      if (method.getName().equals("unwrap")) throw new SQLException("there is nothing inside");
      if (method.getName().equals("hashCode")) return System.identityHashCode(self);
      if (method.getName().equals("equals")) return self == arguments[0];
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException error) {
        throw error.getCause();
      }
    });
  }

  /** Values of all kinds, and some that are refused. */
  private static void values(IsolabRecorder recorder) throws SQLException {
    var connection = connect("POSTGRES_URL", Connection.TRANSACTION_READ_COMMITTED);
    var tx = recorder.begin(connection);
    tx.write("é \"quoted\"\n\\ \u0001\u007f 😀", Long.MAX_VALUE);
    tx.write(-5, "</script>\u2028");
    tx.write("nothing", null);
    var row = new HashMap<String, Object>(Map.of("f", 0.5, "small", 1e-7, "b", true, "s", "é\"", "i", -7, "w", 2.0));
    row.put("n", null);
    tx.writeRow("t", "k", row);
    tx.writeRow("t", 7, null);
    tx.readRow("t", 8, null);
    tx.committing();
    tx.committed();
    List<Consumer<IsolabRecorder.Transaction>> wrong = List.of(
        other -> other.write("x", 0.5),
        other -> other.write(null, 1),
        other -> other.writeRow("a/b", 1, Map.of()),
        other -> other.writeRow("t", 1, Map.of("a", 1L << 53)),
        other -> other.writeRow("t", 1, Map.of("a", Double.NaN)),
        other -> other.writeRow("t", 1, Map.of("", 1)));
    int refused = 0;
    for (var each : wrong) {
      var other = recorder.begin(connection);
      try {
        each.accept(other);
      } catch (IllegalArgumentException error) {
        refused++;
      }
      other.aborted();
    }
    System.out.print(refused);
  }

  private static void stall(IsolabRecorder recorder) throws SQLException {
    try (var connection = connect("STALLING_URL", Connection.TRANSACTION_READ_COMMITTED)) {
      recorder.transaction(connection, tx -> {
        update(connection, "INSERT INTO kv VALUES (?, ?)", "stalled", 1);
        tx.write("stalled", 1);
        return null;
      });
    }
  }
}
