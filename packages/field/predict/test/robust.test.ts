import { randomNumbers } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { type Allocation, LEVELS, type RobustLevel, type Template, isRobust, lowestAllocation } from '../src/robust.ts';
import { COURSEWARE, SMALLBANK, TPCC, templates } from './support/benchmarks.ts';
import { isSplit, isViolated } from './support/schedules.ts';

const SETS = Number(process.env['ISOLAB_SOAK'] ?? 25);
const SEED = Number(process.env['ISOLAB_SEED'] ?? 1);

const programsOf = (all: readonly Template[]): string[] => [...new Set(all.map(({ program }) => program))];

function maximalRobust(all: readonly Template[], level: RobustLevel): string[] {
  const programs = programsOf(all);
  const subsets = Array.from({ length: 1 << programs.length }, (_, bits) =>
    programs.filter((__, i) => (bits >> i) & 1),
  );
  const allocation = new Map(programs.map((each) => [each, level]));
  const robust = subsets.filter((some) =>
    isRobust(
      all.filter(({ program }) => some.includes(program)),
      allocation,
    ),
  );
  const isMaximal = (some: readonly string[]): boolean =>
    !robust.some((other) => other.length > some.length && some.every((each) => other.includes(each)));
  return robust
    .filter(isMaximal)
    .map((some) => some.toSorted().join())
    .toSorted();
}

describe('robust subsets of a benchmark are those of the papers', () => {
  const withoutDelivery = TPCC.filter(({ program }) => program !== 'Del');
  test.each<[string, readonly Template[], RobustLevel, string[]]>([
    ['SmallBank at read committed (PVLDB 2021)', SMALLBANK, 'RC', ['Am,DC,TS', 'Bal,DC', 'Bal,TS']],
    // Its only dangerous structure is Bal, WC, TS.
    ['SmallBank at snapshot isolation (ICDE 2008)', SMALLBANK, 'SI', ['Am,Bal,DC,TS', 'Am,Bal,DC,WC', 'Am,DC,TS,WC']],
    ['TPC-C at read committed (PVLDB 2021)', withoutDelivery, 'RC', ['NO,Pay', 'OS,Pay,SL']],
    ['TPC-C at snapshot isolation (TODS 2005)', TPCC, 'SI', ['Del,NO,OS,Pay,SL']],
  ])('%s', (_, all, level, subsets) => {
    expect(maximalRobust(all, level)).toEqual(subsets);
  });
});

describe('the lowest robust allocation', () => {
  const levels = (all: readonly Template[]): object => Object.fromEntries(lowestAllocation(all));
  const lowered = (all: readonly Template[], program: string): Allocation => {
    const allocation = lowestAllocation(all);
    return new Map(allocation).set(program, LEVELS[LEVELS.indexOf(allocation.get(program)!) - 1]!);
  };

  test('SmallBank needs three serializable programs, and all schedules of three instances for a customer agree', () => {
    expect(levels(SMALLBANK)).toEqual({ Am: 'RC', Bal: 'SSI', DC: 'RC', TS: 'SSI', WC: 'SSI' });
    const three = templates('Bal RS:x[b] RC:x[b]\nTS US:x[b>b]\nWC RS:x[b] RC:x[b] UC:x[b>b]');
    expect(levels(three)).toEqual({ Bal: 'SSI', TS: 'SSI', WC: 'SSI' });
    expect(isViolated(three, lowestAllocation(three), 3, [1])).toBe(false);
    for (const { program } of three) expect(isViolated(three, lowered(three, program), 3, [1])).toBe(true);
  });

  test('TPC-C needs snapshots for its readers of several rows, and all schedules of two instances agree', () => {
    expect(levels(TPCC)).toEqual({ NO: 'RC', Pay: 'RC', OS: 'SI', SL: 'SI', Del: 'RC' });
    const two = templates('NO WOrder:s[s] WLine:v[q]\nOS ROrder:s[s] RLine:v[q]');
    expect(levels(two)).toEqual({ NO: 'RC', OS: 'SI' });
    expect(isViolated(two, lowestAllocation(two), 2, [1, 2])).toBe(false);
    expect(isViolated(two, lowered(two, 'OS'), 2, [1, 2])).toBe(true);
  });

  test('Courseware needs serializable programs, and all schedules of three instances for an enrolment agree', () => {
    expect(levels(COURSEWARE)).toEqual({ Open: 'SSI', Enrol: 'SSI', Remove: 'SSI', List: 'SSI' });
    const three = templates('Open UC:x[o>o]\nEnrol RC:x[o] UE:x[n>n]\nRemove RE:x[n] UC:x[o>o]\nList RC:x[o] RE:x[n]');
    expect(isViolated(three, lowestAllocation(three), 3, [1])).toBe(false);
    for (const { program } of three) expect(isViolated(three, lowered(three, program), 3, [1])).toBe(true);
  });
});

test(`all schedules of ${SETS} random sets of templates agree with the criterion`, () => {
  const random = randomNumbers(SEED);
  const below = (n: number): number => Math.floor(random() * n);
  const count = { robust: 0, violated: 0 };
  for (let i = 0; i < SETS; i++) {
    const all = Array.from({ length: 1 + below(2) }, (_, t) => randomTemplate(below, String(t)));
    const allocation = new Map(all.map(({ program }) => [program, LEVELS[below(3)]!]));
    const result = isViolated(all, allocation, 3, [1, 2]) ? 'violated' : 'robust';
    count[result]++;
    const isFound = result === 'violated' || (!isRobust(all, allocation) && isSplit(all, allocation, 6));
    if (isRobust(all, allocation) === isFound)
      throw new Error(`set ${i} of seed ${SEED} is ${result}: ${JSON.stringify([all, [...allocation]])}`);
  }
  expect(count.robust).toBeGreaterThan(SETS / 10);
  expect(count.violated).toBeGreaterThan(SETS / 10);
});

/** Draws at most two operations on rows of two relations with two columns. */
function randomTemplate(below: (n: number) => number, program: string): Template {
  const rows = ['A x', 'A y', 'B x', 'B y'].filter(() => below(3) > 0).slice(0, 2);
  const columns = (): string[] => ['a', 'b'].filter(() => below(3) > 0);
  const operations = rows.map((row) => {
    const [relation, variable] = row.split(' ') as [string, string];
    const kind = below(3);
    return { relation, variable, reads: kind === 1 ? [] : columns(), writes: kind === 0 ? [] : columns() };
  });
  return { program, operations };
}
