import { type Predicate, type Row, matches, tableOfRow } from '@isolab/history';
import type { Program, Run, ProgramStep } from './programs.ts';

/** A transaction's accesses to rows, and the steps that made them. */
export interface Accesses {
  readonly program: Program;
  readonly run: Run;
  /** Its first read of each row, where that does not keep other transactions from writing the row. */
  readonly reads: readonly Read[];
  readonly scans: readonly Scan[];
  /** Steps that touched a row in any way, by row. */
  readonly touched: ReadonlyMap<string, readonly number[]>;
  /** First step that wrote a row, by row. */
  readonly written: ReadonlyMap<string, number>;
  /** First step that wrote or locked a row, by row. After it, no other transaction can write the row. */
  readonly held: ReadonlyMap<string, number>;
  /** Rows that it made or changed, as it left them. */
  readonly left: ReadonlyMap<string, Row>;
  readonly inserted: ReadonlySet<string>;
}

interface Read {
  readonly row: string;
  readonly isThere: boolean;
  readonly step: number;
}

interface Scan {
  readonly table: string;
  readonly where: Predicate;
  readonly step: number;
}

/** A read that another transaction's write makes out of date. */
export interface StaleRead extends Read {
  /** Scan that did not return the row, which was not there yet or did not match. */
  readonly scan: Scan | null;
}

export function accessesOf(program: Program, run: Run): Accesses {
  const reads = new Map<string, Read>();
  const scans: Scan[] = [];
  const touched = new Map<string, number[]>();
  const written = new Map<string, number>();
  const held = new Map<string, number>();
  const left = new Map<string, Row>();
  const inserted = new Set<string>();
  for (const [step, done] of run.steps.entries()) {
    for (const row of done.writes.keys()) if (!touched.has(row) && !done.reads.has(row)) inserted.add(row);
    for (const row of new Set([...done.reads.keys(), ...done.writes.keys()]))
      touched.set(row, [...(touched.get(row) ?? []), step]);
    for (const row of heldBy(done)) if (!held.has(row)) held.set(row, step);
    for (const [row, isThere] of done.reads)
      if (!held.has(row) && !reads.has(row)) reads.set(row, { row, isThere, step });
    for (const [row, columns] of done.writes) {
      if (!written.has(row)) written.set(row, step);
      if (columns) left.set(row, columns);
      else left.delete(row);
    }
    scans.push(...done.scans.map((scan) => ({ ...scan, step })));
  }
  return { program, run, reads: [...reads.values()], scans, touched, written, held, left, inserted };
}

/** An UPDATE or DELETE reads its rows as it writes. */
function heldBy({ locks, reads, writes }: ProgramStep): Iterable<string> {
  return locks ? [...writes.keys(), ...reads.keys()] : writes.keys();
}

/**
 * Reads of a transaction before another one wrote the row. For a transaction and itself, the writer is another one like
 * it.
 */
export function staleReads(reader: Accesses, writer: Accesses): StaleRead[] {
  const stale: StaleRead[] = reader.reads
    .filter(({ row, isThere }) => writer.written.has(row) && isThere !== writer.inserted.has(row))
    .map((read) => ({ ...read, scan: null }));
  for (const scan of reader.scans)
    for (const [row, columns] of writer.left) {
      if (tableOfRow(row) !== scan.table || reader.run.steps[scan.step]!.reads.has(row)) continue;
      const isLater = reader === writer ? writer.inserted.has(row) && writer.written.get(row)! > scan.step : true;
      if (isLater && !isWrittenBefore(reader, row, scan.step, writer) && matches(scan.where, columns))
        stale.push({ row, isThere: false, step: scan.step, scan });
    }
  return stale;
}

const isWrittenBefore = (reader: Accesses, row: string, step: number, writer: Accesses): boolean =>
  reader !== writer && (reader.held.get(row) ?? Infinity) <= step;

/** Returns whether two transactions cannot both continue after these reads of theirs: they wait, or the database refuses one. */
export function isKeptApart(one: Accesses, step: number, other: Accesses, otherStep: number): boolean {
  if (one.run.level === 'serializable' && other.run.level === 'serializable') return true;
  const shared = (
    rows: ReadonlyMap<string, number>,
    others: ReadonlyMap<string, number>,
    until: number,
    otherUntil: number,
  ): boolean =>
    [...rows].some(
      ([row, since]) =>
        since <= until &&
        others.has(row) &&
        others.get(row)! <= otherUntil &&
        // Another transaction like it would insert a row of its own.
        !(one === other && one.inserted.has(row)),
    );
  if (one.run.level === 'read committed' || other.run.level === 'read committed')
    return shared(one.held, other.held, step, otherStep);
  // From a snapshot, a lock of a row that the other one wrote is refused; a lock of a row that it only locked is not.
  const isShared = (rows: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean =>
    shared(rows, others, Infinity, Infinity);
  return (
    isShared(one.written, other.written) || (isShared(one.written, other.held) && isShared(one.held, other.written))
  );
}
