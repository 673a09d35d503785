import type { FoundAnomaly, LevelName } from '@isolab/contract';
import { buildReadFrom } from '@isolab/history';
import { certificateProblem, h, observeForTest, parseHistory, prepare } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { type Assumptions, type ElleOptions, coverage, elle, explainer } from '../src/index.ts';

type Input = ReturnType<typeof prepare>;

const PLAIN: Assumptions = { wfrKeys: true, sequentialKeys: false, linearizableKeys: false };

async function anomalies(input: Input, level: LevelName, options: object = {}): Promise<readonly FoundAnomaly[]> {
  const { verdict } = await observeForTest(elle, input, level, { findAll: true, options });
  return verdict.status === 'violated' ? verdict.anomalies : [];
}

const patterns = (found: readonly FoundAnomaly[]): string[] => found.map(({ pattern, name }) => pattern ?? name);

describe('the kinds of anomalies', () => {
  const cases: [string, LevelName, Input, string[]][] = [
    [
      'two orders of writes',
      'read-committed-pl2',
      prepare(h`a(x,1) a(y,2)
        a(x,2) a(y,1)
        r(x,[1 2]) r(y,[1 2])`),
      ['G0'],
    ],
    [
      'two transactions that see each other',
      'read-committed-pl2',
      prepare(h`w(x,1) r(y,1)
        w(y,1) r(x,1)`),
      ['G1c'],
    ],
    ['a session that sees its own future', 'causal', prepare(h`r(x,1) | w(x,1)`), ['G1c-process']],
    [
      'a read skew',
      'plain-serializable',
      prepare(h`r(x,[]) r(y,[1])
        a(x,1) a(y,1)`),
      ['G-single-item'],
    ],
    ['a stale read in a session', 'snapshot-isolation', prepare(h`w(x,1) | r(x,0)`), ['G-single-item-process']],
    [
      'a stale read in real time',
      'strict-serializable',
      prepare(h`w(x,1) @1-2
        r(x,0) @3-4`),
      ['G-single-item-realtime'],
    ],
    [
      'a long fork',
      'adya-snapshot-isolation',
      prepare(h`a(x,1)
        a(y,1)
        r(x,[1]) r(y,[])
        r(x,[]) r(y,[1])`),
      ['G-nonadjacent-item'],
    ],
    [
      'a write skew',
      'plain-serializable',
      prepare(h`r(x,0) w(y,1)
        r(y,0) w(x,1)`),
      ['G2-item'],
    ],
    [
      'no write skew under snapshot isolation',
      'snapshot-isolation',
      prepare(h`r(x,0) w(y,1)
        r(y,0) w(x,1)`),
      [],
    ],
    [
      'a lost update that nobody saw',
      'adya-snapshot-isolation',
      prepare(h`r(x,0) w(x,1)
        r(x,0) w(x,2)`),
      ['lost-update'],
    ],
    [
      'lists that disagree',
      'read-committed-pl2',
      prepare(h`a(x,1)
        a(x,2)
        r(x,[1 2])
        r(x,[2])`),
      ['incompatible-order'],
    ],
    ['an element twice', 'read-committed-pl2', prepare(h`a(x,1) | r(x,[1 1])`), ['duplicate-elements']],
    [
      'an append to what was aborted',
      'read-committed-pl2',
      prepare(h`!a(x,1)
        a(x,2) | r(x,[1 2])`),
      ['G1a', 'dirty-update'],
    ],
    [
      'an append torn apart',
      'read-committed-pl2',
      prepare(h`a(x,1) a(x,2)
        a(x,3)
        r(x,[1 3 2])`),
      ['incompatible-order', 'G0'],
    ],
  ];
  test.each(cases)('%s at %s', async (_, level, input, expected) => {
    expect(patterns(await anomalies(input, level))).toEqual(expected);
  });

  test('all transactions that lost the same update are named', async () => {
    const input = prepare(h`r(x,[]) a(x,1)
      r(x,[]) a(x,2)
      r(x,[]) a(x,3)`);
    const [first] = await anomalies(input, 'snapshot-isolation');
    expect(first).toMatchObject({ name: 'lost-update', transactions: [0, 1, 2] });
  });
});

