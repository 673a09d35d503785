import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Requests as statements on tables of our own: one key, one row. */
final class Statements implements Client {
  private final Connection connection;
  private final SqlEngine engine;
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private String isolation = "";

  Statements(Connection connection, SqlEngine engine) {
    this.connection = connection;
    this.engine = engine;
  }

  @Override
  public void begin(String level) throws SQLException {
    if (level.equals(isolation)) return;
    connection.setTransactionIsolation(engine.levelOf(level));
    isolation = level;
  }

  @Override
  public void commit() throws SQLException {
    connection.commit();
  }

  @Override
  public void rollback() throws SQLException {
    connection.rollback();
  }

  @Override
  public void close() throws SQLException {
    connection.rollback();
    connection.close();
  }

  @Override
  public void answer(JsonObject request, JsonObject answer) throws SQLException {
    switch (request.get("kind").getAsString()) {
      case "read" -> answer.add("value", read(request));
      case "write" -> write(request);
      case "read-list" -> answer.add("value", readList(keyOf(request)));
      case "append" -> append(keyOf(request), request.get("value").getAsString());
      case "compare-and-set" -> {
        boolean holds = read(request).equals(request.get("expected"));
        if (holds) write(request);
        answer.addProperty("value", holds);
      }
      case "insert" -> answer.add("value", change(request, 0));
      case "delete" -> answer.add("value", change(request, 1));
      case "sql" -> answer.add("value", sql(request.get("sql").getAsString()));
      case "range" -> answer.add("value", rows(request.get("low").getAsLong(), request.get("high").getAsLong()));
      default -> answer.addProperty("error", request.get("kind") + " is not done here");
    }
  }

  private static String keyOf(JsonObject request) {
    return request.get("key").getAsString();
  }

  private JsonElement read(JsonObject request) throws SQLException {
    if (engine.holdsRows()) {
      long key = request.get("key").getAsLong();
      JsonArray found = rows(key, key);
      return found.isEmpty() ? JsonNull.INSTANCE : found.get(0).getAsJsonObject().get("value");
    }
    try (ResultSet found = query("SELECT v FROM isolab_registers WHERE k = ?", keyOf(request))) {
      return found.next() ? new JsonPrimitive(found.getLong(1)) : JsonNull.INSTANCE;
    }
  }

  private void write(JsonObject request) throws SQLException {
    long value = request.get("value").getAsLong();
    if (engine.holdsRows()) {
      writeRow(request.get("key").getAsLong(), value, 0);
      return;
    }
    String key = keyOf(request);
    if (update("UPDATE isolab_registers SET v = ? WHERE k = ?", value, key) == 0)
      update("INSERT INTO isolab_registers (k, v) VALUES (?, ?)", key, value);
  }

  private JsonArray readList(String key) throws SQLException {
    var list = new JsonArray();
    try (ResultSet found = query("SELECT v FROM isolab_lists WHERE k = ?", key)) {
      if (found.next()) for (String element : found.getString(1).split(",")) list.add(Long.parseLong(element));
    }
    return list;
  }

  /** The database appends, not this program. */
  private void append(String key, String value) throws SQLException {
    if (update("UPDATE isolab_lists SET v = v || ? WHERE k = ?", "," + value, key) == 0)
      update("INSERT INTO isolab_lists (k, v) VALUES (?, ?)", key, value);
  }

  /** Writes a row, or a tombstone, unless what is there is such a one; gives what was there. */
  private JsonArray change(JsonObject request, int dead) throws SQLException {
    long key = request.get("key").getAsLong();
    long value = request.get("value").getAsLong();
    JsonArray found = rows(key, key);
    boolean isLive = !found.isEmpty() && !found.get(0).getAsJsonObject().get("dead").getAsBoolean();
    if (isLive == (dead == 0)) return found;
    writeRow(key, value, dead);
    return found;
  }

  private void writeRow(long key, long value, int dead) throws SQLException {
    if (update("UPDATE isolab_rows SET v = ?, dead = ? WHERE k = ?", value, dead, key) == 0)
      update("INSERT INTO isolab_rows (k, v, dead) VALUES (?, ?, ?)", key, value, dead);
  }

  private JsonArray rows(long low, long high) throws SQLException {
    var rows = new JsonArray();
    try (ResultSet found = query("SELECT k, v, dead FROM isolab_rows WHERE k BETWEEN ? AND ?", low, high)) {
      while (found.next()) {
        var row = new JsonObject();
        row.addProperty("key", found.getLong(1));
        row.addProperty("value", found.getLong(2));
        row.addProperty("dead", found.getInt(3) != 0);
        rows.add(row);
      }
    }
    return rows;
  }

  /** The rows of a statement, with the numbers of its columns, because names may be there twice. */
  private JsonArray sql(String text) throws SQLException {
    var rows = new JsonArray();
    boolean drops = text.startsWith("DROP TABLE IF EXISTS ");
    boolean defines = drops || text.startsWith("CREATE ");
    // Firebird shows a new table from commit on, and drops one only for a transaction that waits.
    if (defines) connection.commit();
    try (var statement = (defines ? engine.control() : connection).createStatement()) {
      boolean hasRows = statement.execute(engine.inItsWords(drops ? text.replace("IF EXISTS ", "") : text));
      if (!hasRows) return rows;
      try (ResultSet found = statement.getResultSet()) {
        int columns = found.getMetaData().getColumnCount();
        while (found.next()) {
          var row = new JsonObject();
          for (int at = 1; at <= columns; at++) row.addProperty("c" + at, found.getString(at));
          rows.add(row);
        }
      }
    } catch (SQLException failure) {
      if (!drops) throw failure; // Derby has no IF EXISTS
    }
    return rows;
  }

  private ResultSet query(String sql, Object... parameters) throws SQLException {
    return statement(sql, parameters).executeQuery();
  }

  private int update(String sql, Object... parameters) throws SQLException {
    return statement(sql, parameters).executeUpdate();
  }

  private PreparedStatement statement(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) prepared.put(sql, statement = connection.prepareStatement(sql));
    for (int at = 0; at < parameters.length; at++) statement.setObject(at + 1, parameters[at]);
    return statement;
  }
}
