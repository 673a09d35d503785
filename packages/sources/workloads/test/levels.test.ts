import { LEVELS, type LevelName, implies } from '@isolab/contract';
import {
  type History,
  NO_TIME,
  type TransactionId,
  TxnStatus,
  asStated,
  buildReadFrom,
  countTransactions,
  fromPlain,
  toPlain,
  transactionOf,
} from '@isolab/history';
import { decide } from '@isolab/oracle';
import { printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import {
  FAULTS,
  FAULT_NAMES,
  type FaultName,
  SERIALIZABLE_BY,
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
  const counters = findWorkload('counters')!;
  for (let seed = 0; seed < count; seed++) {
    const lists = options.level !== 'causal' && options.level !== 'read-atomic' && seed % 4 === 3;
    const settings = { keys: '2', operations: String(2 + (seed % 2)), lists: String(lists && !options.faults) };
    const adds = options.faults !== undefined && 'lost-increment' in options.faults;
    const workload = adds ? counters : general;
    const own = adds ? { keys: '2', 'min-operations': '2', 'max-operations': '3' } : settings;
    yield simulate(workload, resolveParameters(workload, own), {
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
  test('the database keeps the level and all weaker ones, and not all stronger ones', () => {
    const broken = new Set<LevelName>();
    for (const history of tinyHistories(250, { level, unknowns: 0.05 })) {
      for (const other of ORDINARY) {
        // A transaction of unknown outcome has no end, and the oracle examines every choice.
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

  test('the fault breaks the levels that it is said to break, and no others that the database keeps', () => {
    const missing = new Set<LevelName>(breaks);
    // A partition shows where three sessions meet, which is rare among few transactions.
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

describe('other ways to keep serializability', () => {
  test.each([
    ['pivots', 'strong-snapshot-isolation', true],
    ['locks', 'generalized-snapshot-isolation', false],
  ] as const)('%s keep it in real time, and %s: %s', (way, other, isKept) => {
    let [committed, all, broken] = [0, 0, 0];
    const options = { level: 'strict-serializable', rules: SERIALIZABLE_BY[way], unknowns: 0.05 } as const;
    for (const history of tinyHistories(300, options)) {
      committed += history.txnStatus.filter((status) => status === 0).length;
      all += countTransactions(history);
      if (countTransactions(history) > 7) continue;
      expect(decide(history, 'strict-serializable').satisfied ? '' : printed(history)).toBe('');
      if (!decide(history, other).satisfied) broken++;
    }
    expect(broken === 0).toBe(isKept);
    expect(committed / all).toBeGreaterThan(0.3);
  });

  test('locks let no row appear between two scans of a transaction', () => {
    const rows = findWorkload('rows')!;
    const parameters = resolveParameters(rows, { rows: '2', operations: '3', values: '2', mix: 'phantoms' });
    let judged = 0;
    for (let seed = 0; seed < 4000 && judged < 1000; seed++) {
      const { history } = simulate(rows, parameters, {
        level: 'strict-serializable',
        rules: SERIALIZABLE_BY.locks,
        sessions: 2,
        transactions: 2,
        counts: 'all',
        aborted: false,
        seed,
      });
      if (countTransactions(history) > 5 || history.scans.aggregates.length > 0) continue;
      judged++;
      expect(decide(history, 'read-atomic').satisfied ? '' : printHistory(history)).toBe('');
    }
    expect(judged).toBeGreaterThan(300);
  });

  test('pivots make the difference', () => {
    const histories = [...tinyHistories(300, { level: 'strong-snapshot-isolation' })];
    expect(histories.some((history) => !decide(history, 'serializable').satisfied)).toBe(true);
  });
});

describe('clocks of clients', () => {
  const options = { level: 'strong-snapshot-isolation', sessions: 4, transactions: 30, unknowns: 0.2 } as const;
  const run = (drift: number) => {
    const general = findWorkload('general')!;
    const parameters = resolveParameters(general, { keys: '3', operations: '3' });
    return simulate(general, parameters, { ...options, seed: 1, clocks: { drift } }).history;
  };

  test.each([0, 10_000])('clocks run forward for any drift: %i', (drift) => {
    const history = asStated(run(drift));
    const { txnBegin, txnBegun, txnCommitting, txnEnd, txnSession, txnStatus, source } = history;
    expect(source).toMatchObject({ drift, timeUnit: 'events' });
    for (const t of txnSession.keys()) {
      const times = [txnBegin, txnBegun, txnCommitting, txnEnd].map((column) => column![t]!);
      const known = times.filter((time) => time !== NO_TIME);
      expect(known).toEqual(known.toSorted((a, b) => (a < b ? -1 : 1)));
      expect(times[3] === NO_TIME).toBe(txnStatus[t] === TxnStatus.Unknown);
      if (t > 0 && txnSession[t] === txnSession[t - 1]) expect(txnBegin![t]! >= txnEnd![t - 1]!).toBe(true);
    }
    expect(new Set(txnBegun!).size).toBeGreaterThan(100);
  });

  test('clocks of clients show another order than that of the database if they differ', () => {
    /** Reads of versions of a transaction that asked to commit later than the reader had its snapshot. */
    const impossible = (history: History): number => {
      const { txnBegun, txnCommitting, txnStart } = asStated(history);
      const { readFrom } = buildReadFrom(history);
      let count = 0;
      for (let t = 0; t + 1 < txnStart.length; t++)
        for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
          const writer = readFrom[op]! < 0 ? -1 : transactionOf(history, readFrom[op]!);
          if (writer >= 0 && writer !== t && txnBegun![t]! < txnCommitting![writer]!) count++;
        }
      return count;
    };
    expect(impossible(run(0))).toBe(0);
    expect(impossible(run(10_000))).toBeGreaterThan(0);
  });

  test('clocks of clients let commits of unknown outcome come late', () => {
    /** A history whose reads saw only versions committed as soon as the longest way to the database lets it. */
    const prompt = (history: History): History => {
      const { readFrom } = buildReadFrom(history);
      const wasRead = new Set(
        Array.from(readFrom.subarray(0), (from) => (from < 0 ? -1 : transactionOf(history, from))),
      );
      const { txnStatus, txnEnd, txnCommitting } = history;
      const isLost = (t: number): boolean => txnStatus[t] === TxnStatus.Unknown && wasRead.has(t as TransactionId);
      return {
        ...history,
        txnStatus: txnStatus.map((status, t) => (isLost(t) ? TxnStatus.Committed : status)),
        txnEnd: txnEnd!.map((end, t) => (isLost(t) ? txnCommitting![t]! + 2_000n : end)),
      };
    };
    const isKept = (history: History): boolean => decide(history, 'strong-snapshot-isolation').satisfied;
    const histories = [...tinyHistories(400, { ...options, sessions: 3, transactions: 2, clocks: { drift: 0 } })];
    const small = histories.filter((history) => countTransactions(history) <= 7);
    expect(small.filter((history) => !isKept(history))).toEqual([]);
    expect(small.some((history) => !isKept(prompt(history)))).toBe(true);
  });
});
