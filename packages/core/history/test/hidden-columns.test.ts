import { describe, expect, test } from 'vitest';
import {
  type History,
  type PlainOperation,
  type Row,
  fromPlain,
  mergesVersions,
  rowName,
  textOfRow,
  toPlain,
  toRegisters,
  withoutHiddenColumns,
} from '../src/index.ts';

const key = rowName('t', 1n);
const put = (row: Row): PlainOperation => ({ kind: 'write', key, value: textOfRow(row) });
const get = (row: Row): PlainOperation => ({ kind: 'read', key, value: textOfRow(row) });

function historyOf(...operations: readonly PlainOperation[]): History {
  const history = fromPlain({
    sessions: [{ name: 1n, transactions: [{ status: 'committed', operations }] }],
    tables: ['t'],
  });
  return { ...history, source: { ...history.source, hiddenColumns: ['w'] } };
}

const valuesOf = (history: History): unknown[] =>
  toPlain(history).sessions[0]!.transactions[0]!.operations.map((each) => (each as { value: unknown }).value);

describe('a history without hidden columns', () => {
  test('a history without hidden columns is the same history if each version can be recognised without them', () => {
    const history = historyOf(put({ a: 1, w: 5 }), get({ a: 1, w: 5 }), put({ a: 2, w: 6 }));
    expect(mergesVersions(history)).toBe(false);
    const shown = withoutHiddenColumns(history)!;
    expect(valuesOf(shown)).toEqual(['{"a":1}', '{"a":1}', '{"a":2}']);
    expect(shown.source.hiddenColumns).toBeUndefined();
  });

  test('a history without hidden columns is another history if two versions of a row become equal', () => {
    const history = historyOf(put({ a: 1, w: 5 }), put({ a: 1, w: 6 }));
    expect(mergesVersions(history)).toBe(true);
    expect(withoutHiddenColumns(history)).toBeNull();
  });

  test('a history without hidden columns is another history if a scan tests them', () => {
    const scan: PlainOperation = { kind: 'scan', table: 't', where: ['=', 'w', 5], rows: [], aggregate: null };
    expect(withoutHiddenColumns(historyOf(put({ a: 1, w: 5 }), scan))).toBeNull();
  });

  test('a history without hidden columns numbers versions that are plain texts', () => {
    const scan: PlainOperation = { kind: 'scan', table: 't', where: ['=', 'a', 2], rows: [], aggregate: null };
    const { history } = toRegisters(historyOf(put({ a: 1, w: 5 }), put({ a: 1, w: 6 }), put({ a: 2, w: 7 }), scan));
    const rows = valuesOf(withoutHiddenColumns(history)!).filter((value) => typeof value === 'string');
    expect(rows).toEqual(['{"a":1} (version 1)', '{"a":1} (version 2)', '{"a":2}']);
  });

  test('a history without hidden columns is the same history if it has no hidden columns', () => {
    const { hiddenColumns: _, ...source } = historyOf().source;
    const history = { ...historyOf(put({ a: 1 })), source };
    expect(withoutHiddenColumns(history)).toBe(history);
  });
});
