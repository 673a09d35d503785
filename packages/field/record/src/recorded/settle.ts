import { renameSync } from 'node:fs';
import { type TransactionLine, isTransaction, rewrite } from './lines.ts';
import type { Operation, Scan, LogStep } from './placing.ts';
import type { Redefined } from './definitions.ts';
import { withoutMisleadingReads } from './misleading-reads.ts';
import type { Tuples } from './tuples.ts';

/**
 * `[3,"doctors",CONDITION]`: the fourth statement read the result of a scan; with null and a key, the row did not
 * exist.
 */
export type RecordedScan = readonly [step: number, ...Scan];

export interface Unsettled extends TransactionLine {
  readonly scans?: readonly RecordedScan[];
}

/** Returns the lines that replace a line of the recording; empty to remove it. */
export type SettleLine = (text: string, number: number) => readonly string[];

/**
 * Rewrites a recording line by line, and adds the end mark. Returns the number of conditions that were misread.
 * `uncertain` tables were defined again during the recording.
 */
export async function settle(
  path: string,
  settleLine: SettleLine,
  uncertain: ReadonlySet<string> = new Set(),
  rest: () => Iterable<string> = () => [],
): Promise<number> {
  const settled = `${path}.settled`;
  let misread = 0;
  const told = withoutMisleadingReads(() => misread++, uncertain);
  await rewrite(
    path,
    settled,
    function* (text, number) {
      for (const line of settleLine(text, number)) yield told(line);
    },
    function* () {
      for (const line of rest()) yield told(line);
      yield '{"isolab":"end"}';
    },
  );
  renameSync(settled, path);
  return misread;
}

/** Facts about tables that are only known at the end of a recording. */
export interface Known {
  readonly isUndisturbed: (table: string) => boolean;
  readonly redefined: ReadonlyMap<string, Redefined>;
  readonly tuples: Tuples;
}

/**
 * Adds to each transaction's line the information that SELECTs give about rows that they did not return, for tables
 * whose writes are all known. These tables are only known at the end. In a table whose columns changed, versions are
 * given by their writers alone, because a version has different columns before and after the change.
 */
export const scansOnly = ({ isUndisturbed, redefined, tuples }: Known): SettleLine => {
  const isKept = ([, table]: readonly unknown[]): boolean => redefined.get(table as string) !== 'key';
  const rowOf = (table: string, row: object | null): object | null =>
    row !== null && redefined.has(table) ? { xmin: (row as { readonly xmin: unknown }).xmin } : row;
  const settled = ([kind, table, key, row]: Operation): Operation => [
    kind,
    table,
    key,
    rowOf(table as string, row as object | null),
  ];
  return (text) => {
    if (!text.includes('"scans":[') && tuples.isEmpty && redefined.size === 0) return [text];
    if (text.startsWith('{"rows":')) {
      const { rows } = JSON.parse(text) as { rows: (readonly [string, unknown, object])[] };
      const kept = rows.filter(([table]) => redefined.get(table) !== 'key');
      const told = kept.map(([table, key, row]) =>
        JSON.stringify([table, tuples.keyOf(table, key, row), rowOf(table, row)]),
      );
      return told.length === 0 ? [] : [`{"rows":[${[...new Set(told)].join()}]}`];
    }
    if (!isTransaction(text)) return [text];
    const line = JSON.parse(text) as Unsettled;
    if (line.steps === undefined) {
      const ops = line.ops.filter(isKept).map(settled);
      for (const [i, [kind, table, key, row]] of ops.entries())
        if (row !== null) ops[i] = [kind, table, tuples.keyOf(table as string, key, row as object), row];
      return ops.length === 0 ? [] : [JSON.stringify({ ...line, ops })];
    }
    const steps = stepsOf(line);
    for (const step of steps) step.operations = step.operations.filter(isKept).map(settled);
    forgetsUncertain(steps);
    tuples.rename(steps, () => undefined);
    return [lineOf(line, steps, isUndisturbed)];
  };
};

export function stepsOf({ ops, steps = [], scans = [] }: Unsettled): LogStep[] {
  const found = new Map(scans.map(([step, ...scan]) => [step, scan]));
  let at = 0;
  return steps.map(([shape, count, flag, locks], i) => {
    const operations = ops.slice(at, at + count);
    at += count;
    return {
      shape,
      operations,
      mayWriteUnseen: flag === 1,
      scan: found.get(i) ?? null,
      more: [],
      ...(locks && { locks }),
    };
  });
}

/**
 * Drops reads that are uncertain: a transaction that is missing in the log may have written versions that look like
 * foreign versions, and may have read its own versions afterwards.
 */
export function forgetsUncertain(steps: readonly LogStep[]): void {
  let mayHaveWritten = false;
  for (const step of steps) {
    if (mayHaveWritten) {
      step.scan = null;
      step.operations = step.operations.filter(([kind]) => kind === 'put');
    }
    mayHaveWritten ||= step.mayWriteUnseen;
  }
}

/** Formats a transaction's line with its scans as operations. */
export function lineOf(line: Unsettled, steps: readonly LogStep[], isUndisturbed: (table: string) => boolean): string {
  const { ops: _, steps: __, scans: ___, ...rest } = line;
  const done = steps.flatMap((step) =>
    partsOf(step, isUndisturbed).map((operations, i) => ({ ...step, operations, ...(i > 0 && { locks: undefined }) })),
  );
  return JSON.stringify({
    ...rest,
    ops: done.flatMap(({ operations }) => operations),
    steps: done.map(({ shape, operations, locks }) => [shape, operations.length, ...(locks ? [0, locks] : [])]),
  });
}

/** Splits the operations of a statement where a read would look like a read of the replaced row. */
function partsOf(step: LogStep, isUndisturbed: (table: string) => boolean): (readonly Operation[])[] {
  const operations = scanned(step, isUndisturbed);
  const [last, next] = [operations.at(-1), step.more[0]];
  const isMistakable = last?.[0] === 'get' && next?.[0] === 'put' && last[1] === next[1] && last[2] === next[2];
  return isMistakable ? [operations, step.more] : [[...operations, ...step.more]];
}

function scanned({ operations, scan }: LogStep, isUndisturbed: (table: string) => boolean): readonly Operation[] {
  if (!scan || !isUndisturbed(scan[0])) return operations;
  const [table, where, key] = scan;
  // Own versions that the transaction found, and that a trigger or a function wrote, come first.
  const written = operations.filter(([kind]) => kind === 'put');
  const found = operations.filter(([kind]) => kind === 'get');
  const read =
    where === null
      ? ['get', table, key, null]
      : ['scan', table, where, found.map(([, , foundKey, row]) => [foundKey, row])];
  return [...written, read];
}
