import {
  type History,
  OpKind,
  type PlainHistory,
  TxnStatus,
  buildReadFrom,
  fromPlain,
  keyword,
  toPlain,
} from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { inputOfBytes } from '../src/files/input.ts';
import { notation } from '../src/notation/notation.ts';
import { parseNotation } from '../src/notation/parse-notation.ts';
import { readDocumentFrom } from '../src/registry.ts';
import { printNotation } from '../src/notation/print-notation.ts';
import { type GeneratedShape, arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText } from './support/describe-format.ts';

const shape: GeneratedShape = {
  key: (n) => (n % 2 ? `k${n}` : BigInt(n - 2)),
  value: (n) => BigInt(n) * (n % 3 ? 1n : -(10n ** 20n)),
  session: (n) => BigInt(n),
  initial: null,
  operations: ['read', 'write', 'append', 'list-read', 'compare-and-set', 'range-read', 'insert', 'delete'],
  statuses: ['committed', 'aborted', 'unknown'],
  times: 'some',
  timeBounds: true,
  thinAir: true,
  unknownReads: true,
};

const isTimed = ({ sessions }: PlainHistory): boolean =>
  sessions.some(({ transactions }) =>
    transactions.some(({ begin, begun, committing, end }) => (begin ?? begun ?? committing ?? end) !== undefined),
  );

await describeFormat(notation, {
  expressible: arbitraryHistory(shape).map((plain) => ({ ...plain, timeUnit: isTimed(plain) ? 'events' : 'none' })),
  anything: arbitraryHistory({
    ...shape,
    key: (n) => (n % 2 ? `a key ${n}` : BigInt(-n)),
    value: (n) => (n % 3 ? BigInt(n - 2) : keyword(`v${n}`)),
    session: (n) => `client ${n}`,
    transaction: (n) => BigInt(n * n),
    timestamps: true,
    versions: true,
    emptySessions: true,
    emptyTransactions: true,
  }),
});

async function readAny(written: string): Promise<History> {
  const document = await readDocumentFrom(inputOfBytes('test', written));
  if (document.kind !== 'history') throw new Error('It is no history.');
  expect(document.format).toBe(notation);
  return document.history;
}

