import java.sql.SQLException;
import java.util.Properties;

/** An embedded database, for all sessions. */
interface Engine {
  /** Returns the engine for the arguments of the program: a name, a folder, and options. */
  static Engine of(String[] arguments) throws Exception {
    var options = new Properties();
    for (int at = 2; at < arguments.length; at++) {
      String[] option = arguments[at].split("=", 2);
      options.setProperty(option[0], option[1]);
    }
    Engine sql = SqlEngine.named(arguments[0], arguments[1], options);
    return sql != null ? sql : new KeyValueEngine(arguments[0], arguments[1], options);
  }

  String description() throws Exception;

  boolean takesSql();

  /** Returns whether the data end with the process. */
  default boolean isVolatile() throws Exception {
    return false;
  }

  /** Makes place for a kind of data, which is empty unless `keeps`. */
  void prepare(String data, boolean keeps) throws Exception;

  Client connect() throws Exception;

  /** Returns aborted, lost or error, as isolab's protocol has it. */
  String outcomeOf(Exception failure, boolean isCommit);

  static String reasonOf(Exception failure) {
    if (failure instanceof SQLException sql)
      return sql.getSQLState() + " (" + sql.getErrorCode() + "): " + sql.getMessage();
    var cause = failure.getCause();
    return failure + (cause == null ? "" : ", because of " + cause);
  }
}
