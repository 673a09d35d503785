import { type Program, defineWorkload } from '../workload/workload.ts';
import { get, insert, select, update, withId } from './asking.ts';
import { Numbers, type Table } from '../workload/table.ts';

const CONTROL = { name: 'control', columns: { batch: 'integer' }, index: 'batch' } as const satisfies Table;

const RECEIPTS = {
  name: 'receipts',
  columns: { batch: 'integer', amount: 'integer' },
  index: 'batch',
} as const satisfies Table;

/** The report on a closed batch must be final, but at snapshot isolation a receipt may be added afterwards. */
export const batch = defineWorkload({
  name: 'batch',
  title: 'receipts that go into the current batch, and reports of the batch that was closed before',
  source: 'PostgreSQL (SSI)',
  data: 'tables',
  tables: [CONTROL, RECEIPTS],
  parameters: {
    tills: { default: 2, help: 'number of tills, each with batches of its own', range: [1, 1e6] },
  },
  prepare({ tills }, _sessions, _random, earlierRuns = 0) {
    const versions = new Numbers(0, earlierRuns);
    const ids = new Numbers(0, earlierRuns);
    function* begin(till: number): Program {
      yield* insert(CONTROL, { id: till, batch: till * BATCHES_A_TILL, v: versions.next() });
    }
    return {
      load: Array.from({ length: tills }, (_, till) => () => begin(till + 1)),
      session: (_, random) => () => {
        const till = random.between(1, tills);
        const amount = random.between(1, 100);
        const kind = random.weighted([
          [50, 'receipt'],
          [20, 'close'],
          [30, 'report'],
        ] as const);
        return function* (): Program {
          const current = (yield* get(CONTROL, till))?.['batch'];
          if (typeof current !== 'number') return;
          if (kind === 'report') yield* select(RECEIPTS, ['=', 'batch', current - 1]);
          else if (kind === 'close') yield* update(CONTROL, withId(till), { batch: current + 1, v: versions.next() });
          else yield* insert(RECEIPTS, { id: ids.next(), batch: current, amount, v: versions.next() });
        };
      },
    };
  },
});

const BATCHES_A_TILL = 1_000_000;
