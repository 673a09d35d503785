import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

/** Registers, lists and rows as keys and values. A list is text, a row its value and whether it is a tombstone. */
final class Requests implements Client {
  private final KeyValueEngine engine;
  private Store store;
  private Store.Transaction transaction;

  Requests(KeyValueEngine engine) {
    this.engine = engine;
  }

  @Override
  public void begin(String level) throws Exception {
    rollback();
    store = engine.use();
    try {
      transaction = store.begin(level);
    } catch (Exception failure) {
      end();
      throw failure;
    }
  }

  @Override
  public void commit() throws Exception {
    transaction.commit();
    end();
  }

  @Override
  public void rollback() throws Exception {
    if (transaction == null) return;
    try {
      transaction.rollback();
    } finally {
      end();
    }
  }

  private void end() {
    engine.end(store);
    transaction = null;
  }

  @Override
  public void close() throws Exception {
    rollback();
  }

  @Override
  public void answer(JsonObject request, JsonObject answer) throws Exception {
    if (transaction == null) throw new IllegalStateException("no transaction has begun");
    String kind = request.get("kind").getAsString();
    switch (kind) {
      case "read" -> answer.add("value", read(request));
      case "write" -> write(request);
      case "compare-and-set" -> {
        boolean holds = read(request).equals(request.get("expected"));
        if (holds) write(request);
        answer.addProperty("value", holds);
      }
      case "read-list" -> answer.add("value", readList(request));
      case "append" -> {
        String list = transaction.get(keyOf('l', request));
        String value = request.get("value").getAsString();
        transaction.put(keyOf('l', request), list == null ? value : list + "," + value);
      }
      case "insert", "delete" -> answer.add("value", change(request, kind));
      case "range" -> {
        var rows = new JsonArray();
        var found = transaction.range(request.get("low").getAsLong(), request.get("high").getAsLong());
        found.forEach((key, value) -> rows.add(row(key, value)));
        answer.add("value", rows);
      }
      default -> answer.addProperty("error", kind + " is not done here");
    }
  }

  private static String keyOf(char kind, JsonObject request) {
    return kind + request.get("key").getAsString();
  }

  private static String rowKeyOf(JsonObject request) {
    return Store.keyOf(request.get("key").getAsLong());
  }

  private JsonElement read(JsonObject request) throws Exception {
    String key = engine.holdsRows() ? rowKeyOf(request) : keyOf('r', request);
    String found = transaction.get(key);
    if (found == null) return JsonNull.INSTANCE;
    return engine.holdsRows() ? row(key, found).get("value") : new JsonPrimitive(Long.parseLong(found));
  }

  private void write(JsonObject request) throws Exception {
    String value = request.get("value").getAsString();
    if (engine.holdsRows()) transaction.put(rowKeyOf(request), value + " insert");
    else transaction.put(keyOf('r', request), value);
  }

  private JsonArray readList(JsonObject request) throws Exception {
    var list = new JsonArray();
    String found = transaction.get(keyOf('l', request));
    if (found != null) for (String element : found.split(",")) list.add(Long.parseLong(element));
    return list;
  }

  /** Writes a row, or a tombstone, unless such a one is there; returns what was there. */
  private JsonArray change(JsonObject request, String kind) throws Exception {
    var rows = new JsonArray();
    String key = rowKeyOf(request);
    String found = transaction.get(key);
    if (found != null) rows.add(row(key, found));
    boolean isLive = found != null && found.endsWith(" insert");
    if (isLive != kind.equals("insert")) transaction.put(key, request.get("value").getAsString() + " " + kind);
    return rows;
  }

  private static JsonObject row(String key, String held) {
    var row = new JsonObject();
    String[] parts = held.split(" ");
    row.addProperty("key", Store.numberOf(key));
    row.addProperty("value", Long.parseLong(parts[0]));
    row.addProperty("dead", parts[1].equals("delete"));
    return row;
  }
}
