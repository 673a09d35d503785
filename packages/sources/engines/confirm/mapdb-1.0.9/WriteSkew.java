import java.util.Map;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.TxMaker;
import org.mapdb.TxRollbackException;

/**
 * Lets two transactions of MapDB each read two keys and change one of them: java -cp mapdb-1.0.9.jar WriteSkew.java KEYS,
 * where KEYS other keys are between the two. Exits with 1 if both commit.
 */
public final class WriteSkew {
  public static void main(String[] words) {
    int keys = Integer.parseInt(words[0]);
    TxMaker maker = DBMaker.newMemoryDB().makeTxMaker();
    maker.execute((DB database) -> {
      Map<Integer, Integer> map = database.getTreeMap("map");
      for (int key = 0; key <= keys + 1; key++) map.put(key, 0);
    });
    DB one = maker.makeTx();
    DB other = maker.makeTx();
    Map<Integer, Integer> ofOne = one.getTreeMap("map");
    Map<Integer, Integer> ofOther = other.getTreeMap("map");
    int seenByOne = ofOne.get(0) + ofOne.get(keys + 1);
    int seenByOther = ofOther.get(0) + ofOther.get(keys + 1);
    ofOne.put(0, 1);
    ofOther.put(keys + 1, 1);
    try {
      one.commit();
      other.commit();
    } catch (TxRollbackException refusal) {
      System.out.println("MapDB refuses: " + refusal);
      return;
    }
    System.out.println("Both committed. Each read a sum of 0 before it added 1: " + seenByOne + ", " + seenByOther + ".");
    System.exit(1);
  }
}
