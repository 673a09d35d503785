import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;

/** An engine of keys and values. Each class in stores/ is one, with a constructor without parameters. */
interface Store {
  /** Opens the engine in a folder that exists. */
  void open(Path folder, Properties options) throws Exception;

  /** Begins a transaction of the calling thread. */
  Transaction begin(String level) throws Exception;

  /** Returns whether the engine states by this exception that the transaction has no effect. */
  default boolean isAbort(Exception failure, boolean isCommit) {
    return failure instanceof Conflict;
  }

  /** Removes all keys, or returns false where a store in a new folder is simpler. */
  default boolean clear() {
    return false;
  }

  /** Returns whether the data end with the process. */
  default boolean isVolatile(Properties options) {
    return false;
  }

  /** Closes the engine, which has no open transactions. */
  void close() throws Exception;

  interface Transaction {
    /** Returns the value, or null. */
    String get(String key) throws Exception;

    void put(String key, String value) throws Exception;

    /** Reads all rows between two numbers, both included; here one after the other, for engines without order. */
    default TreeMap<String, String> range(long low, long high) throws Exception {
      if (high - low > MOST_KEYS)
        throw new IllegalArgumentException("a range of more than " + MOST_KEYS + " keys is not read");
      var found = new TreeMap<String, String>();
      for (long number = low; number <= high; number++) {
        String value = get(keyOf(number));
        if (value != null) found.put(keyOf(number), value);
      }
      return found;
    }

    void commit() throws Exception;

    /** Undoes the transaction, also after a commit that failed. */
    void rollback() throws Exception;
  }

  /** Abort of an engine that answers without an exception. */
  final class Conflict extends Exception {
    Conflict(String why) {
      super(why);
    }
  }

  long MOST_KEYS = 10_000;

  /** Returns the key of a row. Keys have the order of their numbers. */
  static String keyOf(long number) {
    return "w" + String.format("%020d", new java.math.BigInteger(Long.toUnsignedString(number ^ Long.MIN_VALUE)));
  }

  /** Returns the number of a row's key. */
  static long numberOf(String key) {
    return Long.parseUnsignedLong(key, 1, key.length(), 10) ^ Long.MIN_VALUE;
  }
}
