/** Programs of transactions: their statements, or else the kinds of their operations on kinds of keys. */
import {
  type History,
  OpKind,
  type TransactionId,
  commonPlace,
  locateTransaction,
  nameAtom,
  showPredicate,
  valueWritten,
} from '@isolab/history';
import type { Model } from './model.ts';

/** A statement of a transaction in a recording. */
export interface Statement {
  readonly sql: string;
  /** Number of operations. */
  readonly operations: number;
  /** States that the statement locks the rows that it reads. */
  readonly isLocking: boolean;
}

/** Statements of a recording, by the position of their transaction. */
export type Statements = ReadonlyMap<number, readonly Statement[]>;

/** Returns the program of each transaction, without repetitions in a row; by shape in the form `r(items/#) w(items/#)`. */
export function programsOf({ txnOf }: Model, whole: History, statements: Statements): string[] {
  const { txnPosition, txnStart, keyInitial } = whole;
  const kinds = Array.from(keyInitial, (_, key) => kindOf(whole, key));
  return Array.from(txnOf, (t) => {
    const sql = statements.get(txnPosition[t])?.map((statement) => statement.sql);
    const words: string[] = sql ?? [];
    if (sql === undefined)
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) words.push(...wordsOf(whole, op, kinds));
    return words.filter((each, i) => each !== words[i - 1]).join(sql === undefined ? ' ' : '; ');
  });
}

/** Returns an operation without its values; nothing for the write of a counter's key, which its row's write follows. */
function wordsOf(whole: History, op: number, kinds: readonly string[]): string[] {
  const { opKind, opKey, opValue, ranges, scans } = whole;
  if (opKind[op] === OpKind.Scan) return [wordOfScan(scans, opValue[op])];
  const range = opValue[op];
  if (opKind[op] === OpKind.RangeRead)
    return [`range(${kinds[ranges.low[range]] ?? '…'} to ${kinds[ranges.high[range]] ?? '…'})`];
  const { counters = [], tables, keyTable } = scans;
  const [kind, table] = [kinds[opKey[op]]!, keyTable[opKey[op]]];
  if (counters.includes(table!)) return [`inc(${tables[table!]})`];
  if (counters.some((each) => tables[each] === nameAtom(whole.keys, opKey[op]))) return [];
  const reads = opKind[op] === OpKind.Write ? [] : [`r(${kind})`];
  return valueWritten(whole, op) < 0 ? reads : [...reads, `w(${kind})`];
}

function wordOfScan(
  { counters, tables, table, predicate, predicates, aggregate, aggregates }: History['scans'],
  scan: number,
): string {
  const name = tables[table[scan]]!;
  if (counters?.includes(table[scan])) return `r(${name})`;
  const result = aggregates[aggregate[scan]];
  const column = result === undefined || result.kind === 'count' ? '' : ` of ${result.column}`;
  const where = predicates[predicate[scan]]!;
  const condition = where === true ? '' : ` where ${showPredicate(where).replaceAll(/\d+/g, '#')}`;
  return `${result?.kind ?? 'scan'}${column}(${name}${condition})`;
}

/** Returns the name of a key without its digits. */
export const kindOf = (history: History, key: number): string => nameAtom(history.keys, key).replaceAll(/\d+/g, '#');

/** Returns the place of a transaction, without the file that all transactions share. */
export const placeOf = (history: History, t: number): string =>
  locateTransaction(history, t as TransactionId).slice(commonPlace(history).length);

/** A program and its runs in the recorded history. */
export interface ProgramUse {
  /** Name such as P1, by the number of runs. */
  readonly name: string;
  readonly program: string;
  readonly runs: number;
  /** Place of the first run, as in {@link placeOf}. */
  readonly place: string;
  /** Level of the first run. */
  readonly level: string;
}

/** Lists the programs, the most frequent ones first. */
export function usesOf(
  { history, txnOf }: Model,
  programs: readonly string[],
  levels: readonly string[],
): ProgramUse[] {
  const runs = new Map<string, number[]>();
  for (const [t, program] of programs.entries()) runs.set(program, [...(runs.get(program) ?? []), t]);
  const frequentFirst = [...runs].toSorted(([, a], [, b]) => b.length - a.length);
  return frequentFirst.map(([program, [first, ...others]], i) => ({
    name: `P${i + 1}`,
    program,
    runs: 1 + others.length,
    place: placeOf(history, txnOf[first!]),
    level: levels[first!]!,
  }));
}

/** Statements that databases execute on the latest versions of rows, so that their reads are not changed. */
export const Update = { None: 0, Writes: 1, Locks: 2 } as const;

/** Returns the Update of each operation. */
export function updatesIn(whole: History, statements: Statements): Uint8Array {
  const { txnStart, txnPosition, opKind } = whole;
  const found = new Uint8Array(opKind.length);
  for (let t = 0; t < txnPosition.length; t++) {
    let op: number = txnStart[t];
    for (const { operations, isLocking } of statements.get(txnPosition[t]) ?? []) {
      const end = Math.min(op + operations, txnStart[t + 1]);
      if (opKind.subarray(op, end).includes(OpKind.Write)) found.fill(Update.Writes, op, end);
      else if (isLocking) found.fill(Update.Locks, op, end);
      op = end;
    }
  }
  return found;
}
