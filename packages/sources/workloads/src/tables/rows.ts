import type { Predicate } from '@isolab/history';
import type { Random } from '../workload/random.ts';
import { type Program, defineWorkload } from '../workload/workload.ts';
import { aggregate, count, get, insert, join, remove, select, update, withId } from './asking.ts';
import { Numbers, type Table, type TableRow } from '../workload/table.ts';

const PARTS = { name: 'parts', columns: { kind: 'integer', open: 'boolean' }, index: 'kind' } as const satisfies Table;

const ITEMS = {
  name: 'items',
  columns: { grp: 'integer', prio: 'integer', open: 'boolean', part: 'integer' },
  index: 'grp',
} as const satisfies Table;

const TABLES: readonly Table[] = [ITEMS, PARTS];

const NONE = {
  select: 0,
  again: 0,
  get: 0,
  count: 0,
  extreme: 0,
  join: 0,
  insert: 0,
  update: 0,
  delete: 0,
  change: 0,
  toggle: 0,
  add: 0,
  remove: 0,
};

const MIXES = {
  even: { ...NONE, select: 24, again: 14, get: 8, count: 6, extreme: 4, join: 6, insert: 9, update: 21, delete: 8 },
  reads: { ...NONE, select: 35, again: 25, get: 10, count: 8, extreme: 4, join: 8, insert: 3, update: 5, delete: 2 },
  writes: { ...NONE, select: 10, again: 6, get: 4, count: 3, extreme: 2, join: 3, insert: 24, update: 30, delete: 18 },
  // Rows do not change while they exist, so two different scans differ in the set of matching rows.
  phantoms: { ...NONE, select: 30, again: 40, insert: 18, delete: 12 },
  // With four statements per transaction, every tenth transaction scans.
  points: { ...NONE, select: 26, get: 500, change: 454, toggle: 20 },
  // The ids are the elements of a set. Nothing reads before it writes.
  set: { ...NONE, get: 40, add: 30, remove: 30 },
} as const satisfies Record<string, typeof NONE>;

type RowStep = keyof typeof NONE;

interface Parameters {
  readonly rows: number;
  readonly operations: number;
  readonly values: number;
  readonly mix: keyof typeof MIXES;
  readonly reuse: number;
}

export const rows = defineWorkload({
  name: 'rows',
  title: 'random SQL: inserts, updates and deletes by predicates, reads by key and by predicate, counts, joins',
  source: 'isolab',
  data: 'tables',
  tables: TABLES,
  parameters: {
    rows: { default: 12, help: 'initial number of rows of each of the two tables', range: [1, 1e6] },
    operations: { default: 4, help: 'statements per transaction', range: [1, 10_000] },
    values: { default: 6, help: 'number of values of a column', range: [2, 1e6] },
    mix: {
      default: 'even',
      help: 'even: as many reads as writes; reads: mostly reads; writes: mostly writes; phantoms: only scans, inserts and deletes; points: mostly single rows by their ids; set: ids that are added, removed and looked up',
      choices: Object.keys(MIXES) as (keyof typeof MIXES)[],
    },
    reuse: {
      default: 0,
      help: 'share of inserts with an id that was used before',
      range: [0, 1],
      fractional: true,
    },
  },
  prepare(parameters, _sessions, loading, earlierRuns = 0) {
    const writer = new Writer(parameters, earlierRuns);
    function* fill(table: Table, random: Random): Program {
      for (let i = 0; i < parameters.rows; i++) yield* insert(table, writer.newRow(table, random));
    }
    return {
      load: TABLES.map((table) => () => fill(table, loading.fork(table.name))),
      session: (_, random) => () => {
        // Drawn in advance, so that a retry makes the same requests.
        const seed = random.below(2 ** 32);
        return () => transaction(parameters, writer, random.fork(seed));
      },
    };
  },
});

function* transaction({ operations, mix, values }: Parameters, writer: Writer, random: Random): Program {
  const weights = Object.entries(MIXES[mix]).map(([step, weight]) => [weight, step as RowStep] as const);
  let last: { readonly table: Table; readonly where: Predicate } | null = null;
  for (let i = 0; i < operations; i++) {
    const table: Table = random.chance(0.7) ? ITEMS : PARTS;
    const where = condition(table, values, random);
    switch (random.weighted(weights)) {
      case 'select':
        last = { table, where };
        yield* select(table, where);
        break;
      case 'again': // the earlier condition, which should still match the same rows
        last ??= { table, where };
        yield* select(last.table, last.where);
        break;
      case 'get':
        yield* get(table, writer.someId(table, random));
        break;
      case 'count':
        yield* count(table, where);
        break;
      case 'extreme':
        yield* aggregate(table, where, { kind: random.pick(['min', 'max'] as const), column: table.index });
        break;
      case 'join':
        yield* join(ITEMS, condition(ITEMS, values, random), 'part', PARTS);
        break;
      case 'insert':
        yield* insertSome(table, writer, random);
        break;
      case 'update':
        yield* update(table, where, { ...someColumn(table, values, random), v: writer.versions.next() });
        break;
      case 'change':
        yield* update(table, withId(writer.someId(table, random)), {
          ...someColumn(table, values, random),
          v: writer.versions.next(),
        });
        break;
      case 'toggle':
        yield* toggle(table, writer, random);
        break;
      case 'add':
        yield* insert(table, writer.rowWith(table, writer.someId(table, random), random), { ifAbsent: true });
        break;
      case 'remove':
        yield* remove(table, withId(writer.someId(table, random)));
        break;
      case 'delete':
        yield* remove(table, ['and', where, withAny(table, values, random)]);
        break;
    }
  }
}

