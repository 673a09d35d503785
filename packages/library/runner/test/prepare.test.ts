import { type Checker, type CheckerInfo, defineChecker } from '@isolab/contract';
import { fromPlain, type History, OpKind, type PlainHistory, rowName, textOfRow } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { prepare, run, unmetRequirement } from '../src/index.ts';
import { historyOf, r, smallHistory, w } from './support/moody.ts';

const requiring = (...requires: CheckerInfo<object>['requires']): Checker<object, 'history'> =>
  defineChecker({
    info: {
      name: 'picky',
      title: 'Picky',
      version: '1.0.0',
      apiVersion: 1,
      paper: null,
      levels: ['causal'],
      sound: true,
      complete: true,
      requires,
      options: {},
      variants: {},
    },
    check: ({ history }) => ({
      status: 'unknown',
      reason: 'incomplete',
      detail: `${history.opKind.length} operations`,
    }),
  });

/** One session: inserts a, reads the range a to c, which returns a, and does not see b. */
const rangeHistory = (): History =>
  fromPlain({
    sessions: [
      {
        name: 0n,
        transactions: [
          {
            status: 'committed',
            operations: [{ kind: 'insert', key: 'a', observed: null, written: 1n, foundTombstone: false }],
          },
          {
            status: 'committed',
            operations: [{ kind: 'range-read', low: 'a', high: 'c', rows: [{ key: 'a', value: 1n, dead: false }] }],
          },
        ],
      },
      { name: 1n, transactions: [{ status: 'committed', operations: [w('b', 2)] }] },
    ],
  } satisfies PlainHistory);

describe('preparing a history', () => {
  test('preparing a history lowers inserts and range reads for a checker of registers, and for no other', async () => {
    const prepared = prepare(rangeHistory());
    const plain = prepared.inputFor(requiring());
    expect(plain).toMatchObject({ lowered: false, opOf: null });
    expect(plain.history.opKind).toContain(OpKind.RangeRead);
    const lowered = prepared.inputFor(requiring('registers'));
    // insert → read and write; range read → a and, as absent, b
    expect([...lowered.history.opKind]).toEqual([OpKind.Read, OpKind.Write, OpKind.Read, OpKind.Read, OpKind.Write]);
    expect(lowered.lowered).toBe(true);
    expect([...lowered.opOf!]).toEqual([0, 0, 1, 1, 2]);
    expect(lowered.index.readFrom).toHaveLength(5);
    const report = await run({ checker: { checker: requiring('registers'), url: null }, prepared, level: 'causal' });
    expect(report).toMatchObject({ lowered: true, history: { operations: 3 }, verdict: { detail: '5 operations' } });
  });

  test('preparing a history does not lower a history of registers, nor lists, nor where something else is taken too', () => {
    expect(prepare(smallHistory()).inputFor(requiring('registers')).lowered).toBe(false);
    const prepared = prepare(rangeHistory());
    expect(prepared.inputFor(requiring(['registers', 'single-operations'])).lowered).toBe(false);
    expect(prepared.inputFor(requiring(['registers', 'list-append'])).lowered).toBe(true);
  });

  test('preparing a history lowers exchanges of aborted transactions, too, for certificates count them', () => {
    const aborted = { kind: 'compare-and-set', key: 'x', observed: null, written: 1n, failed: false } as const;
    const history = fromPlain({
      sessions: [
        { name: 'a', transactions: [{ status: 'aborted', operations: [aborted] }] },
        { name: 'b', transactions: [{ status: 'committed', operations: [{ kind: 'read', key: 'x', value: null }] }] },
      ],
    });
    const input = prepare(history).inputFor(requiring(['registers', 'list-append']));
    expect([...input.history.opKind]).toEqual([OpKind.Read, OpKind.Write, OpKind.Read]);
  });

  test('indexes once for all checkers', () => {
    const prepared = prepare(rangeHistory());
    expect(prepared.inputFor(requiring())).toBe(prepared.inputFor(requiring('unique-values')));
    expect(prepared.inputFor(requiring('registers'))).toBe(prepared.inputFor(requiring('registers')));
  });
});

