import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;

/**
 * Records the transactions of an application, for isolab to check. Copy this file; it needs Java 17 and a JDBC driver.
 *
 * <pre>{@code
 * try (var recorder = new IsolabRecorder("history-{pid}.jsonl", 0)) {
 *   recorder.transaction(connection, tx -> {   // commits at the end, rolls back on an exception
 *     long value = …;                          // your SELECT
 *     tx.read("x", value);
 *     …;                                       // your UPDATE
 *     tx.write("x", value + 1);
 *     return value;
 *   });
 * }
 * }</pre>
 *
 * A transaction is in the file before COMMIT is sent, as one of unknown outcome, and its outcome follows: so whatever ends the
 * process leaves a right history. Each process has a file of its own: {pid} in the path stands for its number. Keys and values
 * are texts, whole numbers and null. Rows are maps of columns to texts, numbers of at most 53 bits, booleans and null.
 */
public final class IsolabRecorder implements AutoCloseable {
  /** What is done in a transaction. */
  public interface Work<Result, Failure extends Exception> {
    Result run(Transaction tx) throws SQLException, Failure;
  }

  private static final BigInteger TOO_LONG = BigInteger.TWO.pow(53);

  private final String path;
  private final FileChannel file;
  private final long started = System.nanoTime();
  private final String prefix = ProcessHandle.current().pid() + "-" + String.format("%06x", new SecureRandom().nextInt(1 << 24));
  private final Map<Connection, Integer> sessions = Collections.synchronizedMap(new WeakHashMap<>());
  private int last;
  private int underWay;
  private String broken;

  /** {@code initial} is what every key holds at first. */
  public IsolabRecorder(String path, Object initial) throws IOException {
    this(path, initial, Map.of(), null);
  }

  /** {@code initialOf} says what some keys hold instead. */
  public IsolabRecorder(String path, Object initial, Map<?, ?> initialOf, String database) throws IOException {
    this.path = path.replace("{pid}", String.valueOf(ProcessHandle.current().pid()));
    var others = initialOf.entrySet().stream().map(e -> "[" + key(e.getKey()) + "," + atom(e.getValue()) + "]");
    var header = "{\"isolab\":\"history\",\"version\":2,\"times\":\"nanoseconds\",\"initial\":" + atom(initial)
        + ",\"initialOf\":" + others.toList().toString() + (database == null ? "" : ",\"database\":" + text(database))
        + ",\"recorded\":{\"by\":\"IsolabRecorder.java\"}}";
    try {
      file = FileChannel.open(Path.of(this.path), OPTIONS, ofOwner());
    } catch (FileAlreadyExistsException error) {
      throw new IOException(this.path
          + " exists, but a recorder needs a new file; name another one, such as history-{pid}.jsonl", error);
    }
    write(header);
  }

