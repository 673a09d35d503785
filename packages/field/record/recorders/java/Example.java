import java.sql.DriverManager;
import java.util.Map;

public final class Example {
  public static void main(String[] args) throws Exception {
    try (var recorder = new IsolabRecorder("history-{pid}.jsonl", null);
        var connection = DriverManager.getConnection(System.getenv("JDBC_URL"))) {
      recorder.existing("accounts", 1, Map.of("owner", "alice", "balance", 100)); // content from before the recording
      recorder.transaction(connection, tx -> {
        try (var statement = connection.createStatement()) {
          var found = statement.executeQuery("SELECT owner, balance FROM accounts WHERE id = 1");
          found.next();
          var owner = found.getString("owner");
          var balance = found.getInt("balance");
          tx.readRow("accounts", 1, Map.of("owner", owner, "balance", balance));
          statement.executeUpdate("UPDATE accounts SET balance = " + (balance - 30) + " WHERE id = 1");
          tx.writeRow("accounts", 1, Map.of("owner", owner, "balance", balance - 30));
          return balance;
        }
      });
    }
  }
}
