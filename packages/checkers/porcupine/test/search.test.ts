import { Stop, certificateOf } from '@isolab/contract';
import { verifyCertificate } from '@isolab/verifier';
import type { History, PlainTransaction } from '@isolab/history';
import { TestContext, certificateProblem, h, historyOf, inputFor, observeForTest, parseHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { porcupine } from '../src/index.ts';
import { Memo } from '@isolab/graph';
import { check } from './support/run.ts';

/** All sessions at once: in every round each of them exchanges the value that another one wrote. */
function exchanges(rounds: number, sessions: number): History {
  const lines: PlainTransaction[][] = Array.from({ length: sessions }, () => []);
  for (let i = 0; i < rounds * sessions; i++) {
    const begin = BigInt(2 * sessions * Math.floor(i / sessions) + (i % sessions));
    lines[(i * 7) % sessions]!.push({
      status: 'committed',
      operations: [{ kind: 'compare-and-set', key: 'x', observed: BigInt(i), written: BigInt(i + 1), failed: false }],
      begin,
      end: begin + BigInt(sessions),
    });
  }
  return historyOf(lines);
}

/** Writes of unknown outcome, all noticed, and a value that was unwritten in its time: nothing is left untried. */
const hard = (numUnknown: number): History =>
  historyOf([
    ...Array.from({ length: numUnknown }, (_, i): PlainTransaction[] => [
      { status: 'unknown', operations: [{ kind: 'write', key: 'x', value: BigInt(i + 1) }], begin: 1n },
    ]),
    [
      { status: 'committed', operations: [{ kind: 'write', key: 'x', value: 100n }], begin: 2n, end: 3n },
      ...Array.from({ length: numUnknown }, (_, i): PlainTransaction => ({
        status: 'committed',
        operations: [{ kind: 'compare-and-set', key: 'x', observed: BigInt(i + 50), written: 0n, failed: true }],
        begin: BigInt(4 + 2 * i),
        end: BigInt(5 + 2 * i),
      })),
      { status: 'committed', operations: [{ kind: 'read', key: 'x', value: 100n }], begin: 90n, end: 91n },
      { status: 'committed', operations: [{ kind: 'read', key: 'x', value: 0n }], begin: 92n, end: 93n },
    ],
  ]);

describe('the search', () => {
  test('the search takes as many configurations as operations, where each says which comes next', () => {
    const context = new TestContext({ certify: false });
    expect(check(exchanges(1500, 20), context).status).toBe('satisfied');
    expect(context.counters['configurations']).toBe(30_000);
  });

  test('the search reports how far it came when its budget is spent', () => {
    let stop: unknown;
    try {
      check(hard(14), new TestContext({ maxSteps: 20_000 }));
    } catch (error) {
      stop = error;
    }
    expect(stop).toBeInstanceOf(Stop);
    expect((stop as Stop).message).toMatch(
      /^the steps are spent; 0 of 1 keys were found linearizable, and of the 31 operations on key x a prefix of \d+: .*; then r\(x, 0\) of transaction 17 of session 14 could not follow$/,
    );
  });

  test('the search names the last operation and the operation that could not follow', () => {
    const verdict = check(h`w(x,1) @1-2
                            r(x,0) @3-4`);
    expect(verdict).toMatchObject({ status: 'violated', anomalies: [{ name: 'stale-read', transactions: [0, 1] }] });
  });

  test('the search leaves out unnoticed operations of unknown outcome', () => {
    const context = new TestContext();
    const unknown = Array.from({ length: 30 }, (_, i) => `?w(x,${i + 2}) @1-`).join('\n');
    const history = h`${unknown}
                      w(x,1) @1-2 | r(x,1) @3-4 | r(x,1) @5-6`;
    expect(check(history, context).status).toBe('satisfied');
    expect(context.counters['configurations']).toBe(3);
  });
});

describe('violations of registers with unique values', () => {
  test.each([
    ['a stale read', parseHistory('w(x,1) @1-2 | w(x,2) @3-4\nr(x,1) @5-6')],
    ['two values that take turns', parseHistory('w(x,1) @1-9\nw(x,2) @1-9\nr(x,1) @1-2 | r(x,2) @3-4 | r(x,1) @5-6')],
    ['a read of the initial state between others', parseHistory('w(x,1) @1-2\nr(x,1) @3-4 | r(x,0) @5-6')],
  ])('%s is proved', (_, history) => {
    const verdict = check(history);
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    expect(verifyCertificate(history, 'linearizable', 'violated', verdict.anomalies[0]!.certificate!)).toEqual({
      ok: true,
    });
  });

  test('violations of registers with unique values include one of a compare-and-set, as of its read and write', () => {
    const verdict = check(parseHistory('cas(x,0,1) @1-2\ncas(x,0,2) @1-9'));
    if (verdict.status !== 'violated') throw new Error(verdict.status);
    const lowered = parseHistory('r(x,0) w(x,1) @1-2\nr(x,0) w(x,2) @1-9');
    expect(verifyCertificate(lowered, 'linearizable', 'violated', verdict.anomalies[0]!.certificate!)).toEqual({
      ok: true,
    });
  });
});

test.each([
  [
    'keys that are lists and registers',
    parseHistory('a(x,1)\nr(x,[1])\nw(x,2)'),
    /Expected every key to be a list or a register/,
  ],
  ['times that run backwards', h`w(x,1) @4-2`, /transaction 1 of session 0 returned before it was called/],
])('the search refuses %s', (_, history, detail) => {
  expect(check(history)).toMatchObject({
    status: 'unknown',
    reason: 'unsupported',
    detail: expect.stringMatching(detail),
  });
});

describe('the memo', () => {
  const none = new Int32Array(0);

  test('the memo distinguishes configurations by everything that it is given', () => {
    const memo = new Memo(1);
    const add = (state: number, words: number[], base: number, optional: number): boolean =>
      memo.add(state, Int32Array.from(words), base, words.length - 1, Int32Array.of(optional));
    expect(add(1, [-1, 5], 1, 0)).toBe(true);
    expect(add(1, [-1, 5], 1, 0)).toBe(false);
    expect(add(2, [-1, 5], 1, 0)).toBe(true);
    expect(add(1, [-1, 4], 1, 0)).toBe(true);
    expect(add(1, [-1, -1, 5], 2, 0)).toBe(true);
    expect(add(1, [-1, 5], 1, 7)).toBe(true);
    expect(memo.size).toBe(5);
  });

  test('the memo keeps 200,000 of them apart, however their hashes collide', () => {
    const memo = new Memo(0);
    const words = new Int32Array(1);
    const added = [0, 0];
    for (const round of [0, 1]) {
      for (let i = 0; i < 200_000; i++) {
        words[0] = i >> 3;
        if (memo.add(i & 7, words, 0, 0, none)) added[round]!++;
      }
    }
    expect(added).toEqual([200_000, 0]);
  });
});

test.each([
  [
    'that shows an append twice',
    `a(x,2) | r(x,[2 2])
     r(x,[])`,
    { name: 'duplicate-elements', transactions: [0, 1] },
  ],
  [
    'whose last element several may have appended',
    `a(x,3) @1-2 | a(x,1) @3-4
     a(x,2) @1-9
     a(x,2) @1-9
     r(x,[1 3 2]) @1-9`,
    { name: 'G0' },
  ],
  [
    'that shows an append twice before one that several may have made',
    `a(x,3)
     a(x,2)
     a(x,2)
     r(x,[3 3 2])`,
    { name: 'duplicate-elements', transactions: [0, 3] },
  ],
])('a list %s is evidence', async (_, text, expected) => {
  const input = inputFor(porcupine, parseHistory(text));
  const { verdict } = await observeForTest(porcupine, input, 'linearizable', { certify: true });
  expect(verdict).toMatchObject({ status: 'violated', anomalies: [expected] });
  expect(certificateOf(verdict)).toBeDefined();
  expect(certificateProblem(input, 'linearizable', verdict, 'both')).toBeNull();
});

test('a list is no evidence that an append came later if it may show it', async () => {
  const input = inputFor(
    porcupine,
    parseHistory(`a(x,2) @0-14 | r(x,[1]) @15-15 | r(x,[1 2]) @16-30
      a(x,1) @0-10
      a(x,1) @5-24`),
  );
  const { verdict } = await observeForTest(porcupine, input, 'linearizable', { certify: true });
  expect(verdict).toMatchObject({ status: 'violated' });
  expect(certificateProblem(input, 'linearizable', verdict, 'satisfied')).toBeNull();
});
