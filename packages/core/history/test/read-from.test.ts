import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type History,
  Outcome,
  ReadFrom,
  buildReadFrom,
  showOperation,
  transactionOfOperations,
} from '../src/index.ts';
import { fromPlain, type PlainHistory, type PlainOperation } from '../src/history/plain.ts';
import { h } from './support/notation.ts';

/** Values that each read of a history sees, in words. */
function seen(history: History): string[] {
  const { readFrom } = buildReadFrom(history);
  const words: Record<number, string> = { [-1]: 'initial', [-2]: 'thin air', [-3]: 'ambiguous', [-4]: 'none' };
  return Array.from(
    readFrom,
    (from, op) => `${showOperation(history, op)} ← ${from >= 0 ? `${from}` : words[from]}`,
  ).filter((line) => /^(r|cas|insert|delete)/.test(line));
}

describe('the read-from index', () => {
  test.each([
    [
      'a read of another transaction’s final write',
      h`w(x,1)
      r(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    ['reads of the initial state', h`r(x,0) r(y,nil)`, ['r(x, 0) ← initial', 'r(y, nil) ← thin air']],
    [
      'reads of the initial state where none is declared',
      h`initial nil
      r(x,nil) r(y,0)`,
      ['r(x, nil) ← initial', 'r(y, 0) ← thin air'],
    ],
    ['a read out of thin air', h`r(x,7)`, ['r(x, 7) ← thin air']],
    [
      'the same value of another key is another version',
      h`w(y,1)
      r(x,1)`,
      ['r(x, 1) ← thin air'],
    ],
    ['a read of the transaction’s own latest write', h`w(x,1) w(x,2) r(x,2)`, ['r(x, 2) ← 1']],
    ['a read of its own earlier write', h`w(x,1) w(x,2) r(x,1)`, ['r(x, 1) ← 0']],
    ['a read of its own later write', h`r(x,1) w(x,1)`, ['r(x, 1) ← 1']],
    [
      'an intermediate read',
      h`w(x,1) w(x,2)
      r(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    [
      'an aborted read',
      h`!w(x,1)
      r(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    [
      'a value that two transactions wrote last',
      h`w(x,1)
      w(x,1)
      r(x,1)`,
      ['r(x, 1) ← ambiguous'],
    ],
    [
      'a value that another transaction wrote only in passing',
      h`w(x,1)
      w(x,1) w(x,2)
      r(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    [
      'a value that an aborted transaction wrote too',
      h`w(x,1)
      !w(x,1)
      r(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    [
      'a value that the reader itself writes later',
      h`w(x,1)
      r(x,1) w(x,1)`,
      ['r(x, 1) ← 0'],
    ],
    [
      'its own latest write although others wrote the value too',
      h`w(x,1)
      w(x,1)
      w(x,1) r(x,1)`,
      ['r(x, 1) ← 2'],
    ],
    [
      'a value that the reader itself writes only after its initial read of it',
      h`r(x,0) w(x,0)`,
      ['r(x, 0) ← initial'],
    ],
    [
      'a write of the initial value by an ordinary transaction',
      h`w(x,0) | w(y,1)
      r(x,0)`,
      ['r(x, 0) ← ambiguous'],
    ],
    [
      'a write of the initial value by a transaction that looks like an explicit initial one',
      h`w(x,0) w(y,0)
      r(x,0) r(y,0)`,
      ['r(x, 0) ← ambiguous', 'r(y, 0) ← ambiguous'],
    ],
    [
      'a result that was never learned',
      h`w(x,1)
      ?r(x,?)`,
      ['r(x, ?) ← none'],
    ],
    [
      'compare-and-set',
      h`cas(x,0,1)
      cas(x,1,2)
      cas!(x,7,8)`,
      ['cas(x, 0 → 1) ← initial', 'cas(x, 1 → 2) ← 0', 'cas(x, 7 → 8) failed ← none'],
    ],
    [
      'inserts and deletes',
      h`initial nil
      ins(x,nil,1)
      del(x,1,9)
      r(x,9)`,
      ['insert(x, nil → 1) ← initial', 'delete(x, 1 → 9) ← 0', 'r(x, 9) ← 1'],
    ],
    [
      'lists',
      h`a(x,1) a(x,2)
      a(x,3)
      r(x,[1 2 3]) | r(x,[]) | r(x,[?])`,
      ['r(x, [1 2 3]) ← 2', 'r(x, []) ← initial', 'r(x, ?) ← none'],
    ],
    [
      'a list that ends with the transaction’s own appends',
      h`a(x,1)
      a(x,2) r(x,[1 2])`,
      ['r(x, [1 2]) ← 0'],
    ],
    [
      'a list that shows the transaction’s own append once more',
      h`a(x,1)
      a(x,2) a(x,3) r(x,[1 2 2 3]) r(x,[1 3 2 3])`,
      ['r(x, [1 2 2 3]) ← 1', 'r(x, [1 3 2 3]) ← 2'],
    ],
    ['a list with an element that nothing appended', h`r(x,[5])`, ['r(x, [5]) ← thin air']],
    [
      'a string made by appends',
      h`a(x,1)
      r(x,1)`,
      ['r(x, 1) ← none'],
    ],
  ])('the read-from index resolves %s', (_, history, expected) => {
    expect(seen(history)).toEqual(expected);
  });

  test('the read-from index resolves the rows of range reads', () => {
    const { rowReadFrom, readFrom } = buildReadFrom(h`w(a,1) w(b,2)
      range(a,c,a=1 b=2 c=3)`);
    expect([...rowReadFrom]).toEqual([0, 1, ReadFrom.ThinAir]);
    expect([...readFrom]).toEqual([ReadFrom.None, ReadFrom.None, ReadFrom.None]);
  });

  test('the read-from index counts repeated values and names the first', () => {
    const { repeatedWrites, firstRepeated, ambiguousReads } = buildReadFrom(h`w(x,1) w(y,1)
      w(x,1)
      w(x,1)
      r(x,1)`);
    expect({ repeatedWrites, firstRepeated, ambiguousReads }).toEqual({
      repeatedWrites: 2,
      firstRepeated: 0,
      ambiguousReads: 1,
    });
  });
});

describe('unknown outcomes', () => {
  const outcomes = (history: History): number[] => [...buildReadFrom(history).outcome];
  const { Left, Happened, Open } = Outcome;

  test.each([
    ['is left out when nothing reads from it', h`?w(x,1)`, [Left]],
    [
      'happened when a committed transaction read from it',
      h`?w(x,1)
      r(x,1)`,
      [Happened, Happened],
    ],
    [
      'happened when one that happened read from it',
      h`?w(x,1)
      ?r(x,1) w(y,1)
      r(y,1)`,
      [Happened, Happened, Happened],
    ],
    [
      'is left out when only such as were left out read from it',
      h`?w(x,1)
      ?r(x,1) w(y,1)
      !r(y,1)`,
      [Left, Left, Left],
    ],
    [
      'happened when any element of a list that was read is its own',
      h`?a(x,1)
      a(x,2)
      r(x,[1 2])`,
      [Happened, Happened, Happened],
    ],
    [
      'is open when a read may have seen it or another',
      h`?w(x,1)
      w(x,1)
      r(x,1)`,
      [Open, Happened, Happened],
    ],
    [
      'is open when a read may have seen it or the initial state',
      h`?w(x,0) w(y,1)
      r(x,0)`,
      [Open, Happened],
    ],
    [
      'happened when it wrote the only row that a range read returned',
      h`?w(a,1)
      range(a,b,a=1)`,
      [Happened, Happened],
    ],
  ])('a transaction %s', (_, history, expected) => {
    expect(outcomes(history)).toEqual(expected);
  });
});

describe('against the definition', () => {
  const operation: fc.Arbitrary<PlainOperation> = fc.record({
    kind: fc.constantFrom('read' as const, 'write' as const),
    key: fc.constantFrom('x', 'y'),
    value: fc.bigInt({ min: 0n, max: 4n }),
  });
  const transaction = fc.record({
    status: fc.constantFrom('committed' as const, 'committed' as const, 'aborted' as const, 'unknown' as const),
    operations: fc.array(operation, { maxLength: 4 }),
  });
  const plainHistory: fc.Arbitrary<PlainHistory> = fc
    .array(fc.array(transaction, { maxLength: 3 }), { maxLength: 4 })
    .map((sessions) => ({
      initial: 0n,
      sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
    }));

  test('every read sees the one legal candidate, or an illegal candidate if no candidate is legal', () => {
    fc.assert(
      fc.property(plainHistory, (plain) => {
        const history = fromPlain(plain);
        expect([...buildReadFrom(history).readFrom]).toEqual(naiveReadFrom(history));
      }),
      { numRuns: 3000 },
    );
  });
});

/** The definition, by searching the whole history for each read. Values 0 … 4, where 0 is initial. */
function naiveReadFrom(history: History): number[] {
  const { opKind, opKey, opValue, txnStatus } = history;
  const txnOf = transactionOfOperations(history);
  const ops = [...opKind.keys()];
  const isWrite = (op: number): boolean => opKind[op] === 1;
  const sameKey = (a: number, b: number): boolean => opKey[a] === opKey[b];
  const isFinal = (write: number): boolean =>
    !ops.some((op) => op > write && isWrite(op) && sameKey(op, write) && txnOf[op] === txnOf[write]);
  const isInitial = (op: number): boolean => opValue[op] === history.keyInitial[opKey[op]!];
  return ops.map((read) => {
    if (isWrite(read)) return ReadFrom.None;
    const t = txnOf[read]!;
    const own = ops.filter((op) => op < read && isWrite(op) && sameKey(op, read) && txnOf[op] === t).pop();
    if (own !== undefined && opValue[own] === opValue[read]) return own;
    const writes = ops.filter((op) => isWrite(op) && sameKey(op, read) && opValue[op] === opValue[read]);
    const possible = writes.filter((op) => txnStatus[txnOf[op]!] !== 1 && isFinal(op));
    const legal = possible.filter((op) => txnOf[op] !== t);
    if (isInitial(read)) {
      const ownLater = possible.every((op) => txnOf[op] === t);
      if (possible.length === 0) return ReadFrom.Initial;
      if (possible.length > 1) return ReadFrom.Ambiguous;
      return ownLater ? ReadFrom.Initial : ReadFrom.Ambiguous;
    }
    if (possible.length > 2) return ReadFrom.Ambiguous;
    if (legal.length === 1) return legal[0]!;
    if (legal.length > 1) return ReadFrom.Ambiguous;
    if (possible.length > 0) return possible[0]!;
    const passing = writes.filter((op) => txnStatus[txnOf[op]!] !== 1);
    return passing[0] ?? writes[0] ?? ReadFrom.ThinAir;
  });
}
