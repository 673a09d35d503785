import { FormatError } from '@isolab/formats';
import { NAMED_HISTORIES, printHistory } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { looksLikeNotation, readNotation } from '../src/worker/notation.ts';

test('every named history is read as testkit reads it', () => {
  for (const { text, history } of NAMED_HISTORIES) {
    expect(printHistory(readNotation('it', text))).toBe(printHistory(history));
    expect(looksLikeNotation(text)).toBe(text !== '');
  }
});

test('other formats do not look like it', () => {
  for (const text of ['{"isolab":1}', 'r 1 2', '[x:=1]', '{:type :invoke}', 'hello (world)', ''])
    expect(looksLikeNotation(text)).toBe(false);
});

describe('what is no notation is an error with its place', () => {
  test.each([
    ['initial\nr(x,1)', 'line 1', "found 'initial', expected initial states such as"],
    ['\ninitial 0 x\nr(x,1)', 'line 2', 'expected initial states such as'],
    ['r(x,1', 'line 1, column 1', "found 'r(x,1', expected a read"],
    ['w(x,1)\n  r(x)', 'line 2, column 3', 'expected a read'],
    ['w(x,1) | w(y,1) w(y)', 'line 1, column 17', 'expected a write'],
    ['r(1,2,3,4)', 'line 1, column 1', 'expected a read'],
    ['w(x,one)', 'line 1, column 1', 'expected a write'],
    ['w(,1)', 'line 1, column 1', 'expected a write'],
    ['r(x,[1 2)', 'line 1, column 1', 'expected a read'],
    ['r(x,[1,2])', 'line 1, column 1', 'expected a read'],
    ['cas(x,1)', 'line 1, column 1', 'expected a compare-and-set'],
    ['ins(x,1)', 'line 1, column 1', 'expected an insert'],
    ['del!(x)', 'line 1, column 1', 'expected a delete'],
    ['range(a)', 'line 1, column 1', 'expected a range read'],
    ['frob(x,1)', 'line 1, column 1', 'expected an operation'],
    ['w(x,1) and more', 'line 1, column 8', 'expected an operation'],
    ['w(x,1) @3', 'line 1, column 8', 'expected times'],
    ['w(x,1) @- r(x,1)', 'line 1, column 8', 'expected times'],
    ['!!w(x,1)', 'line 1, column 2', 'expected an operation'],
  ])('%j', (text, position, problem) => {
    expect(() => readNotation('it', text)).toThrow(FormatError);
    expect(() => readNotation('it', text)).toThrow(position);
    expect(() => readNotation('it', text)).toThrow(problem);
  });
});
