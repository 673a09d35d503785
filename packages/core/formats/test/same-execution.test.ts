import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Atom,
  type History,
  type PlainHistory,
  type PlainTransaction,
  fromPlain,
  literal,
  toPlain,
} from '@isolab/history';
import { sameExecution } from './support/same-execution.ts';
import { parseNotation } from '../src/index.ts';

/** Every transaction has a position of its own, which messages name. */
const h = (strings: TemplateStringsArray): History => fromPlain(toPlain(parseNotation(strings.raw[0]!)));

const emptyTransaction = (): PlainTransaction => ({ status: 'committed', operations: [] });

const bank = h`w(x,1) w(y,2) | r(x,1) r(y,3)
  r(x,0) w(y,3) | r(y,2)`;

const NIL_RANGE = h`initial nil
  w(y,7) range(x,z,y=7 z=nil)`;

describe('sameExecution', () => {
  test.each([
    ['itself', bank],
    [
      'other keys',
      h`w(a,1) w(b,2) | r(a,1) r(b,3)
      r(a,0) w(b,3) | r(b,2)`,
    ],
    [
      'other values',
      h`w(x,7) w(y,7) | r(x,7) r(y,8)
      r(x,0) w(y,8) | r(y,7)`,
    ],
    [
      'another spelling of the initial state',
      h`initial nil
      w(x,1) w(y,2) | r(x,1) r(y,3)
      r(x,nil) w(y,3) | r(y,2)`,
    ],
    [
      'another order of sessions',
      h`r(x,0) w(y,3) | r(y,2)
      w(x,1) w(y,2) | r(x,1) r(y,3)`,
    ],
  ])('sameExecution treats %s as the same', (_, other) => {
    expect(sameExecution(bank, other)).toBeNull();
  });

  test.each([
    [
      'a key for another',
      h`w(x,1) w(y,2) | r(x,1) r(x,3)
      r(x,0) w(y,3) | r(y,2)`,
      'r(y, 3) (literal, record 2) is not r(x, 3) (literal, record 2)',
    ],
    [
      'two keys for one',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      r(z,0) w(y,3) | r(y,2)`,
      'r(x, 0) (literal, record 3) is not r(z, 0) (literal, record 3)',
    ],
    [
      'one key for two',
      h`w(x,1) w(x,2) | r(x,1) r(x,3)
      r(x,0) w(x,3) | r(x,2)`,
      'w(y, 2) (literal, record 1) is not w(x, 2) (literal, record 1)',
    ],
    [
      'a version for another',
      h`w(x,1) w(y,2) | r(x,1) r(y,2)
      r(x,0) w(y,3) | r(y,2)`,
      'r(y, 3) (literal, record 2) is not r(y, 2) (literal, record 2)',
    ],
    [
      'a version for the initial state',
      h`w(x,1) w(y,2) | r(x,0) r(y,3)
      r(x,0) w(y,3) | r(y,2)`,
      'r(x, 1) (literal, record 2) is not r(x, 0) (literal, record 2)',
    ],
    [
      'a version written twice',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      r(x,0) w(y,2) | r(y,2)`,
      'w(y, 3) (literal, record 3) is not w(y, 2) (literal, record 3)',
    ],
    [
      'a write for a read',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      w(x,9) w(y,3) | r(y,2)`,
      'r(x, 0) (literal, record 3) is not w(x, 9) (literal, record 3)',
    ],
    [
      'an aborted transaction',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      !r(x,0) w(y,3) | r(y,2)`,
      'transaction 1 of session 1 (literal, record 3) is committed, transaction 1 of session 1 (literal, record 3) is aborted',
    ],
    [
      'a missing operation',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      r(x,0) w(y,3) |`,
      'transaction 2 of session 1 (literal, record 4) has 1 operations, transaction 2 of session 1 (literal, record 4) has 0',
    ],
    [
      'an additional transaction',
      h`w(x,1) w(y,2) | r(x,1) r(y,3)
      r(x,0) w(y,3) | r(y,2) | r(y,2)`,
      'session 1 of the first history has 2 transactions, session 1 of the second has 3',
    ],
    ['a missing session', h`w(x,1) w(y,2) | r(x,1) r(y,3)`, 'the first history has 2 sessions, the second has 1'],
  ])('sameExecution distinguishes %s', (_, other, difference) => {
    expect(sameExecution(bank, other)).toBe(difference);
  });

  test.each([
    [
      'lists',
      h`a(x,1) a(x,2)
      r(x,[1]) r(x,[1 2]) r(x,[]) r(x,[?])`,
      h`a(y,5) a(y,6)
      r(y,[5]) r(y,[5 6]) r(y,[]) r(y,[?])`,
      null,
    ],
    [
      'lists in another order',
      h`a(x,1) a(x,2)
      r(x,[1 2])`,
      h`a(y,5) a(y,6)
      r(y,[6 5])`,
      'r(x, [1 2]) (literal, record 2) is not r(y, [6 5]) (literal, record 2)',
    ],
    [
      'longer lists',
      h`a(x,1) a(x,2)
      r(x,[1])`,
      h`a(y,5) a(y,6)
      r(y,[5 6])`,
      'r(x, [1]) (literal, record 2) is not r(y, [5 6]) (literal, record 2)',
    ],
    ['an unknown result', h`r(x,?)`, h`r(x,?)`, null],
    [
      'a result and an unknown one',
      h`w(x,1)
      r(x,1)`,
      h`w(x,1)
      r(x,?)`,
      'r(x, 1) (literal, record 2) is not r(x, ?) (literal, record 2)',
    ],
    [
      'exchanges',
      h`ins(x,0,1) cas(x,1,2) cas!(x,9,3) del(x,2,4)`,
      h`initial nil
      ins(y,nil,5) cas(y,5,6) cas!(y,8,7) del(y,6,3)`,
      null,
    ],
    [
      'exchanges that found something else',
      h`w(x,1) w(x,2)
      cas(x,1,3)`,
      h`w(x,1) w(x,2)
      cas(x,2,3)`,
      'cas(x, 1 → 3) (literal, record 2) is not cas(x, 2 → 3) (literal, record 2)',
    ],
    ['ranges', h`w(b,1) range(a,c,b=1 c=0)`, NIL_RANGE, null],
    [
      'ranges with other rows',
      h`w(b,1) w(c,1) range(a,c,b=1)`,
      h`w(b,1) w(c,1) range(a,c,c=1)`,
      'range(a to c: {b: 1}) (literal, record 1) is not range(a to c: {c: 1}) (literal, record 1)',
    ],
  ])('sameExecution compares %s', (_, a, b, difference) => {
    expect(sameExecution(a, b)).toBe(difference);
  });

  const explicit = h`w(y,2) | r(y,2) r(x,5)
    w(x,5) w(y,6)
    r(x,5) w(y,3) | r(y,6) w(z,1) | r(z,1)`;
  const implicit = h`w(b,2) | r(b,2) r(a,0)
    r(a,0) w(b,3) | r(b,0) w(c,1) | r(c,1)`;

  test('sameExecution folds an initial transaction of either history on request only', () => {
    expect(sameExecution(explicit, implicit)).toBe('the first history has 3 sessions, the second has 2');
    expect(sameExecution(explicit, implicit, { foldInitial: true })).toBeNull();
    expect(sameExecution(implicit, explicit, { foldInitial: true })).toBeNull();
  });

  test('sameExecution folds an initial transaction at the beginning of another session', () => {
    const inSession = h`w(x,5) w(y,6) | w(y,2) | r(y,2) r(x,5)
      r(x,5) w(y,3) | r(y,6) w(z,1) | r(z,1)`;
    expect(sameExecution(inSession, implicit, { foldInitial: true })).toBeNull();
  });

  test('sameExecution folds both initial transactions if their writes differ in order', () => {
    const otherOrder = h`w(y,6) w(x,5)
      w(y,2) | r(y,2) r(x,5)
      r(x,5) w(y,3) | r(y,6) w(z,1) | r(z,1)`;
    expect(sameExecution(explicit, otherOrder)).not.toBeNull();
    expect(sameExecution(explicit, otherOrder, { foldInitial: true })).toBeNull();
  });

  test('sameExecution still sees differences after folding', () => {
    const stale = h`w(b,2) | r(b,2) r(a,0)
      r(a,0) w(b,3) | r(b,3) w(c,1) | r(c,1)`;
    expect(sameExecution(explicit, stale, { foldInitial: true })).toBe(
      'r(y, 6) (literal, record 5) is not r(b, 3) (literal, record 4)',
    );
  });

  test('sameExecution leaves out aborted transactions on request', () => {
    const withAborted = h`w(x,1) | !w(x,2)
      !r(x,0)
      r(x,1)`;
    const without = h`w(x,1)
      r(x,1)`;
    expect(sameExecution(withAborted, without)).toBe('the first history has 3 sessions, the second has 2');
    expect(sameExecution(withAborted, without, { leaveOutAborted: true })).toBeNull();
  });

  test('sameExecution finds any renaming and any order of distinguishable sessions', () => {
    const operation = fc.record({ read: fc.boolean(), key: fc.nat({ max: 3 }), value: fc.nat({ max: 4 }) });
    const session = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    const historyOf = (
      sessions: { read: boolean; key: number; value: number }[][][],
      key: (k: number) => Atom,
      value: (v: number, k: number) => Atom,
    ): PlainHistory => ({
      sessions: sessions.map((transactions, s) => ({
        name: BigInt(s),
        transactions: transactions.map((operations) => ({
          status: 'committed',
          operations: operations.map(({ read, key: k, value: v }) => ({
            kind: read ? 'read' : 'write',
            key: key(k),
            value: v === 0 && read ? null : value(v, k),
          })),
        })),
      })),
    });
    fc.assert(
      fc.property(fc.array(session, { minLength: 1, maxLength: 4 }), fc.nat(), (sessions, turn) => {
        const plain = fromPlain(
          historyOf(
            sessions,
            (k) => BigInt(k),
            (v) => BigInt(v),
          ),
        );
        const renamed = historyOf(
          sessions,
          (k) => `key ${9 - k}`,
          (v, k) => literal(`${k} ${5 * v}`),
        );
        expect(sameExecution(plain, fromPlain(renamed))).toBeNull();
        // Puts as many empty transactions in front as the session has predecessors: no two sessions are alike.
        const marked = toPlain(plain).sessions.map(({ name, transactions }, i) => ({
          name,
          transactions: [...Array.from({ length: i }, emptyTransaction), ...transactions],
        }));
        const turned = [...marked.slice(turn % marked.length), ...marked.slice(0, turn % marked.length)];
        expect(sameExecution(fromPlain({ sessions: marked }), fromPlain({ sessions: turned }))).toBeNull();
      }),
    );
  });
});
