import { describe, expect, test } from 'vitest';
import { generate, open } from '../src/index.ts';
import { contentionOf, hasLowContention } from '@isolab/history';

const HEADER = '{"isolab":"history","version":1,"initial":0,"times":"nanoseconds"}';
const line = (session: number, begin: number, end: number | null, ops: unknown[], status = 'committed'): string =>
  JSON.stringify({ session, status, begin, ...(end !== null && { end }), ops });
const measured = async (...lines: string[]) =>
  contentionOf((await open({ text: [HEADER, ...lines].join('\n') })).prepared.history);

describe('contention', () => {
  test.each([
    ['overlap, one writes what the other reads', [0, 10, ['w', 1, 1]], [5, 20, ['r', 1, 0]], 1, 0],
    ['overlap, and the read saw it', [0, 10, ['w', 1, 1]], [5, 20, ['r', 1, 1]], 1, 1],
    ['one after the other', [0, 10, ['w', 1, 1]], [10, 20, ['r', 1, 1]], 0, 0],
    ['overlap on other keys', [0, 10, ['w', 1, 1]], [5, 20, ['r', 2, 0]], 0, 0],
    ['overlap of reads', [0, 10, ['r', 1, 0]], [5, 20, ['r', 1, 0]], 0, 0],
  ] as const)('%s', async (_, [b0, e0, op0], [b1, e1, op1], met, freshReads) => {
    const found = await measured(line(0, b0, e0, [op0]), line(1, b1, e1, [op1]));
    // The writer itself has met no writer.
    expect(found).toMatchObject({ met: met / 2, freshReads });
  });

  test('two writers meet each other, and an aborted one counts as met', async () => {
    expect(await measured(line(0, 0, 10, [['w', 1, 1]]), line(1, 5, 20, [['w', 1, 2]]))).toEqual({
      met: 1,
      freshReads: 0,
      aborted: 0,
      versionsPerKey: 2,
    });
    const aborted = await measured(line(0, 0, 10, [['w', 1, 1]]), line(1, 5, 20, [['w', 1, 2]], 'aborted'));
    expect(aborted).toMatchObject({ met: 1, aborted: 0.5, versionsPerKey: 1 });
  });

  test('contention of a transaction without a known end counts only certain overlaps, and nothing without times', async () => {
    const unknown = await measured(line(0, 0, null, [['w', 1, 1]], 'unknown'), line(1, 5, 20, [['r', 1, 1]]));
    expect(unknown).toMatchObject({ met: 0, freshReads: 0 });
    expect(hasLowContention(unknown)).toBe(true);
    const untimed = await open({ text: 'w(1,1,0,0)\nr(1,1,1,1)\n' });
    const found = contentionOf(untimed.prepared.history);
    expect(found).toMatchObject({ met: null, freshReads: null });
    expect(hasLowContention(found)).toBe(false);
  });

  test('contention agrees with all pairs', async () => {
    const options = { sessions: 6, transactions: 30, seed: 'pairs', parameters: { keys: '12', operations: '3' } };
    const { history } = await generate({ workload: 'general', ...options });
    const { txnStart, txnSession, txnStatus, opKind, opKey, txnBegin, txnEnd } = history;
    const uses = (t: number) => Array.from({ length: txnStart[t + 1]! - txnStart[t]! }, (_, i) => txnStart[t]! + i);
    const meets = (t: number, u: number): boolean =>
      txnSession[t] !== txnSession[u] &&
      txnBegin![u]! < txnEnd![t]! &&
      txnEnd![u]! > txnBegin![t]! &&
      uses(u).some((w) => opKind[w] === 1 && uses(t).some((op) => opKey[op] === opKey[w]));
    const all = Array.from(txnSession.keys());
    const committed = all.filter((t) => txnStatus[t] === 0);
    const met = committed.filter((t) => all.some((u) => meets(t, u))).length / committed.length;
    expect(met).toBeGreaterThan(0.1);
    expect(met).toBeLessThan(1);
    expect(contentionOf(history).met).toBe(met);
  });
});
