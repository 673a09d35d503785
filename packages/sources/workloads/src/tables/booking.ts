import type { Predicate } from '@isolab/history';
import { type Program, defineWorkload } from '../workload/workload.ts';
import { insert, remove, select } from './asking.ts';
import { Numbers, type Table } from '../workload/table.ts';

const BOOKINGS = {
  name: 'bookings',
  columns: { room: 'integer', begins: 'integer', ends: 'integer' },
  index: 'room',
} as const satisfies Table;

const overlapping = (room: number, begins: number, ends: number): Predicate => [
  'and',
  ['=', 'room', room],
  ['<', 'begins', ends],
  ['>', 'ends', begins],
];

/** A room is booked only if no booking overlaps. Two concurrent clients that both find it free both book it. */
export const booking = defineWorkload({
  name: 'booking',
  title: 'bookings of rooms for hours that must not overlap',
  source: 'PostgreSQL (SSI)',
  data: 'tables',
  tables: [BOOKINGS],
  parameters: {
    rooms: { default: 3, help: 'number of rooms', range: [1, 1e6] },
    hours: { default: 12, help: 'number of hours that can be booked', range: [2, 10_000] },
    longest: { default: 3, help: 'largest number of hours of a booking', range: [1, 1000] },
  },
  prepare({ rooms, hours, longest }, _sessions, _random, earlierRuns = 0) {
    const versions = new Numbers(0, earlierRuns);
    const ids = new Numbers(0, earlierRuns);
    return {
      load: [],
      session: (_, random) => () => {
        const room = random.below(rooms);
        const begins = random.below(hours);
        const ends = begins + random.between(1, longest);
        const kind = random.weighted([
          [50, 'book'],
          [30, 'cancel'],
          [20, 'look'],
        ] as const);
        return function* (): Program {
          const wanted = overlapping(room, begins, ends);
          if (kind === 'cancel') return void (yield* remove(BOOKINGS, wanted));
          if (kind === 'look') return void (yield* select(BOOKINGS, ['=', 'room', room]));
          const others = yield* select(BOOKINGS, wanted);
          if (others.length > 0) return;
          yield* insert(BOOKINGS, { id: ids.next(), room, begins, ends, v: versions.next() });
        };
      },
    };
  },
});
