import type { Predicate } from '@isolab/history';
import { type Program, defineWorkload } from '../workload/workload.ts';
import { insert, remove, select, sum } from './asking.ts';
import { Numbers, type Table } from '../workload/table.ts';

const ENTRIES = {
  name: 'entries',
  columns: { class: 'integer', amount: 'integer' },
  index: 'class',
} as const satisfies Table;

/** Sums stay small, so that all databases represent them exactly. */
const MODULUS = 1000;

/**
 * Transactions that sum up one class and add an entry to the next class. Concurrent transactions in the opposite
 * direction miss each other's entries.
 */
export const intersecting = defineWorkload({
  name: 'intersecting',
  title: 'sums of the entries of one class that become entries of another',
  source: 'PostgreSQL (SSI)',
  data: 'tables',
  tables: [ENTRIES],
  parameters: {
    classes: { default: 3, help: 'number of classes', range: [2, 10_000] },
    entries: {
      default: 6,
      help: 'number of entries of a class above which old entries are removed',
      range: [1, 10_000],
    },
    sums: {
      default: 0.1,
      help: 'share of sums that the database computes: a sum reveals less about single rows than the rows do',
      range: [0, 1],
      fractional: true,
    },
  },
  prepare({ classes, entries, sums }, _sessions, _random, earlierRuns = 0) {
    const versions = new Numbers(0, earlierRuns);
    const ids = new Numbers(0, earlierRuns);
    const add = (to: number, amount: number) =>
      insert(ENTRIES, { id: ids.next(), class: to, amount: amount % MODULUS, v: versions.next() });
    function* first(to: number): Program {
      yield* add(to, to + 1);
    }
    return {
      load: Array.from({ length: classes }, (_, to) => () => first(to)),
      session: (_, random) => () => {
        const from = random.below(classes);
        const to = (from + random.between(1, classes - 1)) % classes;
        const asksForSum = random.chance(sums);
        const all: Predicate = ['=', 'class', from];
        return function* (): Program {
          if (asksForSum) return void (yield* add(to, (yield* sum(ENTRIES, all, 'amount')) ?? 0));
          const found = yield* select(ENTRIES, all);
          const total = found.reduce((sofar, { amount }) => sofar + Number(amount), 0);
          yield* add(to, total);
          if (found.length < entries) return;
          const middle = found.map(({ id }) => id).toSorted((a, b) => a - b)[Math.floor(found.length / 2)]!;
          yield* remove(ENTRIES, ['and', all, ['<', 'id', middle]]);
        };
      },
    };
  },
});
