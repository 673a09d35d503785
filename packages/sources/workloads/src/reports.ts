import { type Program, Versions, defineWorkload } from './workload/workload.ts';

/**
 * Fekete, O'Neil and O'Neil's read-only anomaly: one transaction changes a and checks b, one changes b, and a read-only
 * transaction sees the new b and the old a. Any two of the three transactions are serializable.
 */
export const reports = defineWorkload({
  name: 'reports',
  title:
    'one transaction changes one key of a pair and reads the other, the second changes the other key, and the third reads both',
  source: 'Fekete, O’Neil and O’Neil: A Read-Only Transaction Anomaly Under Snapshot Isolation. SIGMOD Record 2004',
  data: 'registers',
  parameters: { pairs: { default: 6, help: 'number of pairs of keys', range: [1, 1e8] } },
  keys: ({ pairs }) => 2 * pairs,
  prepare({ pairs }) {
    const versions = new Versions();
    return {
      load: [],
      session: (_, random) => () => {
        const a = 2 * random.below(pairs);
        const b = a + 1;
        const role = random.pick(['changes a', 'changes b', 'reports'] as const);
        return function* (): Program {
          if (role === 'changes a') {
            yield { kind: 'write', key: a, value: versions.next(a) };
            yield { kind: 'read', key: b };
            return;
          }
          yield { kind: 'read', key: b };
          if (role === 'reports') yield { kind: 'read', key: a };
          else yield { kind: 'write', key: b, value: versions.next(b) };
        };
      },
    };
  },
});