describe('the notation', () => {
  test('the notation has a line for each session and a bar between transactions', () => {
    const history = parseNotation('w(x,1) | !r(x,0)\n?r(x,1) w(y,2) @3-7');
    expect([...history.sessionStart]).toEqual([0, 2, 3]);
    expect([...history.txnStatus]).toEqual([TxnStatus.Committed, TxnStatus.Aborted, TxnStatus.Unknown]);
    expect([...history.opKind]).toEqual([OpKind.Write, OpKind.Read, OpKind.Read, OpKind.Write]);
    expect(history.txnEnd![2]).toBe(7n);
  });

  test('the notation knows every kind of operation', () => {
    const text =
      'w(x,1) r(x,nil) r(x,?) | a(l,1) r(l,[1 2]) r(l,[]) r(l,[?]) | cas(x,1,2) cas!(x,3,4) | ins(y,nil,1) ins!(y,2,3) del(y,1,9) del!(y,9,9) | range(a,c,a=1 b=2!) range(*,*)';
    expect(printNotation(parseNotation(text))).toBe(text);
    expect(new Set(parseNotation(text).opKind).size).toBe(8);
  });

  test.each([
    ['r(x,1)', 0n],
    ['initial nil\nr(x,1)', null],
    ['initial 7\nr(x,1)', 7n],
    ['initial 0 x=5 y=nil\nr(x,1)', 5n],
  ])('the notation knows initial states: %j', (text, initial) => {
    expect(toPlain(parseNotation(text)).initialOf![0]).toEqual(['x', initial]);
  });

  test('the notation keeps initial states where values are renumbered, and reports ranges whose keys are renumbered', async () => {
    const write = { kind: 'write', key: 'a key', value: 'one' } as const;
    const reads = [
      { kind: 'read', key: 'x', value: 0n },
      { kind: 'range-read', low: 'a', high: 'b', rows: [] },
    ] as const;
    const history = fromPlain({
      initial: 0n,
      sessions: [{ name: 0n, transactions: [{ status: 'committed', operations: [write, ...reads] }] }],
    });
    const copy = parseNotation(printNotation(history));
    expect([...buildReadFrom(copy).readFrom]).toEqual([...buildReadFrom(history).readFrom]);
    expect((await notation.writer!()).losses(history).map(({ name }) => name)).toEqual([
      'key-names',
      'range-reads',
      'value-names',
    ]);
  });

  test.each(['@3-7', '@3-', '@-7', '@-3-7', '@-3--1', '@--1'])('the notation reads the times %s', (times) => {
    expect(printNotation(parseNotation(`w(x,1) ${times}`))).toBe(`w(x,1) ${times}`);
  });

  test('the notation names the line of a transaction', async () => {
    const history = await readText(notation, 'w(x,1)\n\nr(x,1)');
    expect([...history.txnPosition]).toEqual([1, 3]);
  });

  test.each(['{"isolab":1}', 'r 1 2', 'r(1,0,0,0)\n', '[x:=1]', '{:type :invoke}', 'hello (world)', ''])(
    'the notation does not claim %j',
    (text) => {
      expect(notation.matches(inputOfBytes('test', text))).toBe(false);
    },
  );

  const rows = ['get(t/1, {v: 1})', 'put(t/1, {v: 1})', 'scan(t, v = 1, {1: {v: 1}})', 'count(t, v = 1, 2)'];
  const sums = ['sum(t, true, v, 7)', 'min(t, true, v, 7)', 'max(t, true, v, 7)'];
  const exchanges = ['inc(n,1)', 'cas(x,1,2)', 'ins(x,nil,1)', 'del!(x,1,9)', 'range(a,c,a=1 b=2)'];
  test.each(['w(x,1)', 'a(x,1)', 'r(x,[1 2])', ...exchanges, ...rows, ...sums])(
    'a history that begins with a damaged %s is recognized, and the place is named',
    async (operation) => {
      expect(toPlain(await readAny(operation)).sessions).toHaveLength(1);
      for (let at = operation.indexOf('(') + 1; at < operation.length; at++) {
        const cut = operation.slice(0, at);
        for (const damaged of [cut, `${cut}(`, `${cut}(${operation.slice(at)}`])
          await expect(readAny(damaged).then(printNotation)).rejects.toThrow(
            /^test, line 1, column \d+: found .*expected/,
          );
      }
    },
  );

  test.each([
    ['initial\nr(x,1)', "test, line 1: found 'initial', expected initial states such as"],
    ['\ninitial 0 x\nr(x,1)', "line 2: found 'initial 0 x', expected initial states such as"],
    ['r(x,1', "line 1, column 1: found 'r(x,1', expected a read"],
    ['w(x,1)\n  r(x)', 'line 2, column 3: found'],
    ['w(x,1) | w(y,1) w(y)', "line 1, column 17: found 'w(y)', expected a write"],
    ['r(1,2,3,4)', 'line 1, column 1: found'],
    ['w(x,one)', 'expected a write'],
    ['w(,1)', 'expected a write'],
    ['r(x,[1 2)', 'expected a read'],
    ['r(x,[1,2])', 'expected a read'],
    ['cas(x,1)', 'expected a compare-and-set'],
    ['ins(x,1)', 'expected an insert'],
    ['del!(x)', 'expected a delete'],
    ['range(a)', 'expected a range read'],
    ['frob(x,1)', 'expected an operation'],
    ['constructor(x,1)', 'expected an operation'],
    ['w(x,1) and more', "line 1, column 8: found 'and more', expected an operation"],
    ['w(x,1) @3', "line 1, column 8: found '@3', expected times"],
    ['w(x,1) @- r(x,1)', 'line 1, column 8: found'],
    ['!!w(x,1)', 'line 1, column 2: found'],
    ['\n\n', 'found no transaction, expected lines such as r(x,0) w(x,1)'],
  ])('the notation names the mistake in %j', async (text, message) => {
    await expect(readText(notation, text)).rejects.toThrow(message);
  });
});
