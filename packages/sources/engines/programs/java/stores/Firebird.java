import com.sun.jna.Library;
import com.sun.jna.Native;
import java.io.File;
import java.util.function.UnaryOperator;
import org.firebirdsql.gds.impl.GDSType;
import org.firebirdsql.management.FBManager;

/** Loads Firebird's engine into this process, and gives the address of a database in a folder. */
public final class Firebird implements UnaryOperator<String> {
  private static final String RUNTIME = "firebird/embedded/runtime/";

  /** The standard library of C. */
  public interface C extends Library {
    int setenv(String name, String value, int replaces);
  }

  @Override
  public String apply(String folder) {
    var installed = new File(Firebird.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    // Libraries of the wheel do not find one another, so what they need is loaded first.
    for (String library : new String[] {"usr/lib/x86_64-linux-gnu/libtommath.so.1", RUNTIME + "libtomcrypt.so.1"})
      System.load(new File(installed, library).getPath());
    String runtime = new File(installed, RUNTIME).getPath();
    System.setProperty("jna.library.path", runtime);
    C c = Native.load("c", C.class);
    c.setenv("FIREBIRD", runtime, 1);
    c.setenv("FIREBIRD_LOCK", folder, 1);
    String file = folder + "/isolab.fdb";
    try (var manager = new FBManager(GDSType.getType("EMBEDDED"))) {
      manager.start();
      manager.setForceWrite(false);
      if (!new File(file).exists()) manager.createDatabase(file, "SYSDBA", "");
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
    // A snapshot that waits for another writer mostly fails then, and two wait for each other for seconds.
    String snapshot = ",isc_tpb_write,isc_tpb_nowait";
    return "jdbc:firebirdsql:embedded:" + file + "?user=SYSDBA&charSet=utf-8"
        + "&TRANSACTION_READ_COMMITTED=isc_tpb_read_committed,isc_tpb_read_consistency,isc_tpb_write,isc_tpb_wait,isc_tpb_lock_timeout=1"
        + "&TRANSACTION_REPEATABLE_READ=isc_tpb_concurrency" + snapshot
        + "&TRANSACTION_SERIALIZABLE=isc_tpb_consistency" + snapshot;
  }
}
