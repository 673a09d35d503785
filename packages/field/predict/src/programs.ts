/** Programs of transactions: their statements, or else the kinds of their operations on kinds of keys. */
import { type History, OpKind, nameAtom } from '@isolab/history';
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
export function programsOf(model: Model, statements: Statements): string[] {
  const { history, start, isWrite, key } = model;
  const kinds = Array.from({ length: history.keyInitial.length }, (_, each) => kindOf(history, each));
  return Array.from(model.txnOf, (transaction, t) => {
    const sql = statements.get(history.txnPosition[transaction])?.map((statement) => statement.sql);
    const words: string[] = sql === undefined ? [] : sql.filter((each, i) => each !== sql[i - 1]);
    if (sql !== undefined) return words.join('; ');
    for (let op = start[t]; op < start[t + 1]; op++) {
      const word = `${isWrite[op] === 1 ? 'w' : 'r'}(${kinds[key[op]]})`;
      if (words.at(-1) !== word) words.push(word);
    }
    return words.join(' ');
  });
}

/** Returns the name of a key without its digits. */
export const kindOf = (history: History, key: number): string => nameAtom(history.keys, key).replaceAll(/\d+/g, '#');

/** A program and its runs in the recorded history. */
export interface ProgramUse {
  /** Name such as P1, by the number of runs. */
  readonly name: string;
  readonly program: string;
  readonly runs: number;
  /** Place of the first run, without the file. */
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
    place: `${history.source.unit} ${history.txnPosition[txnOf[first!]]}`,
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
