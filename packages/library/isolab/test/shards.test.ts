import { draws } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { type CheckResult, check, open } from '../src/index.ts';

type Level = 'snapshot-isolation' | 'serializable';
const KEYS = ['1', '-7', '"1"', '"käse"', '123456789012345678901', '4294967296'];
const LEVELS: readonly Level[] = ['snapshot-isolation', 'serializable'];

/** Text of a random history with timestamps. Most reads return the version that the timestamps imply. */
function randomHistory(next: (bound: number) => number, level: Level): string {
  const count = 2 + next(6);
  const times = Array.from({ length: 2 * count }, (_, i) => i + 1);
  const transactions = Array.from({ length: count }, (_, t) => {
    const [a, b] = [0, 0].map(() => times.splice(next(times.length), 1)[0]!);
    const operations = Array.from({ length: 1 + next(3) }, (__, i) => ({
      key: KEYS[next(KEYS.length)]!,
      written: next(2) === 0 ? 10 * t + i + 1 : null,
      isLucky: next(6) > 0,
    }));
    return { session: next(6), start: Math.min(a!, b!), commit: Math.max(a!, b!), operations };
  }).toSorted((a, b) => a.commit - b.commit);
  const read = (t: number, key: string, at: number, isLucky: boolean): number => {
    const own = transactions[t]!.operations.slice(0, at).findLast((op) => op.key === key && op.written !== null);
    if (own !== undefined) return own.written!;
    const seen = transactions.filter((other, i) =>
      isLucky ? (level === 'serializable' ? i < t : other.commit <= transactions[t]!.start) : i < t - 1,
    );
    return (
      seen.flatMap(({ operations }) => operations).findLast((op) => op.key === key && op.written !== null)?.written ?? 0
    );
  };
  const lines = transactions.map(({ session, start, commit, operations }, t) => {
    const ops = operations.map(({ key, written, isLucky }, i) =>
      written === null
        ? `["r",${key},${read(t, key, i, isLucky)}]`
        : next(3) === 0
          ? `["w", ${key}, ${written}]`
          : `["w",${key},${written}]`,
    );
    return `{"session":${session},"startTs":${start},"commitTs":${commit},"ops":[${ops.join()}]}`;
  });
  return ['{"isolab":"history","version":1,"initial":0}', ...lines].join('\n');
}

const judge = async (text: string, level: Level, shard?: { index: number; of: number }): Promise<CheckResult> =>
  check(await open({ text }, shard && { shard }), { level, checker: 'chronos', allowVacuous: true });

test.each(LEVELS)('at %s, a history is satisfied exactly if all of its shards are', async (level) => {
  let state = 1;
  const next = (bound: number): number => (state = (state * 48_271) % 2_147_483_647) % bound;
  const found = { satisfied: 0, violated: 0, unknown: 0 };
  for (let run = 0; run < draws(150); run++) {
    const text = randomHistory(next, level);
    const whole = await judge(text, level);
    const of = 1 + next(4);
    const shards = await Promise.all(Array.from({ length: of }, (_, i) => judge(text, level, { index: i + 1, of })));
    const verdicts = new Set(shards.map(({ verdict }) => verdict));
    const isSatisfied = verdicts.size === 1 && verdicts.has('satisfied');
    const merged = verdicts.has('violated') ? 'violated' : isSatisfied ? 'satisfied' : 'unknown';
    expect({ text, verdict: merged }).toEqual({ text, verdict: whole.verdict });
    const sizes = shards.map(({ runs }) => runs[0]!.history);
    expect(sizes.reduce((sum, { operations }) => sum + operations, 0)).toBe(whole.runs[0]!.history.operations);
    expect(new Set(sizes.map(({ transactions }) => transactions)).size).toBe(1);
    found[whole.verdict]++;
  }
  expect(Math.min(found.satisfied, found.violated)).toBeGreaterThan(draws(6));
});

test('a checker that does not trust the timestamps refuses a shard', async () => {
  const text = '{"isolab":"history","version":1}\n{"session":0,"startTs":1,"commitTs":2,"ops":[["w",1,1]]}';
  const { verdict, reason } = await check(await open({ text }, { shard: { index: 1, of: 2 } }), {
    level: 'serializable',
  });
  expect(verdict).toBe('unknown');
  expect(reason).toContain('need the operations on all keys, but only shard 1/2 of the keys was read');
});

test.each([
  [
    '["range",1,2,[]]',
    'line 2, column 17: found the operation "range", expected operations on single keys, in a shard',
  ],
  ['["r",1', 'line 2, column 17'],
])('%s in a shard is an error', async (operation, message) => {
  const text = `{"isolab":"history","version":1}\n{"ops":[${operation}],"session":0}`;
  await expect(open({ text }, { shard: { index: 1, of: 2 } })).rejects.toThrow(message);
  await expect(open({ text }, { shard: { index: 3, of: 2 } })).rejects.toThrow('expected a shard from 1/2 to 2/2');
});
