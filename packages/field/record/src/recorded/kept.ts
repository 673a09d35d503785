/** Statements that a recording keeps with their parameters and results. */
import { type Planned, WITHOUT_ROWS } from '../sql/planned.ts';
import type { Parameters } from '../wire/statement.ts';

/** Statement in the field `sent` of a transaction's line. */
export type Kept = readonly [
  sql: string,
  parameters: readonly (string | { readonly hex: string } | null)[],
  /** Operations of the statement; null if some are unknown, `unseen` if it may have written rows that are unknown. */
  result: readonly KeptOperation[] | 'unseen' | null,
];

export type KeptOperation = readonly [
  kind: string,
  table: string,
  key: unknown,
  row: Readonly<Record<string, unknown>> | null,
];

/** Formats a statement for the line of its transaction; null if a replay does not need it. */
export function keptText(
  { text, plan, isAdded }: Planned,
  parameters: Parameters | null,
  result: readonly string[] | null,
): string | null {
  const { kind } = plan.does;
  if (isAdded === true || kind === 'level' || (WITHOUT_ROWS.test(kind) && !SAVEPOINT.test(kind))) return null;
  const isUnseen = plan.mayWriteUnseen || kind === 'definition' || kind === 'unknown';
  const values = Array.from({ length: parameters?.length ?? 0 }, (_, i) => {
    const { value, isBinary } = parameters!.at(i)!;
    if (value === null) return null;
    return isBinary ? { hex: value.toString('hex') } : value.toString();
  });
  const outcome = isUnseen ? '"unseen"' : result === null ? 'null' : `[${result.join()}]`;
  return `[${JSON.stringify(text)},${JSON.stringify(values)},${outcome}]`;
}

const SAVEPOINT = /savepoint|rollback to|release/;

/** Returns a parameter as the driver takes it. */
export const parameterOf = (value: Kept[1][number]): string | Buffer | null =>
  value !== null && typeof value === 'object' ? Buffer.from(value.hex, 'hex') : value;
