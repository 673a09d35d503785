import { OpKind, TxnStatus, sameHistory, toPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryHistory, h, parseHistory, printHistory } from '../src/index.ts';

describe('the notation', () => {
  test('has a line for each session and a bar between transactions', () => {
    const history = h`
      w(x,1) | !r(x,0)
      ?r(x,1) w(y,2) @3-7
    `;
    expect([...history.sessionStart]).toEqual([0, 2, 3]);
    expect([...history.txnStatus]).toEqual([TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Unknown]);
    expect([...history.opKind]).toEqual([OpKind.Write, OpKind.Read, OpKind.Read, OpKind.Write]);
    expect(history.txnEnd![2]).toBe(7n);
  });

  test('knows every kind of operation', () => {
    const text =
      'w(x,1) r(x,nil) r(x,?) | a(l,1) r(l,[1 2]) r(l,[]) r(l,[?]) | cas(x,1,2) cas!(x,3,4) | ins(y,nil,1) ins!(y,2,3) del(y,1,9) del!(y,9,9) | range(a,c,a=1 b=2!) range(*,*)';
    expect(printHistory(parseHistory(text))).toBe(text);
    expect(new Set(parseHistory(text).opKind).size).toBe(8);
  });

  test.each([{}, { aborted: true, unknown: true, times: true }, { lists: true }, { repeatedValues: true }])(
    'prints what it parses: %o',
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

  test.each([
    ['w(x,1)\nr(x,1', 'Line 2 of a history: got "r(x,1"'],
    ['w(x,one)', 'Line 1 of a history: got the value "one", expected an integer'],
    ['foo(x,1)', 'got the operation "foo"'],
    ['w(x,1) @soon', 'got "@soon", expected times like @3-7'],
    ['range(a,b,c)', 'got the row "c"'],
  ])('says what it did not understand: %s', (text, message) => {
    expect(() => parseHistory(text)).toThrow(message);
  });
});
