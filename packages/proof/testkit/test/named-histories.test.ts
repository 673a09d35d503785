import { LEVELS, type LevelName } from '@isolab/contract';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { NAMED_HISTORIES, namedHistory, printHistory } from '../src/index.ts';
import { PLUME_PATTERNS } from '../src/named-texts.ts';

test.each(NAMED_HISTORIES.map((named) => [named.name, named] as const))('the oracle confirms %s', (_, named) => {
  const found = LEVELS.map(({ name }) => [name, decide(named.history, name).satisfied ? 'satisfied' : 'violated']);
  expect(Object.fromEntries(found)).toEqual(named.verdicts);
});

describe('the matrix of the mini-transactions paper', () => {
  const columns = ['read-committed', 'read-atomic', 'causal', 'prefix', 'snapshot-isolation', 'serializable'] as const;
  test.each([
    ['mtc-a-thin-air-read', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-b-aborted-read', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-c-future-read', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-d-not-my-last-write', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-e-not-my-own-write', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-f-intermediate-read', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-g-non-repeatable-reads', '✓ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-g-reversed', '✓ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-h-session-guarantee-violation', '✓ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-i-non-monotonic-read', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-j-fractured-read', '✓ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-j-reversed', '✗ ✗ ✗ ✗ ✗ ✗'],
    ['mtc-k-causality-violation', '✓ ✓ ✗ ✗ ✗ ✗'],
    ['mtc-l-long-fork', '✓ ✓ ✓ ✗ ✗ ✗'],
    ['mtc-m-lost-update', '✓ ✓ ✓ ✓ ✗ ✗'],
    ['mtc-n-write-skew', '✓ ✓ ✓ ✓ ✓ ✗'],
  ])('%s', (name, row) => {
    const { verdicts } = namedHistory(name);
    expect(columns.map((level) => (verdicts[level] === 'satisfied' ? '✓' : '✗')).join(' ')).toBe(row);
  });

  test('the two versions of read committed differ on g reversed, and cut isolation rejects only g', () => {
    expect(namedHistory('mtc-g-non-repeatable-reads').verdicts['read-committed-dbcop']).toBe('satisfied');
    expect(namedHistory('mtc-g-reversed').verdicts['read-committed-dbcop']).toBe('violated');
    const rejected = NAMED_HISTORIES.filter(
      ({ name, verdicts }) => name.startsWith('mtc') && verdicts['cut-isolation'] === 'violated',
    );
    expect(rejected.map(({ name }) => name)).toEqual(['mtc-g-non-repeatable-reads', 'mtc-g-reversed']);
  });
});

describe('the patterns of Plume are prohibited by the levels that the paper states', () => {
  const prohibitedFrom: readonly (readonly [level: LevelName, letters: string])[] = [
    ['cut-isolation', 'j'],
    ['read-committed', 'abcdefghi'],
    ['read-atomic', 'abcdefghijkl'],
    ['causal', 'abcdefghijklmn'],
  ];

  test.each(prohibitedFrom)('%s: %s', (level, letters) => {
    const violated = Object.keys(PLUME_PATTERNS).filter((name) => namedHistory(name).verdicts[level] === 'violated');
    expect(violated.map((name) => name.charAt('tap-'.length)).join('')).toBe(letters);
  });
});

test.each(LEVELS.flatMap(({ name, implies }) => implies.map((weak) => [weak, name] as const)))(
  'a named history satisfies %s and violates %s',
  (weak, strong) => {
    const witness = NAMED_HISTORIES.find(
      ({ verdicts }) => verdicts[weak] === 'satisfied' && verdicts[strong] === 'violated',
    );
    expect(witness).toBeDefined();
  },
);

test.each(NAMED_HISTORIES.map(({ name, text, history }) => [name, text, history] as const))(
  'the text of %s is its printed form',
  (_, text, history) => {
    expect(printHistory(history)).toBe(text);
  },
);
