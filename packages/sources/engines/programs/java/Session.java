import com.google.gson.JsonObject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Serves one client in a thread, so that it may wait for locks alone. */
final class Session implements Runnable {
  private final Engine engine;
  private final BlockingQueue<JsonObject> requests = new LinkedBlockingQueue<>();
  private Client client;

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
      else if (client == null) throw new IllegalStateException("no transaction has begun");
      else if (request.has("commit")) client.commit();
      else if (request.has("rollback")) client.rollback();
      else if (request.has("close")) client.close();
      else client.answer(request, answer);
    } catch (StackOverflowError failure) {
      // HSQLDB's search for deadlocks may go round in a circle. A statement is not done then; else nobody knows.
      answer.addProperty(request.has("kind") ? "aborted" : "lost", failure.toString());
    } catch (Exception failure) {
      answer.addProperty(engine.outcomeOf(failure, request.has("commit")), Engine.reasonOf(failure));
    }
    return answer;
  }

  private void begin(String level) throws Exception {
    if (client == null) client = engine.connect();
    client.begin(level);
  }
}
