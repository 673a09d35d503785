import { matches } from '@isolab/history';
import { overwrites } from '../sql/assignments.ts';
import type { Level } from '../sql/planned.ts';
import type { Access, Ran, Row, Scanned, Version, Versions } from './versions.ts';

export type MeetingName = 'lost-update' | 'non-repeatable-read' | 'read-skew' | 'write-skew';

/** Two transactions of an anomaly. docs/record.md defines the count for each name. */
export interface Meeting {
  readonly name: MeetingName;
  /** The weakest level that prevents the anomaly. */
  readonly preventedBy: Level;
  /** The transaction that missed a write, and the writer. */
  readonly parties: readonly [Ran, Ran];
  /** The rows on which the two transactions met. */
  readonly rows: ReadonlySet<Row>;
  /** The outdated reads: without them, this anomaly did not happen. */
  readonly stale: readonly Stale[];
  /** The lost version of a lost update, and the version that the other transaction overwrote it with. */
  readonly lost: { readonly version: Version; readonly by: Version; readonly read: Version } | null;
}

/** A read, or a scan that did not see a row, in its transaction. */
export interface Stale {
  readonly reader: Ran;
  readonly step: number;
  readonly row: Row;
  readonly scan: Scanned | null;
}

export interface Meetings {
  readonly meetings: readonly Meeting[];
  /** All outdated reads of pairs that met. Without them, the pairs have an order. */
  readonly stale: readonly Stale[];
}

/** Finds all meetings of two transactions. Each lost update appears once, and each reader once for inconsistent reads. */
export function meetingsIn({ transactions, shapes }: Versions): Meetings {
  const writes = new WritesOfTables(transactions);
  const missed = new Map(transactions.map((ran) => [ran, missedBy(ran, writes)]));
  const meetings: Meeting[] = [];
  const stale: Stale[] = [];
  const lost = new Set<Version>();
  for (const reader of transactions) {
    for (const meeting of overwritten(reader, shapes)) {
      stale.push(...meeting.stale);
      const version = meeting.lost?.version;
      if (version === undefined || lost.has(version)) continue;
      lost.add(version);
      meetings.push(meeting);
    }
    let isTold = false;
    for (const meeting of repeatedReads(reader, shapes)) {
      stale.push(...meeting.stale);
      if (!isTold) meetings.push(meeting);
      isTold = true;
    }
    for (const [writer, reads] of missed.get(reader)!) {
      const back = missed.get(writer)?.get(reader);
      const parties = [reader, writer] as const;
      const at = rowPreceding(writer, reader);
      if (at !== null) {
        stale.push(...reads);
        const others = reads.filter(({ row, scan }) => scan !== null || row !== at);
        if (isTold || others.length === 0 || reads.some(({ row, scan }) => isOverwritten(scan, row, reader, writer)))
          continue;
        isTold = true;
        const rows = new Set([at, ...others.map(({ row }) => row)]);
        meetings.push({ name: 'read-skew', preventedBy: 'repeatable read', parties, rows, stale: reads, lost: null });
      } else if (back && reader.line < writer.line && rowPreceding(reader, writer) === null) {
        const all = [...reads, ...back];
        stale.push(...all);
        const rows = new Set(all.map(({ row }) => row));
        meetings.push({ name: 'write-skew', preventedBy: 'serializable', parties, rows, stale: all, lost: null });
      }
    }
  }
  return { meetings, stale };
}

const isOverwritten = (scan: Scanned | null, row: Row, reader: Ran, writer: Ran): boolean =>
  scan === null && reader.writes.has(row) && writer.writes.has(row);

/** Returns a row that shows that one transaction came first: the other one saw its version, or overwrote it. */
function rowPreceding(first: Ran, second: Ran): Row | null {
  for (const [row, { version }] of first.writes) {
    if (version.place < 0) continue;
    const later = second.writes.get(row)?.version;
    if (later && later.place > version.place) return row;
  }
  const seen = second.reads.find(({ row, version, isReplaced }) => {
    const written = first.writes.get(row)?.version;
    return written && !isReplaced && version.writer !== second && written.place >= 0 && version.place >= written.place;
  });
  return seen?.row ?? null;
}

/** Finds the transactions whose writes a transaction did not see although it read the rows. */
function missedBy(reader: Ran, writes: WritesOfTables): Map<Ran, Stale[]> {
  const missed = new Map<Ran, Stale[]>();
  const add = (writer: Ran | null, stale: Stale): void => {
    if (writer === null || writer === reader) return;
    const known = missed.get(writer);
    if (known) known.push(stale);
    else missed.set(writer, [stale]);
  };
  for (const { row, version, step, isReplaced } of reader.reads) {
    if (isReplaced || version.place < 0 || version.writer === reader) continue;
    const { chain } = row;
    for (let [place, misses] = [version.place + 1, 0]; place < chain.length && misses < ENOUGH_LATER; place++) {
      const { writer } = chain[place]!;
      // Later writers waited for this transaction.
      if (writer === reader) break;
      misses = writer!.begin > reader.end ? misses + 1 : 0;
      if (misses === 0) add(writer, { reader, step, row, scan: null });
    }
  }
  for (const scan of reader.scans)
    for (const version of writes.during(scan.table.name, reader)) {
      const { row, columns, writer } = version;
      if (scan.found.has(row) || reader.writes.has(row) || columns === null || !matches(scan.where, columns)) continue;
      const later = row.chain.slice(version.place + 1).filter((each) => each.writer!.committing < reader.end);
      if (later.some((each) => each.columns === null || !matches(scan.where, each.columns))) continue;
      add(writer, { reader, step: scan.step, row, scan });
    }
  return missed;
}

