import { LEVELS, type LevelName, implies } from '@isolab/contract';
import { type History, countTransactions, fromPlain, toPlain } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import {
  FAULTS,
  FAULT_NAMES,
  type FaultName,
  SIMULATED_LEVELS,
  type SimulatedLevel,
  type SimulationOptions,
  findWorkload,
  resolveParameters,
  simulate,
} from '../src/index.ts';

const ORDINARY = LEVELS.map(({ name }) => name).filter((level) => level !== 'linearizable');
/** Tiny histories of short transactions on few keys, which the oracle can decide. */
function* tinyHistories(
  count: number,
  options: Partial<SimulationOptions> & { level: SimulatedLevel },
): Generator<History> {
  const general = findWorkload('general')!;
  for (let seed = 0; seed < count; seed++) {
    const lists = options.level !== 'causal' && options.level !== 'read-atomic' && seed % 4 === 3;
    const settings = { keys: '2', operations: String(2 + (seed % 2)), lists: String(lists && !options.faults) };
    yield simulate(general, resolveParameters(general, settings), {
      sessions: 2 + (seed % 2),
      transactions: 2,
      counts: 'all',
      aborts: 0.1,
      seed,
      ...options,
    }).history;
  }
}

/** With letters for keys, as the notation has it. */
function printed(history: History): string {
  const plain = toPlain(history);
  const sessions = plain.sessions.map((session) => ({
    ...session,
    transactions: session.transactions.map((transaction) => ({
      ...transaction,
      operations: transaction.operations.map((operation) =>
        'key' in operation ? { ...operation, key: 'xy'[Number(operation.key)]! } : operation,
      ),
    })),
  }));
  return printHistory(fromPlain({ ...plain, sessions }));
}

describe.each(Object.keys(SIMULATED_LEVELS) as SimulatedLevel[])('the database at %s', (level) => {
  test('keeps the level and all weaker ones, and not all stronger ones', { timeout: 60_000 }, () => {
    const broken = new Set<LevelName>();
    for (const history of tinyHistories(250, { level, unknowns: 0.05 })) {
      for (const other of ORDINARY) {
        // A transaction whose outcome nobody learned has no end, and the oracle looks at every choice.
        if (countTransactions(history) > 7 || decide(history, other).satisfied) continue;
        if (implies(level, other)) throw new Error(`${other} is violated by\n${printed(history)}`);
        broken.add(other);
      }
    }
    const stronger = ORDINARY.filter((other) => other !== level && implies(other, level));
    expect(stronger.length === 0 || stronger.some((other) => broken.has(other))).toBe(true);
  });
});

describe.each(FAULT_NAMES)('the fault %s', (name: FaultName) => {
  const { at, breaks } = FAULTS[name];
  const kept = ORDINARY.filter((level) => implies(at, level));

  test('breaks the levels that it is said to break, and no others that the database keeps', { timeout: 60_000 }, () => {
    const missing = new Set<LevelName>(breaks);
    // A partition shows where three sessions meet, which is rare among so few transactions.
    const [count, sessions] = name === 'partition' ? [1500, 3] : [400, 2];
    for (const history of tinyHistories(count, { level: at, faults: { [name]: 0.5 }, aborts: 0.25, sessions })) {
      for (const level of kept) {
        if (countTransactions(history) > 7 || decide(history, level).satisfied) continue;
        missing.delete(level);
        if (breaks.some((broken) => implies(level, broken))) continue;
        throw new Error(`${level} is violated by\n${printed(history)}`);
      }
    }
    expect([...missing]).toEqual([]);
  });
});

test('aborted attempts can be left out, and nothing else changes', () => {
  const general = findWorkload('general')!;
  const parameters = resolveParameters(general, { keys: '3', operations: '4' });
  const options = { level: 'serializable', sessions: 6, transactions: 10, seed: 1 } as const;
  const whole = simulate(general, parameters, options);
  const committed = simulate(general, parameters, { ...options, aborted: false });
  expect(whole.aborted).toBeGreaterThan(10);
  expect({ ...committed, history: null }).toEqual({ ...whole, history: null });
  const of = (history: History) =>
    toPlain(history)
      .sessions.flatMap(({ transactions }) => transactions)
      .filter(({ status }) => status !== 'aborted');
  expect(of(committed.history)).toEqual(of(whole.history));
  expect(countTransactions(committed.history)).toBe(60);
  expect(() => simulate(general, parameters, { ...options, aborted: false, faults: { 'dirty-read': 0.1 } })).toThrow(
    'without faults',
  );
});
