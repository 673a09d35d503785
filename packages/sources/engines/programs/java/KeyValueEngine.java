import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Holds the store that all sessions use, from the first `prepare` on. */
final class KeyValueEngine implements Engine {
  private final String name;
  private final Path folder;
  private final Properties options;
  private Store store;
  /** Number of the store's folder; the greatest one is current, also after a crash. */
  private int generation;
  private int openTransactions;
  private volatile boolean holdsRows;

  KeyValueEngine(String name, String folder, Properties options) throws Exception {
    this.name = name;
    this.folder = Path.of(folder);
    this.options = options;
    try (var entries = Files.list(this.folder)) {
      generation = entries.mapToInt(entry -> Integer.parseInt(entry.getFileName().toString())).max().orElse(0);
    }
  }

  private Store newStore() throws Exception {
    return (Store) Class.forName(name).getDeclaredConstructor().newInstance();
  }

  private Store open() throws Exception {
    var opened = newStore();
    opened.open(Files.createDirectories(folder.resolve(String.valueOf(generation))), options);
    return opened;
  }

  @Override
  public String description() {
    return options.getProperty("title");
  }

  @Override
  public boolean takesSql() {
    return false;
  }

  @Override
  public boolean isVolatile() throws Exception {
    return newStore().isVolatile(options);
  }

  /** Returns whether keys stand for rows. */
  boolean holdsRows() {
    return holdsRows;
  }

  @Override
  public synchronized void prepare(String data, boolean keeps) throws Exception {
    holdsRows = data.equals("rows");
    if (store == null) store = open();
    if (keeps || store.clear()) return;
    if (openTransactions == 0) store.close(); // a session that was given up may hold it open
    generation++;
    openTransactions = 0;
    store = open();
  }

  @Override
  public Client connect() {
    return new Requests(this);
  }

  /** Returns the store for a transaction, which `end` gives back. */
  synchronized Store use() {
    openTransactions++;
    return store;
  }

  synchronized void end(Store used) {
    if (used == store) openTransactions--;
  }

  @Override
  public synchronized String outcomeOf(Exception failure, boolean isCommit) {
    return store.isAbort(failure, isCommit) ? "aborted" : "error";
  }
}