/** The versions that were written in each table, by the time of their commit. */
class WritesOfTables {
  readonly #versions = new Map<string, Version[]>();

  constructor(transactions: readonly Ran[]) {
    for (const { writes } of transactions)
      for (const { row, version } of writes.values()) {
        if (version.place < 0) continue;
        const known = this.#versions.get(row.table.name);
        if (known) known.push(version);
        else this.#versions.set(row.table.name, [version]);
      }
    for (const versions of this.#versions.values())
      versions.sort((a, b) => a.writer!.end - b.writer!.end || a.writer!.line - b.writer!.line);
  }

  /** Versions of writers that ran at the same time as a transaction. */
  *during(table: string, { begin, end }: Ran): Iterable<Version> {
    const versions = this.#versions.get(table) ?? [];
    let [low, high] = [0, versions.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (versions[middle]!.writer!.end < begin) low = middle + 1;
      else high = middle;
    }
    for (let misses = 0; low < versions.length && misses < ENOUGH_LATER; low++)
      if (versions[low]!.writer!.begin <= end) {
        misses = 0;
        yield versions[low]!;
      } else misses++;
  }
}

/** Number of consecutive writers that began after a transaction, after which no other one is expected. */
const ENOUGH_LATER = 1_000;

/** Finds the updates that a transaction overwrote without having seen them. */
function* overwritten(reader: Ran, shapes: ReadonlyMap<number, string>): Iterable<Meeting> {
  for (const [row, { step, version: by }] of reader.writes) {
    const read = reader.reads.findLast(
      (each) => each.row === row && each.step <= step && !each.isReplaced && each.version.writer !== reader,
    );
    if (!read || read.version.place < 0 || by.place < 0) continue;
    for (let place = by.place - 1; place > read.version.place; place--) {
      const version = row.chain[place]!;
      if (version.writer === reader || version.writer === null) continue;
      const before = row.chain[place - 1]!;
      if (!overwrites(shapes.get(reader.steps[step]!) ?? '', before.columns, version.columns)) continue;
      yield {
        name: 'lost-update',
        preventedBy: 'repeatable read',
        parties: [reader, version.writer],
        rows: new Set([row]),
        stale: [{ reader, step: read.step, row, scan: null }],
        lost: { version, by, read: read.version },
      };
    }
  }
}

/** Finds the rows that a transaction read in two versions of other transactions. */
function* repeatedReads(reader: Ran, shapes: ReadonlyMap<number, string>): Iterable<Meeting> {
  const read = new Map<Row, Access>();
  for (const access of reader.reads) {
    const { row, version, step, isReplaced } = access;
    if (version.place < 0 || version.writer === reader) continue;
    const before = read.get(row);
    if (!before && isReplaced) continue;
    read.set(row, access);
    if (!before || before.version.place >= version.place || version.writer === null) continue;
    const sql = shapes.get(reader.steps[step]!) ?? '';
    if (isReplaced && overwrites(sql, before.version.columns, version.columns)) continue;
    const stale = reader.reads
      .filter((each) => each.row === row && each.version.place < version.place)
      .map((each) => ({ reader, step: each.step, row, scan: null }));
    const parties = [reader, version.writer] as const;
    const rows = new Set([row]);
    yield { name: 'non-repeatable-read', preventedBy: 'repeatable read', parties, rows, stale, lost: null };
  }
}

/** Returns the statements of each party that touched the rows of the meeting, in order. */
export const statementsOf = (meeting: Meeting, shapes: ReadonlyMap<number, string>): [string[], string[]] =>
  meeting.parties.map((party) => {
    const steps = [...stepsOn(meeting, party)].toSorted((a, b) => a - b);
    return steps.map((step) => shapes.get(party.steps[step]!) ?? '');
  }) as [string[], string[]];

function stepsOn({ rows, stale }: Meeting, party: Ran): Set<number> {
  const steps = new Set(stale.filter(({ reader }) => reader === party).map(({ step }) => step));
  for (const { row, step } of party.reads) if (rows.has(row)) steps.add(step);
  for (const [row, { step }] of party.writes) if (rows.has(row)) steps.add(step);
  return steps;
}

/** Returns the lines of the writers between the versions that the two transactions read and wrote. */
export function writersBetween({ rows, parties }: Meeting): Set<number> {
  const lines = new Set<number>();
  for (const row of rows) {
    const places = parties.flatMap(({ reads, writes }) => {
      const written = writes.get(row);
      const read = reads.filter((each) => each.row === row).map(({ version }) => version.place);
      return [...read, ...(written ? [written.version.place] : [])];
    });
    for (const { writer } of row.chain.slice(Math.max(0, Math.min(...places)), Math.max(...places) + 1))
      if (writer) lines.add(writer.line);
  }
  return lines;
}
