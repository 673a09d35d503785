import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.LogManager;

/**
 * Serves all sessions of one embedded database, a line of JSON for each request and each answer, as isolab's README of the
 * collector says under "One process for all sessions". Called with the name of the engine, a folder of its own, and options
 * such as tx=mvcc.
 */
public final class Main {
  private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

  public static void main(String[] arguments) throws Exception {
    System.setOut(new PrintStream(OutputStream.nullOutputStream())); // what engines print there is for their authors
    LogManager.getLogManager().reset();
    // A session whose thread ends would leave its request open.
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
    });
    Engine engine = Engine.of(arguments);
    Map<Integer, Session> sessions = new HashMap<>();
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonObject request = JsonParser.parseString(line).getAsJsonObject();
      if (request.has("hello") || request.has("prepare")) {
        answer(request, setUp(engine, request));
        continue;
      }
      int number = request.get("session").getAsInt();
      if (request.has("close")) {
        Session session = sessions.remove(number);
        if (session == null) answer(request, new JsonObject());
        else session.put(request);
      } else sessions.computeIfAbsent(number, each -> new Session(engine)).put(request);
    }
    System.exit(0); // whatever a session waits for
  }

  private static JsonObject setUp(Engine engine, JsonObject request) {
    var answer = new JsonObject();
    try {
      if (request.has("hello")) {
        answer.addProperty("database", engine.description());
        answer.addProperty("sessions", "shared");
        if (engine.takesSql()) answer.addProperty("sql", true);
        if (engine.isVolatile()) answer.addProperty("volatile", true);
      } else engine.prepare(request.get("prepare").getAsString(), request.get("keep").getAsBoolean());
    } catch (Exception failure) {
      answer.addProperty("error", Engine.reasonOf(failure));
    }
    return answer;
  }

  static synchronized void answer(JsonObject request, JsonObject answer) {
    if (request.has("id")) answer.add("id", request.get("id"));
    OUT.print(answer + "\n");
    OUT.flush();
  }
}
