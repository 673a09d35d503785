import { READ_ONLY, isReadOnly } from './read-only.ts';
import type { Random } from './workload/random.ts';
import { type Program, defineWorkload, read } from './workload/workload.ts';

/** All amounts of a counter, each counted twice, add up to less than 2^53. */
const MOST_INCREMENTS = 33;

/**
 * Counters that are incremented without reads. The amounts of a counter are different powers of three, so that a read
 * shows which increments its transaction saw, and an increment that counts twice looks like no other.
 */
export const counters = defineWorkload({
  name: 'counters',
  title: 'increments of counters that do not read (n = n + 4), and reads of counters',
  source: 'Jepsen (counter)',
  data: 'counters',
  parameters: {
    keys: { default: 4, help: 'number of counters active at a time', range: [1, 1_000_000] },
    'increments-per-key': {
      default: 32,
      help: 'number of increments after which a new counter replaces a counter',
      range: [1, MOST_INCREMENTS],
    },
    'min-operations': { default: 1, help: 'minimum number of operations per transaction', range: [1, 100_000] },
    'max-operations': { default: 4, help: 'maximum number of operations per transaction', range: [1, 100_000] },
    'read-only': READ_ONLY,
  },
  prepare(parameters) {
    const left = parameters['increments-per-key'];
    const active = Array.from({ length: parameters.keys }, (_, key) => ({ key, left }));
    let newest = parameters.keys - 1;
    return {
      load: [],
      session: (_, random) => () => {
        const low = parameters['min-operations'];
        const size = random.between(low, Math.max(low, parameters['max-operations']));
        const steps = stepsOf(size, active.length, isReadOnly(parameters, random), random);
        return function* (): Program {
          for (const { place, isRead } of steps) {
            const counter = active[place]!;
            if (isRead) {
              yield read(counter.key);
              continue;
            }
            if (counter.left === 0) Object.assign(counter, { key: ++newest, left });
            counter.left--;
            yield { kind: 'increment', key: counter.key, value: 3 ** (left - 1 - counter.left) };
          }
        };
      },
    };
  },
});

/** A transaction increments a counter at most once: otherwise a read could show a part of its increments. */
function stepsOf(size: number, places: number, onlyReads: boolean, random: Random) {
  const incremented = new Set<number>();
  return Array.from({ length: size }, () => {
    const place = random.below(places);
    const isRead = random.chance(0.5) || onlyReads || incremented.has(place);
    if (!isRead) incremented.add(place);
    return { place, isRead };
  });
}
