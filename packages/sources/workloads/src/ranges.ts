import { type Program, defineWorkload } from './workload/workload.ts';

const MIXES = {
  B: { insert: 20, delete: 20, read: 20, update: 20, range: 20 },
  RQH: { insert: 13, delete: 12, read: 13, update: 12, range: 50 },
  IDH: { insert: 35, delete: 35, read: 10, update: 10, range: 10 },
} as const;

/** Viper's V-Range: reads, updates, inserts, deletes and range queries on numbered rows. */
export const ranges = defineWorkload({
  name: 'ranges',
  title: 'reads, updates, inserts, deletes and range queries of rows',
  source: 'Viper (V-Range-B, -RQH, -IDH)',
  data: 'rows',
  parameters: {
    keys: { default: 2_000, help: 'number of keys that rows may have', range: [1, 1e9] },
    operations: { default: 8, help: 'operations per transaction', range: [1, 100_000] },
    mix: {
      default: 'B',
      help: 'B: equal shares; RQH: half range queries; IDH: inserts and deletes',
      choices: Object.keys(MIXES) as (keyof typeof MIXES)[],
    },
    width: { default: 10, help: 'number of keys that a range query spans; 0: any, as in the paper', range: [0, 1e9] },
  },
  prepare({ keys, operations, mix, width }) {
    let written = 0; // values are unique in the whole history: a tombstone never equals another version
    const { insert, delete: remove, read, update, range } = MIXES[mix];
    function* everything(): Program {
      yield { kind: 'range', low: 1, high: keys };
    }
    return {
      load: [everything],
      session: (_, random) => () => {
        const steps = Array.from({ length: operations }, () => {
          const kind = random.weighted([
            [insert, 'insert'],
            [remove, 'delete'],
            [read, 'read'],
            [update, 'write'],
            [range, 'range'],
          ] as const);
          const key = random.between(1, keys);
          const other = width > 0 ? Math.min(keys, key + width) : random.between(1, keys);
          return { kind, key, low: Math.min(key, other), high: Math.max(key, other) };
        });
        return function* (): Program {
          for (const { kind, key, low, high } of steps) {
            if (kind === 'range') yield { kind, low, high };
            else if (kind === 'read') yield { kind, key };
            else yield { kind, key, value: ++written };
          }
        };
      },
    };
  },
});
