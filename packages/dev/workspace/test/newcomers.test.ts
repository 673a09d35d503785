import { describe, expect, test } from 'vitest';
import { missingLine, stepsOf } from '../src/newcomers/ways.ts';

test('steps have a command, an exit code and an output', () => {
  const page =
    '# A\n\n```console\n$ isolab check x # exits with 1\nviolated…\n$ isolab list levels\n```\n\n```sh\n$ no\n```\n';
  expect(stepsOf(page)).toEqual([
    { command: 'isolab check x', code: 1, expected: ['violated…'] },
    { command: 'isolab list levels', code: 0, expected: [] },
  ]);
});

describe('the printed lines', () => {
  test.each([
    [['a…c'], 'abc\n', null],
    [['…', 'b'], 'a\nb\n', null],
    [['b', 'a'], 'a\nb\n', 'a'],
    [['a.c'], 'abc\n', 'a.c'],
    [['a'], 'ab\n', 'a'],
  ])('%j in %j: %s', (expected, printed, missing) => expect(missingLine(expected, printed)).toBe(missing));
});
