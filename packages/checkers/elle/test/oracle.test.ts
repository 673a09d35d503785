import { type LevelName, type Verdict, implies } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import { type History, type HistoryShape, checkShape } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { type HistoryBounds, arbitraryHistory, inputFor, observeForTest, printHistory, draws } from '@isolab/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { elle } from '../src/index.ts';

/** Checks the verdict satisfied, too, which the conformance suite does not ask of an incomplete checker. */
const KINDS: Readonly<Record<string, HistoryBounds>> = {
  registers: { atLeast: 2, aborted: true, unknown: true, times: true },
  'read-modify-writes': { atLeast: 3, readFirst: true, operations: 2, times: true },
  'stale snapshots': { atLeast: 5, transactions: 7, sessions: 4, operations: 2, disturbances: 1, times: true },
  lists: { atLeast: 2, lists: true, aborted: true, unknown: true, times: true },
  'long lists': { atLeast: 5, transactions: 7, sessions: 4, operations: 2, lists: true, times: true },
};

async function verdictOf(history: History, level: LevelName, variant: string | null = null): Promise<Verdict> {
  const run = { certify: true, findAll: true, variant };
  return (await observeForTest(elle, inputFor(elle, history), level, run)).verdict;
}

const fits = (history: History): boolean => {
  const { history: lowered, index } = inputFor(elle, history);
  return elle.info.requires.every((shapes) =>
    [shapes].flat().some((shape) => checkShape(lowered, index, shape as HistoryShape).holds),
  );
};

async function onRandom(bounds: HistoryBounds, check: (history: History) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(arbitraryHistory(bounds), async (history) => {
    if (fits(history)) await check(history);
  });
  await fc.assert(property, { numRuns: draws(60), seed: 5 });
}

describe.each(elle.info.levels)('%s', (level) => {
  test.each(Object.entries(KINDS))('Elle says nothing wrong of %s, and certifies it', async (_, bounds) => {
    await onRandom(bounds, async (history) => {
      const verdict = await verdictOf(history, level);
      if (verdict.status === 'unknown') return;
      expectTrue(history, level, verdict);
      expectCertificate(history, level, verdict);
    });
  });
});

function expectTrue(history: History, level: LevelName, { status }: Verdict): void {
  const expected = decide(history, level).satisfied ? 'satisfied' : 'violated';
  expect({ status, text: printHistory(history) }).toMatchObject({ status: expected });
}

function expectCertificate(history: History, level: LevelName, verdict: Verdict): void {
  const { history: lowered } = inputFor(elle, history);
  const certificates =
    verdict.status === 'satisfied'
      ? [verdict.certificate]
      : verdict.status === 'violated'
        ? verdict.anomalies.map(({ certificate }) => certificate)
        : [];
  for (const certificate of certificates) {
    const status = verdict.status as 'satisfied' | 'violated';
    const text = printHistory(history);
    expect({ ...verifyCertificate(lowered, level, status, certificate!), text }).toMatchObject({ ok: true });
  }
}

describe('variants whose assumptions the level promises', () => {
  const cases: [string, LevelName][] = [
    ['sequential-keys', 'snapshot-isolation'],
    ['sequential-keys', 'serializable'],
    ['linearizable-keys', 'strict-serializable'],
    ['linearizable-keys', 'strong-snapshot-isolation'],
  ];
  test.each(cases)('%s is right at %s', async (variant, level) => {
    for (const bounds of [KINDS['registers']!, KINDS['stale snapshots']!]) {
      await onRandom(bounds, async (history) => {
        const verdict = await verdictOf(history, level, variant);
        if (verdict.status === 'unknown') return;
        expectTrue(history, level, verdict);
        expectCertificate(history, level, verdict);
      });
    }
  });
});

describe('histories that leave nothing open', () => {
  test.each(['read-committed-pl2', 'plain-serializable', 'serializable', 'strict-serializable'] as const)(
    'lists are always decided at %s',
    async (level) => {
      for (const bounds of [KINDS['lists']!, KINDS['long lists']!]) {
        await onRandom(bounds, async (history) => expect((await verdictOf(history, level)).status).not.toBe('unknown'));
      }
    },
  );

  test('registers are always decided at read committed (Adya)', async () => {
    await onRandom(KINDS['registers']!, async (history) =>
      expect((await verdictOf(history, 'read-committed-pl2')).status).not.toBe('unknown'),
    );
  });

  test('read-modify-writes are always decided', async () => {
    const levels = elle.info.levels.filter((level) => implies(level, 'adya-snapshot-isolation'));
    await onRandom(KINDS['read-modify-writes']!, async (history) => {
      for (const level of levels) {
        if (level === 'strong-snapshot-isolation') continue; // real time asks for more than Elle's graph holds
        const { status } = await verdictOf(history, level);
        expect({ status, text: printHistory(history) }).not.toMatchObject({ status: 'unknown' });
      }
    });
  });
});
