import clojure.lang.LockingTransaction;
import clojure.lang.Ref;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/** Software transactional memory: each key is a Ref, which is never removed. */
public final class ClojureRefs implements Store {
  private final Map<String, Ref> refs = new ConcurrentHashMap<>();

  @Override
  public void open(Path folder, Properties options) {}

  @Override
  public Transaction begin(String level) throws Exception {
    return new Begun(level.equals("ensured reads"));
  }

  @Override
  public boolean clear() {
    refs.clear();
    return true;
  }

  @Override
  public boolean isVolatile(Properties options) {
    return true;
  }

  @Override
  public void close() {}

  /** A transaction of Clojure is one function, here of a thread that does steps until the last one. */
  private final class Begun implements Transaction {
    private final boolean ensures;
    private final LinkedBlockingQueue<FutureTask<String>> steps = new LinkedBlockingQueue<>();
    private final FutureTask<Object> whole;
    private boolean isRetried;
    private boolean isDone;

    Begun(boolean ensures) throws Exception {
      this.ensures = ensures;
      whole = new FutureTask<>(() -> LockingTransaction.runInTransaction(this::run));
      var thread = new Thread(whole);
      thread.setDaemon(true);
      thread.start();
      step(() -> null); // it has begun, and its snapshot is taken
    }

    private Object run() throws Exception {
      if (isRetried) throw new Conflict("the transaction is retried");
      isRetried = true;
      while (!isDone) {
        FutureTask<String> step = steps.take();
        step.run();
        try {
          step.get();
        } catch (java.util.concurrent.ExecutionException failure) {
          if (failure.getCause() instanceof Error retry) throw retry; // Clojure's own
          throw failure;
        }
      }
      return null;
    }

    private String step(Callable<String> does) throws Exception {
      var step = new FutureTask<>(does);
      steps.add(step);
      try {
        return step.get();
      } catch (java.util.concurrent.ExecutionException failure) {
        throw new Conflict(String.valueOf(failure.getCause()));
      }
    }

    private Ref ref(String key) {
      return refs.computeIfAbsent(key, each -> new Ref(null));
    }

    @Override
    public String get(String key) throws Exception {
      return step(
          () -> {
            if (ensures) ref(key).touch();
            return (String) ref(key).deref();
          });
    }

    @Override
    public void put(String key, String value) throws Exception {
      step(() -> (String) ref(key).set(value));
    }

    @Override
    public void commit() throws Exception {
      step(
          () -> {
            isDone = true;
            return null;
          });
      try {
        whole.get();
      } catch (java.util.concurrent.ExecutionException failure) {
        throw new Conflict(String.valueOf(failure.getCause()));
      }
    }

    @Override
    public void rollback() {
      steps.add(
          new FutureTask<>(
              () -> {
                throw new Conflict("rolled back");
              }));
    }
  }
}
