import { type History, findInvalid, toRegisters } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { type LightweightOptions, lightweightHistory } from '../src/index.ts';

const tiny = (options: Partial<LightweightOptions>): History =>
  lightweightHistory({ sessions: 3, transactions: 2, concurrent: 1, objects: 1, seed: 1, ...options });

const linearizable = (history: History): boolean => decide(toRegisters(history).history, 'linearizable').satisfied;

/** Number of pairs of operations of different sessions that overlap in time. */
function overlaps({ txnBegin, txnEnd, txnSession }: History): number {
  let count = 0;
  for (let a = 0; a < txnSession.length; a++)
    for (let b = 0; b < a; b++)
      if (txnSession[a] !== txnSession[b] && txnBegin![a]! <= txnEnd![b]! && txnBegin![b]! <= txnEnd![a]!) count++;
  return count;
}

describe('lightweight transactions', () => {
  test('lightweight transactions are linearizable, with any seed', () => {
    for (let seed = 0; seed < 60; seed++) {
      const history = tiny({ seed, concurrent: (seed % 3) / 2, objects: 1 + (seed % 2) });
      expect(findInvalid(history)).toBeNull();
      expect(linearizable(history)).toBe(true);
    }
  });

  test.each(['lost-update', 'stale-read'] as const)(
    'lightweight transactions with the fault %s are not linearizable',
    (fault) => {
      const broken = Array.from({ length: 30 }, (_, seed) => linearizable(tiny({ seed, fault })));
      expect(broken.filter((holds) => !holds).length).toBeGreaterThan(15);
    },
  );

  test('operations of a session do not overlap', () => {
    const { sessionStart, txnBegin, txnEnd } = tiny({ sessions: 4, transactions: 50 });
    for (let s = 0; s + 1 < sessionStart.length; s++)
      for (let t = sessionStart[s]! + 1; t < sessionStart[s + 1]!; t++)
        expect(txnBegin![t]!).toBeGreaterThan(txnEnd![t - 1]!);
  });

  test('lightweight transactions overlap more, the more sessions are concurrent', () => {
    const at = (concurrent: number): number => overlaps(tiny({ sessions: 10, transactions: 30, concurrent }));
    expect(at(0)).toBe(0);
    expect(at(0.5)).toBeGreaterThan(100);
    expect(at(1)).toBeGreaterThan(2 * at(0.5));
  });
});