describe('options', () => {
  const skew = prepare(h`r(x,0) w(y,1)
    r(y,0) w(x,1)`);

  test('only the anomalies that are asked for, and those that imply them, are reported', async () => {
    expect(patterns(await anomalies(skew, 'serializable', { anomalies: 'G2' }))).toEqual(['G2-item']);
    expect(patterns(await anomalies(skew, 'serializable', { anomalies: 'lost-update, G2-item' }))).toEqual(['G2-item']);
    const other = await observeForTest(elle, skew, 'serializable', { options: { anomalies: 'G1' } });
    expect(other.verdict).toMatchObject({ status: 'unknown', reason: 'incomplete' });
    const none = await observeForTest(elle, skew, 'serializable', { options: { anomalies: 'G7' } });
    expect(none.verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
  });

  test('a history of another model is refused', async () => {
    const { verdict } = await observeForTest(elle, skew, 'serializable', { options: { model: 'list-append' } });
    expect(verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
    expect(await anomalies(skew, 'serializable', { model: 'rw-register' })).toHaveLength(1);
  });

  test('without writes that follow reads, a lost update is seen, and a cycle through its version is not', async () => {
    const input = prepare(h`w(x,1) w(y,1)
      r(x,1) w(x,2)
      r(x,1) r(y,2)
      r(x,2) w(y,2)`);
    expect(patterns(await anomalies(input, 'plain-serializable'))).toEqual(['G-single-item']);
    expect(await anomalies(input, 'plain-serializable', { wfrKeys: false })).toEqual([]);
  });

  test('keys that are taken for sequential or linearizable order their versions', async () => {
    const input = prepare(h`w(x,1) @1-2 | w(x,2) @3-4
      r(x,2) w(y,1) @5-6
      r(x,1) r(y,1) @5-6`);
    expect(await anomalies(input, 'plain-serializable')).toEqual([]);
    expect(patterns(await anomalies(input, 'plain-serializable', { sequentialKeys: true }))).toEqual(['G-single-item']);
    // Here the reader of 1 was called after 2 had been written, so 1 would come later as well.
    expect(patterns(await anomalies(input, 'plain-serializable', { linearizableKeys: true }))).toEqual([
      'G0',
      'G-single-item',
    ]);
  });
});

describe('coverage', () => {
  test('a key whose longest list shows all appends but one is in order', () => {
    const input = prepare(h`a(x,1) | a(x,2) | a(x,3) | a(y,1) | a(y,2)
      r(x,[1 2]) r(y,[]) r(x,[?])`);
    expect(coverage(input, PLAIN)).toEqual({
      reads: 3,
      resolvedReads: 2,
      keys: 2,
      orderedKeys: 1,
      versions: 5,
      orderedVersions: 3,
    });
  });

  test('registers are in order as far as writes follow reads', () => {
    const input = prepare(h`r(x,0) w(x,1) | r(x,1) w(x,2) | w(y,1)
      r(y,0) w(y,2)`);
    expect(coverage(input, PLAIN)).toMatchObject({ keys: 2, orderedKeys: 1, versions: 4, orderedVersions: 2 });
    expect(coverage(input, { ...PLAIN, wfrKeys: false })).toMatchObject({ orderedKeys: 0, orderedVersions: 0 });
  });

  test('coverage is counted in every run', async () => {
    const counters: Record<string, number> = {};
    const input = prepare(h`a(x,1)
      r(x,[1])`);
    const { info } = elle;
    const options = Object.fromEntries(
      Object.entries(info.options).map(([name, spec]) => [name, spec.default]),
    ) as unknown as ElleOptions;
    await elle.check(input, 'serializable', options, {
      certify: false,
      findAll: false,
      stage: () => {},
      count: (name, amount) => void (counters[name] = amount),
      progress: () => {},
      tick: () => {},
    });
    expect(counters).toMatchObject({ reads: 1, resolvedReads: 1, keys: 1, orderedKeys: 1 });
  });
});

describe('explanations', () => {
  const tell = async (input: Input, level: LevelName, assumptions: Assumptions = PLAIN): Promise<(string | null)[]> =>
    (await anomalies(input, level, assumptions)).map(explainer(input, assumptions));

  test('explanations present a cycle as a story', async () => {
    const input = prepare(h`a(x,1) a(y,1)
      r(x,[1]) r(y,[])`);
    expect(await tell(input, 'plain-serializable')).toEqual([
      `Let:
  T1 = append(x, 1) append(y, 1)
  T2 = r(x, [1]) r(y, [])

Then:
  - T1 < T2, because T2 observed T1’s append(x, 1) in r(x, [1]).
  - However, T2 < T1, because T2 did r(y, []), and did not observe T1’s append(y, 1), which came after the initial state: a contradiction!`,
    ]);
  });

  test('explanations say why versions are in order', async () => {
    const sessions = prepare(h`w(x,1) | w(x,2)
      r(x,2) w(y,1)
      r(x,1) r(y,1)`);
    const stories = await tell(sessions, 'plain-serializable', { ...PLAIN, sequentialKeys: true });
    expect(stories.join()).toContain('w(x, 2), which came later, if the key does not go back from {w(x, 1)} to T1');

    const shown = prepare(h`a(x,1) a(y,2)
      a(x,2) a(y,1)
      r(x,[1 2]) r(y,[1])`);
    const [cycle] = await tell(shown, 'read-committed-pl2');
    expect(cycle).toContain(
      'T1 did append(x, 1), and T2 did append(x, 2), which came later in the lists that were read',
    );
    expect(cycle).toContain(
      'T2 did append(y, 1), and T1 did append(y, 2), which came after every version of the key that was read',
    );
  });

  test('explanations name sessions and real time', async () => {
    const [session] = await tell(prepare(h`w(x,1) | r(x,0)`), 'serializable');
    expect(session).toContain('T1 < T2, because T2 comes after T1 in their session');
    const timed = prepare(h`w(x,1) @1-2
      r(x,0) @3-4`);
    const [time] = await tell(timed, 'strict-serializable');
    expect(time).toContain('T1 < T2, because T1 returned before T2 was called');
  });

  test('explanations are not given for other anomalies than cycles', async () => {
    const input = prepare(h`a(x,1) | r(x,[1 1])`);
    expect(await tell(input, 'read-committed-pl2')).toEqual([null]);
    expect(buildReadFrom(input.history).ambiguousReads).toBe(0);
  });

  test('explanations refuse a cycle that is not there', () => {
    const input = prepare(h`w(x,1)
      r(x,1)`);
    const anomaly: FoundAnomaly = { name: 'G1c', pattern: 'G1c', transactions: [0, 1] };
    expect(() => explainer(input, PLAIN)(anomaly)).toThrow('No edge from T2 to T1');
  });
});

test.each([
  ['w(x,1) @-12..17\n r(x,1) @-10', false], // reads a version whose writer had not asked to commit when it returned
  ['w(x,1) @-17\n r(x,1) @-10', true],
  ['a(x,1) @..2-\n r(x,[]) @-3..', null], // one commits after the other one had begun
])(
  'Elle derives no real-time order that contradicts the bounds of begins and commits: %s',
  async (text, isSatisfied) => {
    const input = prepare(parseHistory(text));
    const { verdict } = await observeForTest(elle, input, 'strong-snapshot-isolation', { certify: true });
    if (isSatisfied !== null) expect(verdict.status === 'satisfied').toBe(isSatisfied);
    expect(certificateProblem(input, 'strong-snapshot-isolation', verdict, 'satisfied')).toBeNull();
  },
);
