import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.function.UnaryOperator;

/** States how a database is reached by JDBC, and what its errors mean. */
enum SqlEngine implements Engine {
  H2("VARCHAR(1000000)"),
  HSQLDB("VARCHAR(1000000)"),
  DERBY("VARCHAR(32672)"),
  FIREBIRD("VARCHAR(32000)");

  /** How long a list may get. */
  private final String list;
  private String url = "";
  private Connection control;
  private volatile boolean holdsRows;
  private boolean isVolatile;

  SqlEngine(String list) {
    this.list = list;
  }

  /** Returns the database with the name, or null. */
  static SqlEngine named(String name, String folder, Properties options) throws Exception {
    for (SqlEngine engine : values()) {
      if (!engine.name().equalsIgnoreCase(name)) continue;
      engine.url = engine.urlFor(folder, options);
      return engine;
    }
    return null;
  }

  /** Locks are waited for a moment only, so that sessions that meet all the time do more than wait. */
  @SuppressWarnings("unchecked")
  private String urlFor(String folder, Properties options) throws Exception {
    boolean isFile = options.getProperty("storage", "memory").equals("file");
    isVolatile = !isFile && this != FIREBIRD;
    switch (this) {
      case H2:
        String place = isFile ? "file:" + folder + "/isolab;WRITE_DELAY=0" : "mem:isolab;DB_CLOSE_DELAY=-1";
        return "jdbc:h2:" + place + ";LOCK_TIMEOUT=20;DB_CLOSE_ON_EXIT=FALSE";
      case HSQLDB:
        String store = isFile ? "file:" + folder + "/isolab;hsqldb.write_delay=false" : "mem:isolab";
        return "jdbc:hsqldb:" + store + ";hsqldb.tx=" + options.getProperty("tx", "locks");
      case FIREBIRD:
        Object address = Class.forName("Firebird").getDeclaredConstructor().newInstance();
        return ((UnaryOperator<String>) address).apply(folder);
      default:
        System.setProperty("derby.system.home", folder);
        System.setProperty("derby.locks.waitTimeout", "1");
        System.setProperty("derby.locks.deadlockTimeout", "0");
        System.setProperty("derby.system.durability", isFile ? "" : "test");
        return "jdbc:derby:" + (isFile ? "" : "memory:") + "isolab;create=true";
    }
  }

  @Override
  public Client connect() throws SQLException {
    Connection connection = connection();
    connection.setAutoCommit(false);
    return new Statements(connection, this);
  }

  private Connection connection() throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    if (this != H2) return connection;
    try (var statement = connection.createStatement()) {
      statement.execute("SET NON_KEYWORDS VALUE"); // plain SQL has columns of this name
    } catch (SQLException unknown) {
      // 1.4.200, where it is no keyword
    }
    return connection;
  }

  /** A connection for definitions that is always there, so that no database ends with its last session. */
  Connection control() throws SQLException {
    if (control == null) control = connection();
    return control;
  }

  @Override
  public String description() throws SQLException {
    var about = control().getMetaData();
    return about.getDatabaseProductName() + " " + about.getDatabaseProductVersion();
  }

  /** Whether keys stand for rows, which are read and written then. */
  boolean holdsRows() {
    return holdsRows;
  }

  @Override
  public boolean takesSql() {
    return true;
  }

  @Override
  public boolean isVolatile() {
    return isVolatile;
  }

  @Override
  public void prepare(String data, boolean keeps) throws SQLException {
    holdsRows = data.equals("rows");
    String key = data.equals("rows") ? "BIGINT" : "VARCHAR(200)";
    String rest =
        switch (data) {
          case "registers" -> "v BIGINT";
          case "lists" -> "v " + list;
          default -> "v BIGINT NOT NULL, dead INT NOT NULL";
        };
    String table = "isolab_" + data;
    boolean exists = control().getMetaData().getTables(null, null, table.toUpperCase(), null).next();
    try (var statement = control().createStatement()) {
      if (exists && !keeps) statement.execute("DROP TABLE " + table);
      if (!exists || !keeps)
        statement.execute("CREATE TABLE " + table + " (k " + key + " NOT NULL PRIMARY KEY, " + rest + ")");
    }
  }

  /** The isolation levels, as JDBC numbers them; 6 is H2's own. */
  private static final Map<String, Integer> LEVELS =
      Map.of(
          "read committed", Connection.TRANSACTION_READ_COMMITTED,
          "repeatable read", Connection.TRANSACTION_REPEATABLE_READ,
          "snapshot", 6,
          "snapshot table stability", Connection.TRANSACTION_SERIALIZABLE,
          "serializable", Connection.TRANSACTION_SERIALIZABLE);

  int levelOf(String name) {
    Integer level = this == FIREBIRD && name.equals("snapshot") ? LEVELS.get("repeatable read") : LEVELS.get(name);
    if (level == null) throw new IllegalArgumentException("there is no isolation level " + name);
    return level;
  }

  /** Firebird's code where a lock was not had in time. */
  private static final int LOCK_TIMEOUT = 335544510;

  /** Returns a statement in the words of the database. Firebird has no lists of rows, no %, and VALUE is a keyword. */
  String inItsWords(String sql) {
    if (this != FIREBIRD) return sql;
    String one = " FROM RDB\\$DATABASE";
    return sql.replaceFirst("VALUES \\((.*\\), \\(.*)\\)$", "SELECT $1" + one)
        .replaceAll("\\), \\(", one + " UNION ALL SELECT ")
        .replaceAll("(\\w+) % (\\w+)", "MOD($1, $2)")
        .replaceAll("\\bvalue\\b", "\"VALUE\"");
  }

  @Override
  public String outcomeOf(Exception thrown, boolean isCommit) {
    if (!(thrown instanceof SQLException failure)) return "error";
    String state = String.valueOf(failure.getSQLState());
    if (state.equals("40003")) return isCommit ? "lost" : "aborted"; // completion unknown
    if (state.startsWith("40")) return "aborted";
    if (state.startsWith("08")) return "lost";
    boolean isConflict =
        state.startsWith("23") // two sessions inserted the same key
            || failure.getErrorCode() == LOCK_TIMEOUT
            || state.equals("HYT00") // H2: a lock was not had in time
            || state.equals("90131") // H2: another transaction changed the row
            || state.equals("57014") // canceled
            || failure.getMessage().contains("has status ROLLING_BACK"); // H2: it is being undone already
    return isConflict && !isCommit ? "aborted" : "error";
  }
}
