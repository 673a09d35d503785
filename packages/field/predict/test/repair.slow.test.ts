// Slow: searches a recording again for each choice of levels.
import { parseHistory } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { predict } from '../src/index.ts';
import { type Template, lowestAllocation } from '../src/robust.ts';
import { COURSEWARE, SMALLBANK, TPCC } from './support/benchmarks.ts';

const NAMES: Readonly<Record<string, string>> = { 'REPEATABLE READ': 'SI', SERIALIZABLE: 'SSI' };

async function repaired(templates: readonly Template[], order: readonly string[]): Promise<object> {
  const history = parseHistory(serialRun(templates, order));
  const found = await predict(
    { ...history, source: { ...history.source, database: 'PostgreSQL 18.4' } },
    { weaker: 'read-committed', stronger: 'serializable', boundary: 'relaxed' },
  );
  const { repairs, why } = await found.repairs();
  expect(why).toBeNull();
  const levels = new Map(order.map((program) => [program, 'RC']));
  for (const { place, level } of repairs.at(-1)?.raises ?? [])
    levels.set(order[Number(place.split(' ')[1]) - 1]!, NAMES[level]!);
  expect(repairs.at(-1)?.locks ?? []).toEqual([]);
  return Object.fromEntries(levels);
}

test.each<[string, readonly Template[], string]>([
  ['SmallBank', SMALLBANK, 'Bal TS WC Am DC WC Bal TS'],
  ['TPC-C', TPCC, 'NO Pay OS SL Del NO Pay'],
  ['Courseware', COURSEWARE, 'Open Enrol List Open Enrol List Remove'],
])('the repair of a serial run of %s by levels is the lowest robust allocation', async (_, templates, order) => {
  expect(await repaired(templates, order.split(' '))).toEqual(Object.fromEntries(lowestAllocation(templates)));
});

test('TPC-C without New-Order, and New-Order with Payment, are robust at read committed', async () => {
  expect(await repaired(TPCC, 'OS Pay SL OS Pay SL'.split(' '))).toEqual({ OS: 'RC', Pay: 'RC', SL: 'RC' });
  expect(await repaired(TPCC, 'NO Pay NO Pay'.split(' '))).toEqual({ NO: 'RC', Pay: 'RC' });
});

/**
 * Runs programs one after the other on the same rows. A column of a row is a key; columns that no program writes, and all
 * but one of the columns that the same operations access, are left out, and columns that an update only reads.
 */
function serialRun(templates: readonly Template[], order: readonly string[]): string {
  const columns = columnsOf(templates);
  const values = new Map<string, number>();
  let last = 0;
  return order
    .map((name) => {
      const { operations } = templates.find(({ program }) => program === name)!;
      return operations
        .flatMap(({ relation, variable, reads, writes }) =>
          [...(writes.length > 0 ? writes : reads)]
            .filter((column) => columns.has(`${relation} ${column}`))
            .map((column) => {
              const key = `${relation}${column}${[...variable].map((letter) => letter.charCodeAt(0)).join('')}`;
              const before = values.get(key) ?? 0;
              if (!writes.includes(column)) return `r(${key},${before})`;
              values.set(key, ++last);
              return reads.includes(column) ? `cas(${key},${before},${last})` : `w(${key},${last})`;
            }),
        )
        .join(' ');
    })
    .join('\n');
}

function columnsOf(templates: readonly Template[]): ReadonlySet<string> {
  const uses = new Map<string, string>();
  for (const [t, { operations }] of templates.entries())
    for (const [i, { relation, reads, writes }] of operations.entries())
      for (const [kind, columns] of [
        ['r', reads],
        ['w', writes],
      ] as const)
        for (const column of columns) {
          const name = `${relation} ${column}`;
          uses.set(name, `${uses.get(name) ?? relation} ${t}.${i}${kind}`);
        }
  const written = [...uses].filter(([, use]) => use.includes('w'));
  return new Set(new Map(written.map(([name, use]) => [use, name])).values());
}
