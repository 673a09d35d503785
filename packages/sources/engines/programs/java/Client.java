import com.google.gson.JsonObject;

/** One session of an engine. */
interface Client {
  void begin(String level) throws Exception;

  /** Does a request of a transaction, and adds its value to the answer. */
  void answer(JsonObject request, JsonObject answer) throws Exception;

  void commit() throws Exception;

  void rollback() throws Exception;

  void close() throws Exception;
}
