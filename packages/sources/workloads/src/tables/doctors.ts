import { type Program, defineWorkload } from '../workload/workload.ts';
import { count, insert, select, update, withId } from './asking.ts';
import { Numbers, type Table } from '../workload/table.ts';

const DOCTORS = {
  name: 'doctors',
  columns: { shift: 'integer', on_call: 'boolean' },
  index: 'shift',
} as const satisfies Table;

/** A doctor leaves only if another doctor of the shift stays. Two doctors who check concurrently both leave. */
export const doctors = defineWorkload({
  name: 'doctors',
  title: 'doctors of a shift who leave only if another one stays on call',
  source: 'Cahill, Röhm and Fekete (SSI)',
  data: 'tables',
  tables: [DOCTORS],
  parameters: {
    shifts: { default: 4, help: 'number of shifts', range: [1, 1e6] },
    doctors: { default: 3, help: 'number of doctors of a shift', range: [2, 1000] },
  },
  prepare(parameters, _sessions, _random, earlierRuns = 0) {
    const versions = new Numbers(0, earlierRuns);
    function* hire(shift: number): Program {
      for (let i = 0; i < parameters.doctors; i++) {
        const id = shift * parameters.doctors + i + 1;
        yield* insert(DOCTORS, { id, shift, on_call: true, v: versions.next() });
      }
    }
    return {
      load: Array.from({ length: parameters.shifts }, (_, shift) => () => hire(shift)),
      session: (_, random) => () => {
        const shift = random.below(parameters.shifts);
        const kind = random.weighted([
          [45, 'leave'],
          [35, 'come'],
          [20, 'audit'],
        ] as const);
        const choice = random.below(parameters.doctors);
        const who = (isOnCall: boolean) => ['and', ['=', 'shift', shift], ['=', 'on_call', isOnCall]] as const;
        return function* (): Program {
          if (kind === 'audit') return void (yield* count(DOCTORS, who(true)));
          const found = yield* select(DOCTORS, who(kind === 'leave'));
          const chosen = found[choice % Math.max(1, found.length)];
          if (chosen === undefined || (kind === 'leave' && found.length < 2)) return;
          yield* update(DOCTORS, withId(chosen.id), { on_call: kind === 'come', v: versions.next() });
        };
      },
    };
  },
});
