import { expect, test } from 'vitest';
import { judge } from '../../src/judgement/judge.ts';
import type { RecordOptions } from '../../src/recording/record.ts';
import { numbersFrom } from '../wire/random.ts';
import { type Line, RecordedServer } from './recorded.ts';
import { type Level, type Numbers, SCHEMA, run } from './workload.ts';

/** ISOLAB_SEED and ISOLAB_COUNT ask for others, and for more; the slow tests try four. */
const FIRST = Number(process.env['ISOLAB_SEED'] ?? 1);
const COUNT = Number(process.env['ISOLAB_COUNT'] ?? (process.env['ISOLAB_LONG'] === undefined ? 2 : 4));
const SEEDS = Array.from({ length: COUNT }, (_, i) => FIRST + i);
const LEVELS: readonly (readonly Level[])[] = [
  ['repeatable read'],
  ['serializable'],
  ['read committed'],
  ['read committed', 'repeatable read', 'serializable'],
];

const { recorded } = new RecordedServer();

test.each(SEEDS)('random transactions, seed %i', async (seed) => {
  const numbers = numbersFrom(seed);
  const hidden = hiddenFromLog(numbersFrom(seed));
  const { path, summary, problems, lines, defines, state } = await met(numbers, seed, hidden, () =>
    numbers.below(2) === 0 ? { trust: 'log' } : {},
  );
  expect(problems).toEqual([]);
  if (!defines && hidden.length === 0)
    expect(summary).toMatchObject({ outsiders: 0, withoutScans: [], log: { leftOut: {} } });
  const isTold = (row: string): boolean => {
    const [table] = JSON.parse(row) as [string];
    return table !== 'extra' && !(table in summary.log!.leftOut);
  };
  expect(finalRows(lines).filter(isTold)).toEqual(state.filter(isTold).toSorted());
  await blamesNobody(path);
});

test.each(SEEDS)('random transactions without the log, seed %i', async (seed) => {
  const { path, problems } = await met(numbersFrom(seed), seed, [], () => ({ log: false }));
  expect(problems).toEqual([]);
  await blamesNobody(path);
});

/** Recording of random clients, some of them beside the proxy, and the final rows. */
async function met(numbers: Numbers, seed: number, hidden: readonly string[], options: () => Partial<RecordOptions>) {
  const levels = LEVELS[numbers.below(LEVELS.length)]!;
  const others = numbers.below(3);
  const defines = numbers.below(4) === 0;
  let last = 100;
  const fresh = (): number => (numbers.below(3) === 0 ? 1 + numbers.below(9) : ++last);
  const state: string[] = [];
  const made = await recorded(
    `${SCHEMA}; ${hidden.join(';')}`,
    async ({ through, past }) => {
      const clients = Array.from({ length: 4 + others }, (_, i) => ({
        connect: i < 4 ? through : past,
        level: levels[numbers.below(levels.length)]!,
        numbers: numbersFrom(1000 * seed + i),
      }));
      const transactions = 5 + numbers.below(30);
      await Promise.all(
        clients.map(async ({ connect, ...client }) =>
          run(await connect(), { ...client, transactions, fresh, defines }),
        ),
      );
      const observer = await past();
      for (const table of ['items', 'lines', 'totals', 'notes']) {
        const { rows } = await observer.query<{ row: object }>(`select to_jsonb(t) as row from ${table} t`);
        for (const { row } of rows) state.push(JSON.stringify([table, sorted(row)]));
      }
    },
    options(),
  );
  return { ...made, defines, state };
}

/** PostgreSQL keeps its promises. */
async function blamesNobody(path: string): Promise<void> {
  const { promises } = await judge(path);
  for (const { level, verdict, anomalies, reason } of promises) {
    expect([level, verdict, anomalies]).not.toContain('violated');
    if (verdict === 'unknown')
      expect([level, reason]).toEqual(['serializable', expect.stringContaining('promises it only')]);
  }
}

/** Statements that keep tables, or the keys of their rows, out of the log; mostly none. */
function hiddenFromLog({ below }: Numbers): string[] {
  if (below(3) > 0) return [];
  const how = ['set unlogged', 'replica identity nothing'];
  return ['lines', 'totals', 'notes'].flatMap((table) =>
    below(2) === 0 ? [`alter table ${table} ${how[below(2)]!}`] : [],
  );
}

/** Final rows, by the file. */
function finalRows(lines: readonly Line[]): string[] {
  const rows = new Map<string, string>();
  const put = (table: unknown, key: unknown, row: unknown): void => {
    const place = JSON.stringify([table, key]);
    if (row === null) rows.delete(place);
    else rows.set(place, JSON.stringify([table, sorted(row as object)]));
  };
  for (const { rows: initial } of lines as readonly { rows?: [string, unknown, object][] }[])
    for (const row of initial ?? []) put(...row);
  const committed = lines.filter((line) => line['commitTs'] !== undefined);
  for (const { ops } of committed.toSorted((a, b) => Number(a['commitTs']) - Number(b['commitTs'])))
    for (const [kind, table, key, row] of ops!) if (kind === 'put') put(table, key, row);
  return [...rows.values()].toSorted();
}

const sorted = (row: object): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name, value]) => name !== 'xmin' && value !== null)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
