/** Transactions of a recording with their statements, for readers that need neither the proxy nor the parser of SQL. */
import { oneLine } from '../sql/origin.ts';
import { linesOf, isTransaction, type TransactionLine, whole } from './lines.ts';

export interface RecordedTransaction {
  /** Number of its line in the file. */
  readonly line: number;
  readonly session: string;
  readonly begin: number;
  readonly statements: readonly {
    /** SQL on one line, without the comment about its origin. */
    readonly sql: string;
    /** Versions that the statement read, without hidden columns, each with its writer. */
    readonly reads: readonly string[];
  }[];
}

type Operation = TransactionLine['ops'][number];

/** Returns the transactions of a recording, in the order of its lines. */
export async function transactionsOf(path: string): Promise<readonly RecordedTransaction[]> {
  const found: RecordedTransaction[] = [];
  const shapes = new Map<number, string>();
  const writers = new Map<string, string>();
  const alike = new Map<string, number>();
  let hidden = new Set<string>();
  const visible = (name: string, value: unknown): unknown => (hidden.has(name) ? undefined : value);
  const told = (operation: Operation): string =>
    `${JSON.stringify(operation, visible)} by ${writers.get(JSON.stringify(operation.slice(1))) ?? ''}`;
  for await (const [number, text] of linesOf(path)) {
    if (number === 1) hidden = new Set(whole<{ readonly hidden?: readonly string[] }>(text)?.hidden);
    const line = isTransaction(text) ? whole<TransactionLine>(text) : null;
    if (line === null) continue;
    for (const [shape, sql] of line.shapes ?? []) shapes.set(shape, sql);
    const steps = line.steps ?? [];
    // A writer is named by its statements and its number among the transactions with the same statements.
    const program = steps.map(([shape]) => shapes.get(shape)).join(';');
    const nth = (alike.get(program) ?? 0) + 1;
    alike.set(program, nth);
    for (const [kind, ...version] of line.ops)
      if (kind === 'put') writers.set(JSON.stringify(version), `${program} ${nth}`);
    let at = 0;
    const statements = steps.map(([shape, operations]) => ({
      sql: oneLine(shapes.get(shape) ?? ''),
      reads: line.ops
        .slice(at, (at += operations))
        .filter(([kind]) => kind !== 'put')
        .map(told),
    }));
    found.push({ line: number, session: line.session, begin: line.begin ?? 0, statements });
  }
  return found;
}
