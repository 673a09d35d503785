import type { LevelName } from '@isolab/contract';
import { type History, OpKind, atomOf, countTransactions, showOperation, toRegisters } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { type SimulatedLevel, findWorkload, resolveParameters, simulate } from '../src/index.ts';

/** Each small enough that clients meet, and the oracle comes to an end. */
const SMALL = {
  rows: { rows: '2', operations: '3', values: '2' },
  doctors: { shifts: '1', doctors: '2' },
  booking: { rooms: '1', hours: '2', longest: '2' },
  'bank-audit': { owners: '1' },
  intersecting: { classes: '2', sums: '0', entries: '2' },
  batch: { tills: '1' },
} as const;

type Name = keyof typeof SMALL;
const NAMES = Object.keys(SMALL) as Name[];

function* tiny(name: Name, level: SimulatedLevel, count: number): Generator<History> {
  const workload = findWorkload(name)!;
  for (let seed = 0; seed < count; seed++) {
    const parameters = resolveParameters(workload, SMALL[name]);
    const { history } = simulate(workload, parameters, {
      level,
      sessions: 3,
      transactions: seed % 3 === 0 ? 2 : 1,
      counts: 'all',
      seed,
    });
    if (countTransactions(history) <= MOST) yield toRegisters(history).history;
  }
}

const MOST = 8;

const printed = ({ txnStart, ...history }: History): string =>
  Array.from(txnStart.subarray(0, -1), (first, t) =>
    Array.from({ length: txnStart[t + 1]! - first }, (_, i) => first + i),
  )
    .map((ops) => ops.map((op) => showOperation({ txnStart, ...history }, op)).join(' '))
    .join('\n');

/** Returns whether one of them violates a level. */
function isViolated(name: Name, at: SimulatedLevel, level: LevelName): boolean {
  for (const history of tiny(name, at, 1000)) if (!decide(history, level).satisfied) return true;
  return false;
}

describe.each(NAMES)('%s', (name) => {
  test.each(['serializable', 'snapshot-isolation', 'read-committed'] as const)(
    'on the simulated database at %s keeps that level',
    (level) => {
      const violating = [...tiny(name, level, 40)].filter((history) => !decide(history, level).satisfied);
      expect(violating.map((history) => printed(history))).toEqual([]);
    },
  );

  test('the workload shows at snapshot isolation unserializable anomalies, and at read committed anomalies that no snapshot shows', () => {
    expect(isViolated(name, 'snapshot-isolation', 'serializable')).toBe(true);
    expect(isViolated(name, 'read-committed', 'snapshot-isolation')).toBe(true);
  });
});

test('random SQL of points scans in a tenth of the transactions, keeps to its ids, and is serializable', () => {
  const workload = findWorkload('rows')!;
  const parameters = resolveParameters(workload, { mix: 'points', rows: '50' });
  const options = { level: 'serializable', sessions: 4, transactions: 1000, counts: 'all', seed: 1 } as const;
  const { history } = simulate(workload, parameters, options);
  const { txnStart, opKind } = history;
  const scanning = Array.from(txnStart.subarray(0, -1), (first, t) =>
    opKind.subarray(first, txnStart[t + 1]).includes(OpKind.Scan),
  ).filter(Boolean).length;
  expect(scanning / countTransactions(history)).toBeGreaterThan(0.08);
  expect(scanning / countTransactions(history)).toBeLessThan(0.12);
  expect(history.keyInitial.length).toBe(100);
  for (let seed = 0; seed < 40; seed++) {
    const small = resolveParameters(workload, { mix: 'points', rows: '2', operations: '3', values: '2' });
    const run = simulate(workload, small, { level: 'serializable', sessions: 3, transactions: 2, counts: 'all', seed });
    expect(decide(toRegisters(run.history).history, 'serializable').satisfied).toBe(true);
  }
});

test('random SQL of a set keeps to its ids, and is as serializable as its database', () => {
  const workload = findWorkload('rows')!;
  const decided = (level: 'serializable' | 'snapshot-isolation', transactions: number, seed: number): boolean => {
    const small = resolveParameters(workload, { mix: 'set', rows: '2', operations: '3', values: '2' });
    const { history } = simulate(workload, small, { level, sessions: 3, transactions, counts: 'all', seed });
    expect(history.keyInitial.length).toBeLessThanOrEqual(4);
    return decide(toRegisters(history).history, 'serializable').satisfied;
  };
  const seeds = Array.from({ length: 40 }, (_, seed) => seed);
  expect(seeds.filter((seed) => !decided('serializable', 2, seed))).toEqual([]);
  expect(seeds.filter((seed) => !decided('snapshot-isolation', 2, seed)).length).toBeGreaterThan(0);
});

test('random SQL for phantoms changes no row while it is there, and repeats scans', () => {
  const workload = findWorkload('rows')!;
  const { history } = simulate(workload, resolveParameters(workload, { mix: 'phantoms' }), {
    level: 'read-committed',
    sessions: 4,
    transactions: 100,
    seed: 1,
  });
  const { opKind, opKey, opValue, txnStart, values, scans } = history;
  const rowsPut = new Map<number, number>();
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] === OpKind.Write && atomOf(values, opValue[op]!) !== null)
      rowsPut.set(opKey[op]!, (rowsPut.get(opKey[op]!) ?? 0) + 1);
  }
  expect(new Set(opKind)).toEqual(new Set([OpKind.Write, OpKind.Scan]));
  expect(scans.aggregates).toEqual([]);
  expect(Math.max(...rowsPut.values())).toBe(1);
  expect(rowsPut.size).toBeGreaterThan(24); // more than there were in the beginning
  expect(opKind.filter((kind) => kind === OpKind.Scan).length).toBeGreaterThan(txnStart.length);
});

test('random SQL uses every kind of statement', () => {
  const workload = findWorkload('rows')!;
  const { history } = simulate(workload, resolveParameters(workload, { reuse: '0.5' }), {
    level: 'read-committed',
    sessions: 4,
    transactions: 100,
    seed: 1,
  });
  const { scans, opKind } = history;
  expect(new Set(opKind)).toEqual(new Set([OpKind.Read, OpKind.Write, OpKind.Scan]));
  expect(scans.tables).toEqual(['items', 'parts']);
  expect(new Set(scans.aggregates.map(({ kind }) => kind))).toEqual(new Set(['count', 'min', 'max']));
  expect(new Set(scans.predicates.map((predicate) => predicate === true || predicate[0])).size).toBeGreaterThan(4);
});
