import type { FoundAnomaly, LevelName } from '@isolab/contract';
import { type History, countOperations, countTransactions, locateOperation } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { NAMED_HISTORIES, h, historyOf, namedHistory, printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { partsOf } from '../src/shrink/part.ts';
import { shrink } from '../src/shrink/shrink.ts';

const violatesAt =
  (level: LevelName) =>
  (history: History): boolean =>
    !decide(history, level).satisfied;

function expectMinimal(history: History, level: LevelName): void {
  const keep = partsOf(history);
  const txns = new Uint8Array(countTransactions(history)).fill(1);
  for (let t = 0; t < txns.length; t++) expect(violatesAt(level)(keep(txns.with(t, 0)).history)).toBe(false);
  const ops = new Uint8Array(countOperations(history)).fill(1);
  for (let op = 0; op < ops.length; op++) expect(violatesAt(level)(keep(txns, ops.with(op, 0)).history)).toBe(false);
}

describe('shrink', () => {
  test.each(NAMED_HISTORIES.filter(({ verdicts }) => Object.values(verdicts).includes('violated')))(
    '$name at every level that it violates: nothing is left that could go',
    async ({ history, verdicts }) => {
      for (const level of LEVELS_TRIED.filter((name) => verdicts[name] === 'violated')) {
        const result = await shrink(history, violatesAt(level));
        expect(result.isMinimal).toBe(true);
        expect(violatesAt(level)(result.history)).toBe(true);
        expectMinimal(result.history, level);
      }
    },
  );

  test('shrink finds a lost update among a thousand transactions, with few checks, thanks to the anomaly', async () => {
    const history = longWithLostUpdate(500);
    const found = { name: 'lost-update' as const, transactions: [250, 1000] };
    const result = await shrink(history, looksLost, { anomaly: found });
    expect(printHistory(result.history)).toBe('r(x,0) w(x,1)\nr(x,0) w(x,2)');
    expect(result.checks).toBeLessThan(20);
    expect([...result.txnOf]).toEqual([250, 1000]);
    expect([...result.opOf].map((op) => locateOperation(history, op))).toEqual([
      'literal, record 251',
      'literal, record 251',
      'literal, record 1001',
      'literal, record 1001',
    ]);
  });

  test('shrink takes nothing that is unknown, and calls nothing minimal then', async () => {
    const history = longWithLostUpdate(20);
    const known = await shrink(history, looksLost);
    expect(known.isMinimal).toBe(true);
    const small = (part: History): boolean => countTransactions(part) < 5;
    const result = await shrink(history, (part) => (small(part) ? 'unknown' : looksLost(part)));
    expect(result.isMinimal).toBe(false);
    expect(countTransactions(result.history)).toBe(5);
  });

  test('shrink finds it without any hint, in about as many checks as halving takes', async () => {
    const result = await shrink(longWithLostUpdate(500), looksLost);
    expect(printHistory(result.history)).toBe('r(x,0) w(x,1)\nr(x,0) w(x,2)');
    expect(result.checks).toBeLessThan(120);
  });

  test('shrink follows the anomaly of each smaller history', async () => {
    const seen: number[] = [];
    const result = await shrink(longWithLostUpdate(500), (history) => {
      seen.push(countTransactions(history));
      return looksLost(history) && { name: 'lost-update', transactions: updatersOf(history) };
    });
    expect(countTransactions(result.history)).toBe(2);
    expect(result.anomaly?.name).toBe('lost-update');
    expect(seen.slice(0, 2)).toEqual([1001, 2]);
  });

  test('shrink stops on request, with its result so far', async () => {
    const few = await shrink(longWithLostUpdate(100), looksLost, { maxChecks: 5 });
    expect(few).toMatchObject({ checks: 5, isMinimal: false });
    expect(looksLost(few.history)).toBe(true);
    const signal = { aborted: false };
    const reports: number[] = [];
    const aborted = await shrink(longWithLostUpdate(100), looksLost, {
      signal,
      onProgress: ({ transactions }) => {
        reports.push(transactions);
        signal.aborted = reports.length === 3;
      },
    });
    expect(reports).toHaveLength(3);
    expect(aborted.isMinimal).toBe(false);
    expect(countTransactions(aborted.history)).toBe(reports[2]);
  });

  test('shrink goes back to transactions when operations went', async () => {
    const history = h`w(x,1) w(y,1)
w(z,1) w(q,1)`;
    const { history: small } = await shrink(history, (part) => {
      const has = (key: string): boolean => printHistory(part).includes(`w(${key},1)`);
      return has('x') && (has('y') ? has('z') && has('q') : has('z') === has('q'));
    });
    expect(printHistory(small).trim()).toBe('w(x,1)');
  });

  test('shrink looks for a smaller violation elsewhere if the one at hand is large', async () => {
    const chain = Array.from({ length: 9 }, (_, i) => `w(c,${i + 1})`).join('\n');
    const history = h`${chain}
w(d,1)`;
    const violates = (part: History): false | FoundAnomaly => {
      const text = printHistory(part);
      const all = Array.from(part.txnStatus.keys());
      if ((text.match(/w\(c/g) ?? []).length === 9) return { name: 'G0', transactions: all.slice(0, 9) };
      return text.includes('w(d,1)') && { name: 'G0', transactions: all.slice(-1) };
    };
    expect(countTransactions((await shrink(history, violates)).history)).toBe(1);
    expect(countTransactions((await shrink(history, violates, { retries: 0 })).history)).toBe(9);
  });

  test('shrink refuses a history that violates nothing', async () => {
    await expect(shrink(namedHistory('blind-writes').history, violatesAt('serializable'))).rejects.toThrow(RangeError);
  });

  test('shrink spells range reads as reads, and still leads back to the operations of the given history', async () => {
    const { history } = namedHistory('phantom');
    const result = await shrink(history, violatesAt('read-atomic'));
    expect(result.lowered).toBe(true);
    expect(printHistory(result.history)).toMatch(/^(ins|w|r)\(.*\nr\(/ms);
    for (const op of result.opOf) expect(op).toBeLessThan(countOperations(history));
  });
});

const LEVELS_TRIED = [
  'cut-isolation',
  'read-committed',
  'read-atomic',
  'causal',
  'snapshot-isolation',
  'strict-serializable',
  'linearizable',
] as const;

/** Two transactions that read the initial x and write it. */
const looksLost = (history: History): boolean => updatersOf(history).length === 2;

function updatersOf(history: History): number[] {
  return Array.from(history.txnStatus.keys()).filter((t) => {
    const ops = history.txnStart[t + 1]! - history.txnStart[t]!;
    return ops >= 2 && /r\(x,0\) w\(x,[12]\)/.test(printTransactionOf(history, t));
  });
}

const printTransactionOf = (history: History, t: number): string =>
  printHistory(partsOf(history)(new Uint8Array(countTransactions(history)).with(t, 1)).history).trim();

/** Twice as many transactions and one more, two of which lose an update. */
const longWithLostUpdate = (n: number): History => {
  const writes = (from: number) =>
    Array.from({ length: n }, (_, i) => ({
      status: 'committed' as const,
      operations: [{ kind: 'write' as const, key: 'y', value: BigInt(from + i) }],
    }));
  const update = (value: bigint) => ({
    status: 'committed' as const,
    operations: [
      { kind: 'read' as const, key: 'x', value: 0n },
      { kind: 'write' as const, key: 'x', value },
    ],
  });
  const first = writes(10);
  first[n / 2] = update(1n) as never;
  return historyOf([first, [...writes(100_000), update(2n)]]);
};
