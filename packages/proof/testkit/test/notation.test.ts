import { sameHistory, toPlain } from '@isolab/history';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryHistory, parseHistory, printHistory } from '../src/index.ts';

test.each([{}, { aborted: true, unknown: true, times: true }, { lists: true }, { repeatedValues: true }])(
  'the notation prints the histories that are generated, and parses them again: %o',
  (bounds) => {
    fc.assert(
      fc.property(arbitraryHistory(bounds), (history) => {
        const text = printHistory(history);
        const parsed = parseHistory(text);
        expect(sameHistory(parsed, history)).toBe(true);
        expect(toPlain(parsed)).toEqual(toPlain(history));
        expect(printHistory(parsed)).toBe(text);
      }),
    );
  },
);
