import { expect, test } from 'vitest';
import { aligned } from '../../src/mysql/history/align.ts';
import type { Writer } from '../../src/mysql/history/rows.ts';
import { Recording } from '../../src/mysql/recording/recording.ts';
import type { Transaction } from '../../src/mysql/recording/transaction.ts';
import { statementsOf } from '../../src/mysql/sql/statement.ts';

const session = { name: '1', serverId: 7 };
const REPLACE = "replace into a values (1, 4, 'z')";
const UPSERT = 'insert into b values (1, 1) on duplicate key update v = v + 1';

/** A committed transaction of one statement, which the log may lack if the number of changed rows is null. */
function committed(sql: string, changed: number | null): Transaction {
  const [statement] = statementsOf(sql, { ansiQuotes: false, plainBackslashes: false })!;
  const rest = { parameters: null, isPrepared: false, schema: 'shop', matched: null, found: null };
  return {
    session,
    level: 'serializable',
    hasSnapshots: false,
    begin: 1n,
    isExplicit: false,
    hasSnapshotAtBegin: false,
    steps: [{ ...rest, statement: statement!, sent: 1n, answered: 2n, changed }],
    locks: [],
    savepoints: [],
    committing: 1n,
    end: 2n,
    outcome: 'committed',
  };
}

const entry = (text: string, number: number): Writer => ({
  number,
  place: number,
  serverId: session.serverId,
  statements: [{ text, rows: 1, writes: [] }],
  earliest: 0n,
  latest: 9n,
});

/** The entries of the transactions that are certain, by their numbers; null for a transaction without one. */
function entriesOf(transactions: readonly Transaction[], texts: readonly string[]): (number | null)[] {
  const recording = new Recording(() => 0n);
  for (const each of transactions) recording.ends(each, false);
  const writers = texts.map((text, i) => entry(text, i + 1));
  return aligned(recording, writers).map(({ writer }) => writer?.number ?? null);
}

test('a REPLACE that left its row as it was does not get the entry of a later one', () => {
  const twice = [committed(REPLACE, null), committed(REPLACE, null)];
  expect(entriesOf(twice, [REPLACE])).toEqual([]);
  expect(entriesOf(twice, [REPLACE, REPLACE])).toEqual([1, 2]);
  const other = [committed(REPLACE, null), committed(UPSERT, null), committed('delete from a', 1)];
  expect(entriesOf(other, [UPSERT, 'delete from a'])).toEqual([null, 1, 2]);
  expect(entriesOf(other, [REPLACE, UPSERT, 'delete from a'])).toEqual([1, 2, 3]);
});

test('an entry of a prepared statement has its whole numbers and its plain texts', () => {
  const sql = 'replace into a values (?, ?, ?)';
  const prepared = (...parameters: readonly (number | string)[]): Transaction => {
    const transaction = committed(sql, null);
    const [step] = transaction.steps;
    return { ...transaction, steps: [{ ...step!, isPrepared: true, parameters }] };
  };
  const both = [prepared(1, 4, 'z'), prepared(1, 5, 'z')];
  expect(entriesOf(both, ["replace into a values (1, 5, 'z')"])).toEqual([null, 1]);
  expect(entriesOf(both, ["replace into a values (1, 4, 'z')"])).toEqual([1, null]);
  const texts = [prepared(1, 4, 'y'), prepared(1, 4, 'z')];
  expect(entriesOf(texts, ["replace into a values (1, 4, 'z')"])).toEqual([null, 1]);
  expect(entriesOf([prepared('1', 5e9, 'ä')], ["replace into a values ('1', 5000000000, 'ä')"])).toEqual([1]);
});

test('a transaction that has an entry for certain ends the search for the owner of an entry before it', () => {
  const sure = committed('delete from a', 1);
  const [first, again] = [committed(REPLACE, null), committed(REPLACE, null)];
  expect(entriesOf([first, sure, again], [REPLACE, 'delete from a'])).toEqual([1, 2, null]);
  expect(entriesOf([first, sure, again], ['delete from a', REPLACE])).toEqual([null, 1, 2]);
});
