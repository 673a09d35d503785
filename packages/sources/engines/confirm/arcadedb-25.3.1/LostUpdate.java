import com.arcadedb.GlobalConfiguration;
import com.arcadedb.database.Database;
import com.arcadedb.database.DatabaseFactory;
import com.arcadedb.exception.NeedRetryException;
import com.arcadedb.exception.RecordNotFoundException;
import com.arcadedb.schema.Schema;
import com.arcadedb.schema.Type;
import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Increments two counters in transactions of ArcadeDB at repeatable read: java -cp "jars/*" LostUpdate.java SECONDS
 * THREADS. Exits with 1 if a counter is smaller than the number of its committed increments.
 */
public final class LostUpdate {
  public static void main(String[] words) throws Exception {
    long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000_000L;
    GlobalConfiguration.TX_RETRIES.setValue(0);
    Database database = new DatabaseFactory(Files.createTempDirectory("arcade").resolve("data").toString()).create();
    var type = database.getSchema().createDocumentType("counter");
    type.createProperty("k", Type.STRING);
    type.createTypeIndex(Schema.INDEX_TYPE.LSM_TREE, true, "k");
    database.transaction(() -> {
      for (String key : new String[] {"a", "b"}) database.newDocument("counter").set("k", key, "n", 0L).save();
    });
    var committed = new AtomicLong[] {new AtomicLong(), new AtomicLong()};
    var threads = new Thread[Integer.parseInt(words[1])];
    for (int number = 0; number < threads.length; number++) {
      int own = number;
      threads[number] = new Thread(() -> {
        for (int round = own; System.nanoTime() < end; round++) {
          int which = round % 2;
          try {
            database.begin(Database.TRANSACTION_ISOLATION_LEVEL.REPEATABLE_READ);
            var document = database.lookupByKey("counter", "k", which == 0 ? "a" : "b").next().asDocument().modify();
            document.set("n", document.getLong("n") + 1).save();
            database.commit();
            committed[which].incrementAndGet();
          } catch (NeedRetryException | RecordNotFoundException conflict) {
            if (database.isTransactionActive()) database.rollback();
          }
        }
      });
      threads[number].start();
    }
    for (Thread thread : threads) thread.join();
    boolean lost = false;
    for (int which = 0; which < 2; which++) {
      long value = database.lookupByKey("counter", "k", which == 0 ? "a" : "b").next().asDocument().getLong("n");
      System.out.println("Counter " + which + ": " + committed[which] + " committed increments, value " + value + ".");
      lost |= value < committed[which].get();
    }
    System.exit(lost ? 1 : 0);
  }
}
