import { type Predicate, type Row, matches, tableOfRow } from '@isolab/history';
import { type LockMode, conflict } from '../sql/locks.ts';
import { type Program, type Run, lockIn } from './programs.ts';

/** The rows that a transaction accessed, and the steps that accessed them. */
export interface Accesses {
  readonly program: Program;
  readonly run: Run;
  /** The transaction's first read of each row. */
  readonly reads: readonly Read[];
  readonly scans: readonly Scan[];
  /** For each row, the steps that read, locked or wrote it. */
  readonly touched: ReadonlyMap<string, readonly number[]>;
  /** For each row, the first step that wrote it. */
  readonly written: ReadonlyMap<string, number>;
  /** For each row, and each lock of another kind, the locks that the transaction holds from a step on. */
  readonly held: ReadonlyMap<string, readonly Hold[]>;
  /** Rows that the transaction inserted or changed, in their final state. */
  readonly left: ReadonlyMap<string, Row>;
  readonly inserted: ReadonlySet<string>;
}

/** A lock that is held from a step on. */
interface Hold {
  readonly step: number;
  readonly mode: LockMode;
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
  const held = new Map<string, Hold[]>();
  const hold = (name: string, step: number, mode: LockMode): void => {
    held.set(name, [...(held.get(name) ?? []), { step, mode }]);
  };
  const left = new Map<string, Row>();
  const inserted = new Set<string>();
  for (const [step, done] of run.steps.entries()) {
    for (const row of done.writes.keys()) if (!touched.has(row) && !done.reads.has(row)) inserted.add(row);
    for (const row of new Set([...done.reads.keys(), ...done.writes.keys()]))
      touched.set(row, [...(touched.get(row) ?? []), step]);
    for (const [name, mode] of done.taken) hold(`lock ${name}`, step, mode);
    for (const row of done.reads.keys()) {
      const mode = lockIn(done.statement, tableOfRow(row));
      if (mode !== null) hold(row, step, mode);
    }
    for (const [row, columns] of done.writes) hold(row, step, columns === null ? DELETE : UPDATE);
    for (const [row, isThere] of done.reads) if (!reads.has(row)) reads.set(row, { row, isThere, step });
    for (const [row, columns] of done.writes) {
      if (!written.has(row)) written.set(row, step);
      if (columns) left.set(row, columns);
      else left.delete(row);
    }
    scans.push(...done.scans.map((scan) => ({ ...scan, step })));
  }
  return { program, run, reads: [...reads.values()], scans, touched, written, held, left, inserted };
}

const UPDATE: LockMode = 3;
const DELETE: LockMode = 4;

/** Returns whether a transaction, from a step on, holds a lock that another one must wait for until it writes a row. */
const isHeldAgainst = ({ held }: Accesses, row: string, step: number, writer: Accesses): boolean =>
  (held.get(row) ?? []).some(
    (hold) =>
      hold.step <= step && (writer.held.get(row) ?? []).some(({ mode }) => isWrite(mode) && conflict(hold.mode, mode)),
  );

const isWrite = (mode: LockMode): boolean => mode >= UPDATE;

/** Returns whether a lock that one transaction holds at a step keeps another transaction from a lock. */
export const isLockedAgainst = (
  one: Accesses,
  step: number,
  other: Accesses,
  otherStep: number,
  isCounted: (name: string) => boolean = () => true,
): boolean =>
  [...one.held].some(
    ([name, holds]) =>
      isCounted(name) &&
      holds.some(
        (hold) =>
          hold.step <= step &&
          (other.held.get(name) ?? []).some((its) => its.step <= otherStep && conflict(hold.mode, its.mode)),
      ),
  );

/**
 * Reads of a transaction that precede a write of the row by another transaction. If `reader` and `writer` are equal,
 * the writer is a second run of the same program.
 */
export function staleReads(reader: Accesses, writer: Accesses): StaleRead[] {
  const stale: StaleRead[] = reader.reads
    .filter(
      ({ row, isThere, step }) =>
        writer.written.has(row) && isThere !== writer.inserted.has(row) && !isHeldAgainst(reader, row, step, writer),
    )
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
  reader !== writer && isHeldAgainst(reader, row, step, writer);

/** Returns whether two transactions cannot both continue after these reads: one waits, or the database aborts one. */
export function isKeptApart(one: Accesses, step: number, other: Accesses, otherStep: number): boolean {
  if (one.run.level === 'serializable' && other.run.level === 'serializable') return true;
  // The second run of a program would insert its own rows.
  const isCounted = (row: string): boolean => !(one === other && one.inserted.has(row));
  if (one.run.level === 'read committed' || other.run.level === 'read committed')
    return isLockedAgainst(one, step, other, otherStep, isCounted);
  // Under a snapshot, a lock on a row fails if the other transaction wrote the row, but not if it only locked the row.
  const isWritten = (writer: Accesses, locker: Accesses): boolean =>
    [...writer.written.keys()].some(
      (row) =>
        isCounted(row) &&
        (locker.held.get(row) ?? []).some(({ mode }) =>
          writer.held.get(row)!.some((hold) => isWrite(hold.mode) && conflict(hold.mode, mode)),
        ),
    );
  const isShared = [...one.written.keys()].some((row) => isCounted(row) && other.written.has(row));
  return isShared || (isWritten(one, other) && isWritten(other, one));
}
