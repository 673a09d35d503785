import com.google.gson.JsonObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** One client: a connection with a thread, so that it may wait for locks alone. */
final class Session implements Runnable {
  private final Engine engine;
  private final BlockingQueue<JsonObject> requests = new LinkedBlockingQueue<>();
  private Connection connection;
  private Statements statements;
  private String isolation = "";

  Session(Engine engine) {
    this.engine = engine;
    Thread thread = new Thread(this);
    thread.setDaemon(true);
    thread.start();
  }

  void put(JsonObject request) {
    requests.add(request);
  }

  @Override
  public void run() {
    try {
      for (boolean isOpen = true; isOpen;) {
        JsonObject request = requests.take();
        isOpen = !request.has("close");
        Main.answer(request, done(request));
      }
    } catch (InterruptedException interrupted) {
      // nobody waits for it any more
    }
  }

  private JsonObject done(JsonObject request) {
    var answer = new JsonObject();
    try {
      if (request.has("begin")) begin(request.get("begin").getAsString());
      else if (request.has("commit")) connection.commit();
      else if (request.has("rollback")) connection.rollback();
      else if (request.has("close")) close();
      else statements.answer(request, answer);
    } catch (SQLException failure) {
      boolean isCommit = request.has("commit");
      String why = failure.getSQLState() + " (" + failure.getErrorCode() + "): " + failure.getMessage();
      answer.addProperty(engine.outcomeOf(failure, isCommit), why);
    } catch (StackOverflowError failure) {
      // HSQLDB's search for deadlocks may go round in a circle. A statement is not done then; else nobody knows.
      answer.addProperty(request.has("kind") ? "aborted" : "lost", failure.toString());
    } catch (RuntimeException failure) {
      answer.addProperty("error", failure.toString());
    }
    return answer;
  }

  private void begin(String level) throws SQLException {
    if (connection == null) {
      connection = engine.connect();
      connection.setAutoCommit(false);
      statements = new Statements(connection, engine);
    }
    if (level.equals(isolation)) return;
    connection.setTransactionIsolation(Engine.levelOf(level));
    isolation = level;
  }

  private void close() throws SQLException {
    if (connection == null) return;
    connection.rollback();
    connection.close();
  }
}
