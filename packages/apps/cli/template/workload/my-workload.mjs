// @ts-check
/**
 * A workload: what the clients of a database ask in their transactions. This one moves money between accounts, and looks
 * at several of them at once. Change it, and try it after each step: `isolab test ./my-workload.mjs`.
 */
import { Versions, defineWorkload, distinct, uniform } from 'isolab/plugin';

export default defineWorkload({
  name: 'my-workload',
  title: 'transfers between accounts, and looks at several of them',
  source: 'me',
  /** What keys hold: registers (read, write, compare-and-set), lists (append, read-list) or rows (insert, delete, range). */
  data: 'registers',

  /** What `--set name=value` takes. The type of the default is the type of the parameter. */
  parameters: {
    keys: { default: 8, help: 'number of accounts', range: [1, 1e9] },
    looks: { default: 0.3, help: 'share of transactions that only read', range: [0, 1], fractional: true },
  },

  /** All keys are whole numbers below this. Leave it out where that is not known before. */
  keys: ({ keys }) => keys,

  /** Called once for a history. Whatever the workload remembers belongs in here, and nothing outside. */
  prepare({ keys, looks }) {
    const versions = new Versions(); // no value may be written to a key twice: reads then tell who wrote
    const draw = uniform(keys);
    return {
      /** Transactions that fill the database before the clients begin; none here. */
      load: [],

      /** Called once for each client. All choices come from `random`: the same seed must ask for the same. */
      session: (_index, random) => () => {
        const isLook = random.chance(looks);
        const accounts = distinct(draw, keys, isLook ? 3 : 2, random);
        /** One attempt. A `yield` asks and is answered; to return is to commit, `yield { kind: 'abort' }` gives up. */
        return function* () {
          for (const key of accounts) yield { kind: 'read', key };
          if (isLook) return;
          for (const key of accounts) yield { kind: 'write', key, value: versions.next(key) };
        };
      },
    };
  },
});