  private static final Set<StandardOpenOption> OPTIONS = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);

  /** Nobody else may read the file, where the system has such rights. */
  private static FileAttribute<?>[] ofOwner() {
    if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) return new FileAttribute<?>[0];
    return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))};
  }

  /** A row that was there before the recording. Say so before it is read. */
  public void existing(String table, Object key, Map<String, ?> row) {
    write("{\"rows\":[[" + place(table, key, row) + "]]}");
  }

  /** Begins a transaction of a connection, just before its first statement is sent. */
  public synchronized Transaction begin(Connection connection) {
    insistOpen();
    var session = sessions.computeIfAbsent(physical(connection), any -> ++last);
    underWay++;
    return new Transaction(prefix + "." + session);
  }

  /** Runs the work as one transaction of a connection, and returns its result. */
  public <Result, Failure extends Exception> Result transaction(Connection connection, Work<Result, Failure> work)
      throws SQLException, Failure {
    var commitsEachStatement = connection.getAutoCommit();
    if (commitsEachStatement) connection.setAutoCommit(false);
    var tx = begin(connection);
    Result result;
    try {
      result = work.run(tx);
      tx.committing();
    } catch (Throwable error) {
      rollBack(connection, commitsEachStatement);
      tx.aborted();
      throw error;
    }
    var hasFailed = hasFailed(connection);
    try {
      connection.commit();
    } catch (Throwable error) {
      tx.commitFailed(error);
      rollBack(connection, commitsEachStatement);
      throw error;
    }
    // PostgreSQL answers ROLLBACK to a COMMIT after a statement that failed, and its driver may say nothing.
    if (hasFailed) tx.aborted();
    else tx.committed();
    if (commitsEachStatement) connection.setAutoCommit(true);
    return result;
  }

  /** Ends the file. Without this, it is one that was cut off. */
  @Override
  public synchronized void close() throws IOException {
    if (broken == null && underWay == 0) write("{\"isolab\":\"end\"}");
    if (broken == null) broken = "it is closed";
    file.close();
    if (underWay > 0) throw new IllegalStateException(underWay + " transactions are in progress; end them before close()");
  }

  /** What one transaction read and wrote, in its order, with the values that the application sees. */
  public final class Transaction {
    private enum State { UNDER_WAY, COMMITTING, OVER }

    private final String session;
    private final long begin = System.nanoTime() - started;
    private String begun = ""; // a field of its line, where it reads first
    private final List<String> operations = new ArrayList<>();
    private State state = State.UNDER_WAY;

    private Transaction(String session) {
      this.session = session;
    }

    /** A read of a key; null is no value. */
    public void read(Object key, Object value) {
      add("[\"r\"," + key(key) + "," + atom(value) + "]");
    }

    public void write(Object key, Object value) {
      add("[\"w\"," + key(key) + "," + atom(value) + "]");
    }

    /** A read of a row by its primary key; null if there is no such row. */
    public void readRow(String table, Object key, Map<String, ?> row) {
      add("[\"get\"," + place(table, key, row) + "]");
    }

    /** The whole row after an INSERT or UPDATE; null after a DELETE. */
    public void writeRow(String table, Object key, Map<String, ?> row) {
      add("[\"put\"," + place(table, key, row) + "]");
    }

    /** Call this before COMMIT is sent; from now on the outcome is unknown until something says it. */
    public void committing() {
      insist(State.UNDER_WAY);
      line("unknown", now("committing"));
      state = State.COMMITTING;
    }

    public void committed() {
      insist(State.COMMITTING);
      end("committed");
    }

    /** It certainly did not commit. */
    public void aborted() {
      end("aborted");
    }

    /** Its outcome will never be known. */
    public void unknown() {
      if (state == State.UNDER_WAY) line("unknown", "");
      over();
    }

    /** What became of a COMMIT that failed: aborted if the database refused it, else unknown. */
    public void commitFailed(Throwable error) {
      if (error instanceof SQLException sql && isRefusal(sql.getSQLState())) aborted();
      else unknown();
    }

    private void add(String operation) {
      insist(State.UNDER_WAY);
      // Where it reads first, the database has taken its snapshot now. A write may not have been sent yet.
      if (operations.isEmpty() && (operation.startsWith("[\"r\"") || operation.startsWith("[\"get\""))) begun = now("begun");
      operations.add(operation);
    }

    private String now(String field) {
      return ",\"" + field + "\":" + (System.nanoTime() - started);
    }

    private void end(String outcome) {
      var end = now("end");
      try {
        if (state == State.UNDER_WAY) line(outcome, end);
        else if (state == State.COMMITTING)
          IsolabRecorder.this.write("{\"outcome\":\"" + outcome + "\",\"session\":\"" + session + "\"" + end + "}");
      } catch (IllegalStateException error) {
        // The database has answered, which the application must hear; the file is one that was cut off.
      }
      over();
    }

    private void line(String status, String time) {
      IsolabRecorder.this.write("{\"session\":\"" + session + "\",\"status\":\"" + status + "\",\"begin\":" + begin + begun + time
          + ",\"ops\":[" + String.join(",", operations) + "]}");
    }

    private void over() {
      if (state == State.OVER) return;
      state = State.OVER;
      synchronized (IsolabRecorder.this) {
        underWay--;
      }
    }

    private void insist(State expected) {
      if (state != expected) throw new IllegalStateException("this transaction is " + state + ", not " + expected);
    }
  }

  /** Whether a SQLSTATE says that COMMIT was refused: a conflict or a constraint, or a statement had failed before. */
  public static boolean isRefusal(String state) {
    if (state == null) return false;
    return (state.matches("(23|40)...") && !state.equals("40003")) || state.equals("25P02");
  }

  /** Writes a line with one call, which the system keeps when the process is killed. */
  private synchronized void write(String line) {
    insistOpen();
    try {
      for (var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)); bytes.hasRemaining();) file.write(bytes);
    } catch (IOException error) {
      broken = error.toString(); // nothing can follow half a line
      throw new IllegalStateException(path + " cannot be written", error);
    }
  }

  private synchronized void insistOpen() {
    if (broken != null) throw new IllegalStateException(path + " cannot be written: " + broken);
  }

  /** A pool wraps a connection anew each time. */
  private static Connection physical(Connection connection) {
    try {
      return connection.unwrap(Connection.class);
    } catch (SQLException error) {
      return connection;
    }
  }

  /** Whether a statement failed before COMMIT, which PostgreSQL's driver knows. */
  private static boolean hasFailed(Connection connection) {
    var known = physical(connection);
    try {
      return "FAILED".equals(String.valueOf(known.getClass().getMethod("getTransactionState").invoke(known)));
    } catch (ReflectiveOperationException error) {
      // Another driver, or one behind a wrapper: then the next statement fails, too.
    }
    try {
      if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) return false;
      try (var statement = connection.createStatement()) {
        statement.execute("SELECT 1");
      }
    } catch (SQLException error) {
      return "25P02".equals(error.getSQLState());
    }
    return false;
  }

  /** What is not committed is undone at the latest when the connection ends, so that errors do not matter. */
  private static void rollBack(Connection connection, boolean commitsEachStatement) {
    try {
      connection.rollback();
      if (commitsEachStatement) connection.setAutoCommit(true); // not without the former: it commits
    } catch (SQLException error) {
      // the connection is lost
    }
  }

  private static String place(String table, Object key, Map<String, ?> row) {
    if (table == null || table.isEmpty() || table.contains("/"))
      throw new IllegalArgumentException("a table is named " + table + "; expected a text without \"/\"");
    if (row == null) return text(table) + "," + key(key) + ",null";
    var columns = row.entrySet().stream().map(e -> text(e.getKey()) + ":" + column(e.getKey(), e.getValue()));
    return text(table) + "," + key(key) + "," + columns.collect(Collectors.joining(",", "{", "}"));
  }

  private static String column(String column, Object value) {
    if (value instanceof Boolean) return value.toString();
    if ((value instanceof Double || value instanceof Float) && isShort(((Number) value).doubleValue())) return value.toString();
    var isLong = integer(value) != null && integer(value).abs().compareTo(TOO_LONG) >= 0;
    if (!column.isEmpty() && !isLong && (value == null || value instanceof String || integer(value) != null)) return atom(value);
    throw new IllegalArgumentException("column " + column + " is " + value + "; expected a text, a number of at most 53 bits, a"
        + " boolean or null. Convert it to a text, in the same way at every read and write");
  }

  private static boolean isShort(double value) {
    return Double.isFinite(value) && (value != Math.rint(value) || Math.abs(value) < 0x1p53);
  }

  private static BigInteger integer(Object value) {
    if (value instanceof BigInteger big) return big;
    var isWhole = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
    return isWhole ? BigInteger.valueOf(((Number) value).longValue()) : null;
  }

  private static String key(Object key) {
    if (key == null) throw new IllegalArgumentException("a key is null; expected a text or a whole number");
    return atom(key);
  }

  private static String atom(Object value) {
    if (value == null) return "null";
    if (value instanceof String string) return text(string);
    if (integer(value) != null) return integer(value).toString();
    throw new IllegalArgumentException(
        "a key or value is " + value + " (" + value.getClass().getName() + "); expected a text, a whole number or null");
  }

  private static String text(String value) {
    var json = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') json.append('\\').append(c);
      else if (c < ' ' || c > '~') json.append(String.format("\\u%04x", (int) c));
      else json.append(c);
    }
    return json.append('"').toString();
  }
}
