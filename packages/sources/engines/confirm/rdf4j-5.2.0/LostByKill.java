import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.rdf4j.common.transaction.IsolationLevels;
import org.eclipse.rdf4j.model.IRI;
import org.eclipse.rdf4j.model.ValueFactory;
import org.eclipse.rdf4j.model.impl.SimpleValueFactory;
import org.eclipse.rdf4j.sail.SailConflictException;
import org.eclipse.rdf4j.sail.nativerdf.NativeStore;

/**
 * Lets the threads of a process raise numbers in a NativeStore, kills the process with kill −9 after a moment, and looks for
 * the acknowledged numbers in another process: java -cp "jars/*" LostByKill.java [ROUNDS [CLIENTS [FORCESYNC]]]. Exits with 1
 * if any was lost.
 */
public class LostByKill {
  static final ValueFactory MAKE = SimpleValueFactory.getInstance();
  static final IRI IS = MAKE.createIRI("isolab:is");

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 1 && arguments[0].equals("write")) write(arguments);
    else if (arguments.length > 1 && arguments[0].equals("count")) count(arguments);
    else kill(arguments);
  }

  static void kill(String[] arguments) throws Exception {
    int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5;
    String clients = arguments.length > 1 ? arguments[1] : "8";
    String sync = arguments.length > 2 ? arguments[2] : "false";
    int lost = 0;
    for (int round = 1; round <= rounds; round++) {
      String folder = Files.createTempDirectory("rdf4j").toString();
      Process writer = run("write", folder, sync, clients);
      Map<String, Integer> acknowledged = numbersOf(writer, 700_000_000L + round * 31_000_000L);
      Map<String, Integer> found = numbersOf(run("count", folder, sync), Long.MAX_VALUE / 2);
      System.out.println("round " + round + ": acknowledged " + acknowledged + ", found " + found);
      for (var one : acknowledged.entrySet()) if (found.getOrDefault(one.getKey(), 0) < one.getValue()) lost++;
    }
    System.out.println(lost + " numbers are not as they were acknowledged");
    System.exit(lost > 0 ? 1 : 0);
  }

  /** Reads lines of a client and its number until the process ends; kills it some nanoseconds after the first line. */
  static Map<String, Integer> numbersOf(Process process, long nanoseconds) throws Exception {
    var numbers = new TreeMap<String, Integer>();
    long begin = 0;
    var lines = new BufferedReader(new InputStreamReader(process.getInputStream()));
    for (String line; (line = lines.readLine()) != null; ) {
      if (begin == 0) begin = System.nanoTime();
      String[] words = line.split(" ");
      numbers.put(words[0], Integer.parseInt(words[1]));
      if (System.nanoTime() - begin > nanoseconds) process.toHandle().destroyForcibly();
    }
    process.waitFor();
    return numbers;
  }

  static Process run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("java", "-cp", System.getProperty("java.class.path")));
    command.add("LostByKill.java");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  static NativeStore open(String[] arguments) {
    var store = new NativeStore(new File(arguments[1]));
    store.setForceSync(arguments[2].equals("true"));
    store.init();
    return store;
  }

  /** Each thread raises a number of its own, in a transaction for each number. */
  static void write(String[] arguments) throws Exception {
    var store = open(arguments);
    int clients = Integer.parseInt(arguments[3]);
    for (int client = 0; client < clients; client++) {
      int own = client;
      new Thread(() -> raise(store, own)).start();
    }
  }

  static void raise(NativeStore store, int client) {
    IRI subject = MAKE.createIRI("isolab:" + client);
    try (var connection = store.getConnection()) {
      for (int number = 1; ; number++) {
        connection.begin(IsolationLevels.SERIALIZABLE);
        try {
          connection.removeStatements(subject, IS, null);
          connection.addStatement(subject, IS, MAKE.createLiteral(number));
          connection.commit();
          System.out.println(client + " " + number);
        } catch (SailConflictException conflict) {
          connection.rollback();
        }
      }
    }
  }

  static void count(String[] arguments) {
    var store = open(arguments);
    try (var connection = store.getConnection();
        var statements = connection.getStatements(null, IS, null, false)) {
      while (statements.hasNext()) {
        var found = statements.next();
        String number = found.getObject().stringValue();
        System.out.println(((IRI) found.getSubject()).getLocalName() + " " + number);
      }
    }
    System.exit(0);
  }
}
