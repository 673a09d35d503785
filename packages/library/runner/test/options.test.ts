import { beforeAll, describe, expect, test } from 'vitest';
import { type Asked, type CheckerRef, resolveOptions } from '../src/index.ts';
import { loadFixture } from './support/moody.ts';

describe('options', () => {
  let moody: CheckerRef;
  beforeAll(async () => {
    moody = await loadFixture('moody-checker.mjs');
  });
  const resolve = (asked?: Asked): object => resolveOptions(moody.checker, asked);
  const defaults = { mood: 'satisfied', maxRounds: 3, pruning: true };

  test.each<[string, Asked | undefined, object]>([
    ['defaults', undefined, defaults],
    ['no variant', { variant: null, options: {} }, defaults],
    ['a variant', { variant: 'one-round' }, { ...defaults, maxRounds: 1, pruning: false }],
    ['options over a variant', { variant: 'one-round', options: { pruning: true } }, { ...defaults, maxRounds: 1 }],
    ['texts as numbers', { options: { maxRounds: '12' } }, { ...defaults, maxRounds: 12 }],
    ['texts as booleans', { options: { pruning: 'false' } }, { ...defaults, pruning: false }],
    ['names in kebab-case', { options: { 'max-rounds': 5 } }, { ...defaults, maxRounds: 5 }],
  ])('options are resolved: %s', (_, asked, expected) => {
    expect(resolve(asked)).toEqual(expected);
  });

  test.each<[string, Asked, string, string]>([
    ['an unknown option', { options: { prune: true } }, 'unknown-option', 'maxRounds (default 3): a number'],
    ['an option of every object', { options: { constructor: 'x' } }, 'unknown-option', "no option 'constructor'"],
    [
      'an unknown variant',
      { variant: 'fast' },
      'unknown-variant',
      "no variant 'fast'; expected one of\n  no-pruning: without pruning",
    ],
    ['a variant of every object', { variant: 'toString' }, 'unknown-variant', "no variant 'toString'"],
    ['a number that is none', { options: { maxRounds: 'many' } }, 'invalid-option', 'expected a number'],
    ['an empty number', { options: { maxRounds: '' } }, 'invalid-option', 'expected a number'],
    [
      'a boolean that is none',
      { options: { pruning: 'maybe' } },
      'invalid-option',
      "is 'maybe', expected true or false",
    ],
    [
      'a value outside the choices',
      { options: { mood: 'sad' } },
      'invalid-option',
      'expected one of satisfied, violated',
    ],
  ])('options refuse %s', (_, asked, code, message) => {
    expect(() => resolve(asked)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as string }),
    );
  });
});
