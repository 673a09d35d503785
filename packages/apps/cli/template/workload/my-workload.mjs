// @ts-check
/**
 * A workload: the requests of a database's clients in their transactions. This workload moves money between accounts, and
 * reads several accounts at once. Change it, and test it after each step: `isolab test ./my-workload.mjs`.
 */
import { Versions, defineWorkload, distinct, uniform } from 'isolab/plugin';

export default defineWorkload({
  name: 'my-workload',
  title: 'transfers between accounts, and reads of several accounts',
  source: 'me',
  /** The kind of data of the keys: registers (read, write, compare-and-set), lists (append, read-list) or rows (insert, delete, range). */
  data: 'registers',

  /** Parameters for `--set name=value`. The type of the default is the type of the parameter. */
  parameters: {
    keys: { default: 8, help: 'number of accounts', range: [1, 1e9] },
    looks: { default: 0.3, help: 'share of transactions that only read', range: [0, 1], fractional: true },
  },

  /** Bound of the keys, which are whole numbers below it. Omit it if the bound is not known in advance. */
  keys: ({ keys }) => keys,

  /** Called once for a history. All state of the workload belongs in here, not outside. */
  prepare({ keys, looks }) {
    const versions = new Versions(); // unique values for each key, so that each read determines its writer
    const draw = uniform(keys);
    return {
      /** Transactions that fill the database before the clients start; none here. */
      load: [],

      /** Called once for each client. All choices come from `random`: the same seed must produce the same requests. */
      session: (_index, random) => () => {
        const isLook = random.chance(looks);
        const accounts = distinct(draw, keys, isLook ? 3 : 2, random);
        /** One attempt. A `yield` sends a request and receives the answer; a return commits; `yield { kind: 'abort' }` aborts. */
        return function* () {
          for (const key of accounts) yield { kind: 'read', key };
          if (isLook) return;
          for (const key of accounts) yield { kind: 'write', key, value: versions.next(key) };
        };
      },
    };
  },
});
