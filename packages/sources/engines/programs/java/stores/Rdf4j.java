import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;
import org.eclipse.rdf4j.common.transaction.IsolationLevels;
import org.eclipse.rdf4j.model.IRI;
import org.eclipse.rdf4j.model.Resource;
import org.eclipse.rdf4j.model.ValueFactory;
import org.eclipse.rdf4j.model.impl.SimpleValueFactory;
import org.eclipse.rdf4j.sail.Sail;
import org.eclipse.rdf4j.sail.SailConflictException;
import org.eclipse.rdf4j.sail.SailConnection;
import org.eclipse.rdf4j.sail.memory.MemoryStore;
import org.eclipse.rdf4j.sail.nativerdf.NativeStore;

/** A key and its value are one statement. */
public final class Rdf4j implements Store {
  private static final ValueFactory MAKE = SimpleValueFactory.getInstance();
  private Sail sail;

  @Override
  public void open(Path folder, Properties options) {
    boolean isNative = options.getProperty("store").equals("native");
    sail = isNative ? new NativeStore(folder.toFile()) : new MemoryStore();
    sail.init();
  }

  @Override
  public Transaction begin(String level) {
    var connection = sail.getConnection();
    connection.begin(IsolationLevels.valueOf(level.toUpperCase()));
    return new Begun(connection);
  }

  @Override
  public boolean isAbort(Exception failure, boolean isCommit) {
    return failure instanceof SailConflictException || failure.getCause() instanceof SailConflictException;
  }

  @Override
  public boolean isVolatile(Properties options) {
    return options.getProperty("store").equals("memory");
  }

  @Override
  public void close() {
    sail.shutDown();
  }

  private static final class Begun implements Transaction {
    private final SailConnection connection;

    Begun(SailConnection connection) {
      this.connection = connection;
    }

    @Override
    public String get(String key) {
      return found(iri(key), key).get(key);
    }

    @Override
    public void put(String key, String value) {
      connection.removeStatements(iri(key), kindOf(key), null);
      connection.addStatement(iri(key), kindOf(key), MAKE.createLiteral(value));
    }

    @Override
    public TreeMap<String, String> range(long low, long high) {
      var found = found(null, Store.keyOf(low));
      return new TreeMap<>(found.subMap(Store.keyOf(low), true, Store.keyOf(high), true));
    }

    /** Returns the values of a subject, or of all, by their keys. Two values of one key are no state of a map. */
    private TreeMap<String, String> found(Resource subject, String key) {
      var found = new TreeMap<String, String>();
      try (var statements = connection.getStatements(subject, kindOf(key), null, false)) {
        while (statements.hasNext()) {
          var statement = statements.next();
          String name = ((IRI) statement.getSubject()).getLocalName();
          String other = found.put(name, statement.getObject().stringValue());
          if (other != null)
            throw new IllegalStateException(name + " has two values: " + other + " and " + found.get(name));
        }
      }
      return found;
    }

    private static IRI iri(String key) {
      return MAKE.createIRI("isolab:" + key);
    }

    /** Keys of one kind have one predicate. */
    private static IRI kindOf(String key) {
      return MAKE.createIRI("isolab:kind-" + key.charAt(0));
    }

    @Override
    public void commit() {
      connection.prepare();
      connection.commit();
      connection.close();
    }

    @Override
    public void rollback() {
      if (connection.isActive()) connection.rollback();
      connection.close();
    }
  }
}
