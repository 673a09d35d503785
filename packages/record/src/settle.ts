import { once } from 'node:events';
import { createReadStream, createWriteStream, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';

type Operation = readonly unknown[];

/** `[3,2,"doctors",CONDITION]`: operations 3 and 4 are what a scan found; with null and a key: there was no such row. */
type Scan = readonly [first: number, rows: number, table: string, where: unknown, key?: string | number];

interface Line {
  ops: Operation[];
  scans?: Scan[];
}

/**
 * Puts what SELECTs said of rows that they did not return into the lines of their transactions, for tables that nobody
 * changed but those who were recorded; only at the end is it known of which tables this is true.
 */
export async function settle(path: string, isUndisturbed: (table: string) => boolean): Promise<void> {
  const settled = `${path}.settled`;
  const out = createWriteStream(settled);
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity }))
    if (!out.write(`${line.includes('"scans":[') ? settledLine(line, isUndisturbed) : line}\n`))
      await once(out, 'drain');
  out.end('{"isolab":"end"}\n');
  await once(out, 'finish');
  renameSync(settled, path);
}

/** A line of a transaction with its scans as operations. */
export function settledLine(text: string, isUndisturbed: (table: string) => boolean): string {
  const { ops, scans, ...rest } = JSON.parse(text) as Line;
  if (scans === undefined) return text;
  const operations: Operation[] = [];
  let done = 0;
  for (const [first, rows, table, where, key] of scans) {
    operations.push(...ops.slice(done, first));
    const found = ops.slice(first, first + rows);
    done = first + rows;
    if (!isUndisturbed(table)) operations.push(...found);
    else if (where === null) operations.push(['get', table, key, null]);
    else operations.push(['scan', table, where, found.map(([, , foundKey, row]) => [foundKey, row])]);
  }
  operations.push(...ops.slice(done));
  return JSON.stringify({ ...rest, ops: operations });
}
