import { once } from 'node:events';
import { createWriteStream, renameSync } from 'node:fs';
import type { TransactionLine } from './lines.ts';
import { linesOf } from './lines.ts';

type Operation = readonly unknown[];

/** `[3,2,"doctors",CONDITION]`: operations 3 and 4 are what a scan found; with null and a key: there was no such row. */
type Scan = readonly [first: number, rows: number, table: string, where: unknown, key?: string | number];

interface Unsettled extends TransactionLine {
  readonly scans?: readonly Scan[];
}

/**
 * Puts what SELECTs said of rows that they did not return into the lines of their transactions, for tables that nobody
 * changed but those who were recorded; only at the end is it known of which tables this is true.
 */
export async function settle(path: string, isUndisturbed: (table: string) => boolean): Promise<void> {
  const settled = `${path}.settled`;
  const out = createWriteStream(settled);
  for await (const [, line] of linesOf(path))
    if (!out.write(`${line.includes('"scans":[') ? settledLine(line, isUndisturbed) : line}\n`))
      await once(out, 'drain');
  out.end('{"isolab":"end"}\n');
  await once(out, 'finish');
  renameSync(settled, path);
}

/** A line of a transaction with its scans as operations. */
function settledLine(text: string, isUndisturbed: (table: string) => boolean): string {
  const { ops, steps = [], scans, ...rest } = JSON.parse(text) as Unsettled;
  if (scans === undefined) return text;
  const operations: Operation[] = [];
  const counts: (readonly [number, number])[] = [];
  let [at, nextScan] = [0, 0];
  for (const [shape, count] of steps) {
    const found = ops.slice(at, at + count);
    const scan = scans[nextScan];
    const isScan = scan !== undefined && scan[0] === at && scan[1] === count;
    const done = isScan && isUndisturbed(scan[2]) ? [scanned(scan, found)] : found;
    if (isScan) nextScan++;
    operations.push(...done);
    counts.push([shape, done.length]);
    at += count;
  }
  return JSON.stringify({ ...rest, ops: operations, steps: counts });
}

const scanned = ([, , table, where, key]: Scan, found: readonly Operation[]): Operation =>
  where === null
    ? ['get', table, key, null]
    : ['scan', table, where, found.map(([, , foundKey, row]) => [foundKey, row])];
