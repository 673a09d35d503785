/** Statements and levels of the transactions of a recording, for readers that need neither the proxy nor the parser of SQL. */
import { isLocking } from './judgement/programs.ts';
import { transactionsIn } from './recorded/lines.ts';
import { oneLine } from './sql/origin.ts';

export { type RecordedTransaction, transactionsOf } from './recorded/transactions.ts';

export interface Statement {
  /** SQL on one line, without the comment about its origin. */
  readonly sql: string;
  /** Number of operations of the statement. */
  readonly operations: number;
  /** States that the statement locks the rows that it reads. */
  readonly isLocking: boolean;
}

/** Returns the statements of each transaction, by the line of the transaction; none in a file of another origin. */
export async function statementsIn(path: string): Promise<ReadonlyMap<number, readonly Statement[]>> {
  const shapes = new Map<number, string>();
  const found = new Map<number, readonly Statement[]>();
  for await (const [number, line] of transactionsIn(path)) {
    for (const [shape, sql] of line.shapes ?? []) shapes.set(shape, sql);
    if (line.steps === undefined) continue;
    found.set(
      number,
      line.steps.map(([shape, operations]) => {
        const sql = shapes.get(shape) ?? '';
        return { sql: oneLine(sql), operations, isLocking: isLocking(sql) };
      }),
    );
  }
  return found;
}

/** Returns the database's level of each transaction, by the line of the transaction: `read committed`. */
export async function levelsIn(path: string): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for await (const [number, { level }] of transactionsIn(path)) if (level !== undefined) found.set(number, level);
  return found;
}