describe('requirements', () => {
  const why = (history: History, ...requires: CheckerInfo<object>['requires']): string | null => {
    const checker = requiring(...requires);
    return unmetRequirement(checker, prepare(history).inputFor(checker));
  };
  const twoWriters = (): History => historyOf([[[w('x', 1)], [w('x', 1)]], [[r('y', 0)], [r('x', 1)]], [[r('x', 1)]]]);

  test('requirements that a history meets are silent', () => {
    expect(why(smallHistory(), 'registers', 'unique-values', ['list-append', 'no-aborted'])).toBeNull();
  });

  test('requirements name the first operation that breaks them, its place, and how many there are', () => {
    expect(why(twoWriters(), 'unique-values')).toBe(
      'picky needs unique-values (no read has several possible writers); 2 reads break it, first: r(x, 1) in transaction 2 of session 1 (literal, record 4).',
    );
    expect(why(historyOf([[[r('x', 0), w('y', 1)]]]), 'read-modify-write')).toMatch(
      /one transaction breaks it: w\(y, 1\) in transaction 1 of session 0 \(literal, record 1\)\.$/,
    );
  });

  test('requirements name rows as the notation has them', () => {
    const put = { kind: 'write', key: rowName('t', 1n), value: textOfRow({ x: 1, on: 'a' }) } as const;
    const read = { kind: 'read', key: put.key, value: put.value } as const;
    const history = fromPlain({
      tables: ['t'],
      sessions: [[put], [put], [read]].map((operations, s) => ({
        name: BigInt(s),
        transactions: [{ status: 'committed' as const, operations }],
      })),
    });
    expect(why(history, 'registers', 'unique-values')).toContain(`: r(t/1, {on: 'a', x: 1}) in transaction 1`);
  });

  test('requirements take a scan for one of many keys, however few of them it reads once it is lowered', () => {
    const scan = { kind: 'scan', table: 't', where: true, rows: [], aggregate: null } as const;
    const put = { kind: 'write', key: rowName('t', 1n), value: textOfRow({ x: 1 }) } as const;
    const history = fromPlain({
      sessions: [put, scan].map((operation, s) => ({
        name: BigInt(s),
        transactions: [{ status: 'committed' as const, operations: [operation] }],
      })),
    });
    const expected = 'one transaction breaks it: scan(t where true: {}) in transaction 1 of session 1';
    expect(why(history, 'single-keys')).toContain(expected);
    expect(why(history, 'registers', 'single-keys')).toContain(expected);
    const scanning = {
      info: { ...requiring('registers', 'single-keys').info, scans: true as const },
      check: () => null as never,
    };
    expect(unmetRequirement(scanning, prepare(history).inputFor(scanning))).toContain(expected);
  });

  test('requirements name the transaction where no operation is to blame', () => {
    expect(why(smallHistory(), 'real-times')).toMatch(
      /3 transactions break it, first: transaction 1 of session 0 \(literal, record 1\)\.$/,
    );
  });

  test('list all choices where one of several would do', () => {
    expect(why(smallHistory(), ['list-append', 'timestamps'])).toMatch(
      /^picky needs list-append \([^)]*\); .*, first: r\(x, 0\) in [^;]*; or timestamps \(.*\.$/,
    );
  });

  test('requirements are reported in an unsupported verdict, and the checker is not called', async () => {
    const checker = { checker: requiring('unique-values'), url: null };
    const report = await run({ checker, prepared: prepare(twoWriters()), level: 'causal' });
    expect(report.verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
    expect(report).toMatchObject({ stages: [], wallMs: 0, steps: 0 });
  });

  test('a level that the checker does not check is unsupported too', async () => {
    const checker = { checker: requiring(), url: null };
    const report = await run({ checker, prepared: prepare(smallHistory()), level: 'prefix' });
    expect(report.verdict).toEqual({
      status: 'unknown',
      reason: 'unsupported',
      detail: 'picky does not check prefix; it checks causal.',
    });
  });
});
