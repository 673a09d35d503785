import { type Predicate, type Row, matches, tableOfRow } from '@isolab/history';
import type { Program, Run, ProgramStep } from './programs.ts';

/** The rows that a transaction accessed, and the steps that accessed them. */
export interface Accesses {
  readonly program: Program;
  readonly run: Run;
  /** The transaction's first read of each row, unless that read prevents other transactions from writing the row. */
  readonly reads: readonly Read[];
  readonly scans: readonly Scan[];
  /** For each row, the steps that read, locked or wrote it. */
  readonly touched: ReadonlyMap<string, readonly number[]>;
  /** For each row, the first step that wrote it. */
  readonly written: ReadonlyMap<string, number>;
  /** For each row, the first step that wrote or locked it. After that step, no other transaction can write the row. */
  readonly held: ReadonlyMap<string, number>;
  /** Rows that the transaction inserted or changed, in their final state. */
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
  /** The scan, if the row was not in its result: the row did not exist yet or did not match. */
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
 * Reads of a transaction that precede a write of the row by another transaction. If `reader` and `writer` are equal,
 * the writer is a second run of the same program.
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

/** Returns whether two transactions cannot both continue after these reads: one waits, or the database aborts one. */
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
        // The second run would insert its own row.
        !(one === other && one.inserted.has(row)),
    );
  if (one.run.level === 'read committed' || other.run.level === 'read committed')
    return shared(one.held, other.held, step, otherStep);
  // Under a snapshot, locking a row fails if the other transaction wrote the row, but not if it only locked the row.
  const isShared = (rows: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean =>
    shared(rows, others, Infinity, Infinity);
  return (
    isShared(one.written, other.written) || (isShared(one.written, other.held) && isShared(one.held, other.written))
  );
}