/** An id that was used before is read first, or inserted only if it is absent. */
function* insertSome(table: Table, writer: Writer, random: Random): Program {
  const row = writer.newRow(table, random);
  if (!writer.reuses(random)) return void (yield* insert(table, row));
  const id = writer.someId(table, random);
  const again = { ...row, id };
  if (random.chance(0.5)) return void (yield* insert(table, again, { ifAbsent: true }));
  if ((yield* get(table, id)) === null) yield* insert(table, again);
}

/** Deletes the row with an id or, if it is absent, inserts it, so that the number of ids stays constant. */
function* toggle(table: Table, writer: Writer, random: Random): Program {
  const id = writer.someId(table, random);
  if ((yield* get(table, id)) === null) yield* insert(table, writer.rowWith(table, id, random));
  else yield* remove(table, withId(id));
}

/** Knowledge that all sessions share about possible rows. */
class Writer {
  readonly versions: Numbers;
  readonly #parameters: Parameters;
  readonly #ids: Numbers;
  readonly #recent = new Map<Table, number[]>(TABLES.map((table) => [table, []]));

  constructor(parameters: Parameters, earlierRuns: number) {
    this.#parameters = parameters;
    this.versions = new Numbers(0, earlierRuns);
    this.#ids = new Numbers(0, earlierRuns);
  }

  newRow(table: Table, random: Random): TableRow {
    const id = this.#ids.next();
    const recent = this.#recent.get(table)!;
    recent.push(id);
    if (recent.length > 2 * this.#parameters.rows) recent.shift();
    return this.rowWith(table, id, random);
  }

  rowWith(table: Table, id: number, random: Random): TableRow {
    const columns = Object.keys(table.columns).map((column) => [column, this.#valueFor(table, column, random)]);
    return { ...Object.fromEntries(columns), id, v: this.versions.next() } as TableRow;
  }

  reuses(random: Random): boolean {
    return this.#parameters.reuse > 0 && random.chance(this.#parameters.reuse);
  }

  someId(table: Table, random: Random): number {
    const recent = this.#recent.get(table)!;
    return recent.length === 0 ? 1 : random.pick(recent);
  }

  #valueFor(table: Table, column: string, random: Random): number | boolean {
    if (column === 'part') return this.someId(PARTS, random);
    return valueOf(table, column, this.#parameters.values, random);
  }
}

const valueOf = (table: Table, column: string, values: number, random: Random): number | boolean =>
  table.columns[column] === 'boolean' ? random.chance(0.5) : random.below(values);

/** Draws a column that an update sets, often a column that conditions use. */
function someColumn(table: Table, values: number, random: Random): Record<string, number | boolean> {
  const columns = Object.keys(table.columns).filter((column) => column !== 'part');
  const column = random.chance(0.4) ? table.index : random.pick(columns);
  return { [column]: valueOf(table, column, values, random) };
}

/** Returns a condition that a few rows match: with more matches, the check is more expensive. */
function condition(table: Table, values: number, random: Random): Predicate {
  const { index } = table;
  const some = random.below(values);
  const kind = random.weighted([
    [5, 'equal'],
    [2, 'between'],
    [2, 'in'],
    [3, 'and'],
    [1, 'or'],
    [1, 'unindexed'],
    [1, 'half'],
  ] as const);
  switch (kind) {
    case 'equal':
      return ['=', index, some];
    case 'between':
      return ['between', index, some, Math.min(values - 1, some + 1)];
    case 'in':
      return ['in', index, [some, (some + 2) % values]];
    case 'and':
      return ['and', ['=', index, some], ['=', 'open', random.chance(0.5)]];
    case 'or':
      return ['or', ['=', index, some], ['and', ['=', index, (some + 1) % values], ['=', 'open', true]]];
    case 'unindexed':
      return table === ITEMS ? ['=', 'prio', some] : ['=', 'open', true];
    case 'half':
      return [random.pick(['<', '>='] as const), index, some];
  }
}

/** Adds a second condition, so that a delete leaves most of the rows. */
const withAny = (table: Table, values: number, random: Random): Predicate =>
  table === ITEMS ? ['=', 'prio', random.below(values)] : ['=', 'open', random.chance(0.5)];
