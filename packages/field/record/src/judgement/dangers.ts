import { type Predicate, tableOfRow } from '@isolab/history';
import type { Level } from '../sql/planned.ts';
import { type Accesses, type StaleRead, accessesOf, isKeptApart, isLockedAgainst, staleReads } from './accesses.ts';
import type { Program } from './programs.ts';

/**
 * An anomaly that could happen if transactions that touched the same rows in a recording ran concurrently: they form a
 * cycle that neither locks nor isolation levels prevent.
 */
export interface Danger {
  readonly name: DangerName;
  /** The weakest level that prevents the anomaly. */
  readonly preventedBy: Level;
  /** The transactions, in the order of the cycle. */
  readonly parties: readonly Party[];
  /** Programs that could take the last place in the cycle as well. */
  readonly others: readonly Program[];
}

export type DangerName =
  | 'lost-update'
  | 'write-skew'
  | 'read-skew'
  | 'non-repeatable-read'
  | 'read-only-anomaly'
  | 'longer-cycle';

const WORST_FIRST: readonly DangerName[] = [
  'lost-update',
  'write-skew',
  'read-skew',
  'non-repeatable-read',
  'read-only-anomaly',
  'longer-cycle',
];

export interface Party {
  readonly program: Program;
  readonly line: number;
  /** The party's statements that take part in the cycle. */
  readonly statements: readonly string[];
}

/** For each table, the sets of columns on which the database enforces uniqueness. */
export type UniqueColumns = ReadonlyMap<string, readonly (readonly string[])[]>;

const WRITERS_OF_A_ROW = 4;
const PAIRS_OF_PROGRAMS = 64;

/** Returns the dangers that a recording shows, the worst first. */
export function dangersOf(programs: readonly Program[], unique: UniqueColumns): Danger[] {
  const all = programs.flatMap((program) => program.runs.map((run) => accessesOf(program, run)));
  const found = new Found();
  const overtaking = overtakings(all, unique);
  for (const each of overtaking.values()) {
    for (const by of each) {
      findReadsInTwoStates(by, found);
      findWriteSkew(by, overtaking.get(by.writer) ?? [], found);
    }
  }
  for (const each of overtaking.values())
    for (const by of each) findLongerCycles(by, overtaking.get(by.writer) ?? [], found);
  return found.dangers.toSorted((a, b) => WORST_FIRST.indexOf(a.name) - WORST_FIRST.indexOf(b.name));
}

/** A possible anti-dependency: a transaction can write a row that another, still-running transaction has read. */
interface Overtaking {
  readonly reader: Accesses;
  readonly writer: Accesses;
  readonly reads: readonly StaleRead[];
}

function overtakings(all: readonly Accesses[], unique: UniqueColumns): Map<Accesses, Overtaking[]> {
  const writersOf = new Map<string, Accesses[]>();
  for (const each of all)
    for (const place of new Set([...each.written.keys()].flatMap((row) => [row, tableOfRow(row)]))) {
      const writers = writersOf.get(place) ?? [];
      writersOf.set(place, writers);
      if (writers.filter(({ program }) => program === each.program).length < WRITERS_OF_A_ROW) writers.push(each);
    }
  const pairs = new Map<string, number>();
  const overtaking = new Map<Accesses, Overtaking[]>();
  for (const reader of all) {
    const places = [...reader.reads.map(({ row }) => row), ...reader.scans.map(({ table }) => table)];
    // Another run of the same program comes first: developers forget it most often.
    const writers = new Set(reader.written.size > 0 ? [reader] : []);
    for (const place of places) for (const writer of writersOf.get(place) ?? []) writers.add(writer);
    const ofReader: Overtaking[] = [];
    for (const writer of writers) {
      const pair = `${reader.program.name} ${writer.program.name}`;
      const tried = pairs.get(pair) ?? 0;
      if (tried >= PAIRS_OF_PROGRAMS && writer !== reader) continue;
      const reads = staleReads(reader, writer).filter((read) => !isForbidden(read, reader, unique));
      if (reads.length === 0) continue;
      pairs.set(pair, tried + 1);
      ofReader.push({ reader, writer, reads });
    }
    if (ofReader.length > 0) overtaking.set(reader, ofReader);
  }
  return overtaking;
}

/** Returns whether a unique constraint forbids that the unseen row and the reader's own row both exist. */
function isForbidden({ row, isThere, scan }: StaleRead, { left, inserted }: Accesses, unique: UniqueColumns): boolean {
  if (!scan) return !isThere && inserted.has(row);
  if (![...left.keys()].some((own) => tableOfRow(own) === scan.table)) return false;
  const columns = equated(scan.where);
  return (unique.get(scan.table) ?? []).some((some) => some.every((column) => columns.has(column)));
}

/** The columns that a condition compares with a value for equality. */
function equated(where: Predicate): Set<string> {
  if (where === true) return new Set();
  if (where[0] === 'and') return new Set(where.slice(1).flatMap((part) => [...equated(part as Predicate)]));
  return new Set(where[0] === '=' ? [where[1]] : []);
}

/** At READ COMMITTED, a transaction sees the other transaction's later writes, but has already read the older state. */
function findReadsInTwoStates({ reader, writer, reads }: Overtaking, found: Found): void {
  if (reader.run.level !== 'read committed') return;
  for (const { row, step, scan } of reads) {
    if (scan && writer === reader) continue;
    if (isLockedAgainst(reader, step, writer, Infinity, (name) => name !== row)) continue;
    for (const [touched, steps] of reader.touched) {
      const later = steps.findLast((each) => each > step);
      if (later === undefined || !writer.written.has(touched)) continue;
      const isSameRow = touched === row;
      const writes = reader.run.steps[later]!.writes.has(touched);
      if (scan && isSameRow && writes) continue;
      if (writer === reader && !(isSameRow && writes)) continue;
      const name = isSameRow ? (writes ? 'lost-update' : 'non-repeatable-read') : 'read-skew';
      found.add({
        name,
        preventedBy: 'repeatable read',
        parties: [partyOf(reader, [step, later]), partyOf(writer, stepsThatWrite(writer, [row, touched]))],
      });
    }
  }
}

/** Finds pairs of transactions that each read a row that the other one writes, and write different rows. */
function findWriteSkew({ reader, writer, reads }: Overtaking, ofWriter: readonly Overtaking[], found: Found): void {
  for (const back of ofWriter) {
    if (back.writer !== reader) continue;
    // Two runs of one program write the same rows, apart from the rows that they insert.
    const there = reads.find(({ row, scan }) => (reader === writer ? scan !== null : !reader.written.has(row)));
    const here = back.reads.find(({ row, scan }) => (reader === writer ? scan !== null : !writer.written.has(row)));
    if (!there || !here || isKeptApart(reader, there.step, writer, here.step)) continue;
    found.add({
      name: 'write-skew',
      preventedBy: 'serializable',
      parties: [
        partyOf(reader, [there.step, ...stepsThatWrite(reader, [here.row])]),
        partyOf(writer, [here.step, ...stepsThatWrite(writer, [there.row])]),
      ],
    });
  }
}

/**
 * Finds cycles of three transactions: the first one misses a write of the second one, and the second one misses a write of
 * the third one, which the first one sees.
 */
function findLongerCycles({ reader, writer, reads }: Overtaking, ofWriter: readonly Overtaking[], found: Found): void {
  const first = reads.find(({ row }) => !reader.written.has(row));
  if (!first || reader === writer) return;
  for (const { writer: third, reads: others } of ofWriter) {
    const second = others.find(({ row }) => !writer.written.has(row));
    if (!second || third === reader || third === writer) continue;
    const seen = [...third.written.keys()].find((row) => reader.touched.has(row));
    if (seen === undefined || found.hasAmong([reader, writer, third])) continue;
    // The second transaction is concurrent with both of the other transactions.
    if (isKeptApart(reader, first.step, writer, second.step) || isKeptApart(writer, second.step, third, 0)) continue;
    found.add({
      name: reader.written.size === 0 ? 'read-only-anomaly' : 'longer-cycle',
      preventedBy: 'serializable',
      parties: [
        partyOf(reader, [first.step, reader.touched.get(seen)!.at(-1)!]),
        partyOf(writer, [second.step, ...stepsThatWrite(writer, [first.row])]),
        partyOf(third, stepsThatWrite(third, [second.row, seen])),
      ],
    });
  }
}

const stepsThatWrite = ({ written }: Accesses, rows: readonly string[]): number[] =>
  rows.map((row) => written.get(row)!);

const partyOf = ({ program, run }: Accesses, steps: readonly number[]): Party => ({
  program,
  line: run.line,
  statements: [...new Set(steps.toSorted((a, b) => a - b).map((step) => run.steps[step]!.statement))],
});

/** Keeps each danger once, keyed by the operations of all its transactions except the last. */
class Found {
  readonly #dangers = new Map<string, Danger>();
  readonly #pairs = new Set<string>();

  get dangers(): Danger[] {
    return [...this.#dangers.values()];
  }

  add({ name, preventedBy, parties }: Omit<Danger, 'others'>): void {
    if (parties.length === 2) this.#pairs.add(pairKey(parties.map(({ program }) => program)));
    // Write skew is symmetric: swapping the two parties gives the same danger.
    const reversed = name === 'write-skew' ? this.#dangers.get(keyOf(name, parties.toReversed())) : undefined;
    if (reversed && isParty(parties[0]!, reversed)) return;
    const key = keyOf(name, parties);
    const known = this.#dangers.get(key);
    const last = parties.at(-1)!.program;
    if (!known) this.#dangers.set(key, { name, preventedBy, parties, others: [] });
    else if (!isParty(parties.at(-1)!, known)) this.#dangers.set(key, { ...known, others: [...known.others, last] });
  }

  /** Returns whether two of the three transactions already form a known danger. */
  hasAmong(three: readonly Accesses[]): boolean {
    return three.some((one, i) =>
      three.slice(i + 1).some((other) => this.#pairs.has(pairKey([one.program, other.program]))),
    );
  }
}

const keyOf = (name: DangerName, parties: readonly Party[]): string =>
  JSON.stringify([name, parties.slice(0, -1).map(({ program, statements }) => [program.name, statements])]);

const isParty = ({ program }: Party, { parties, others }: Danger): boolean =>
  parties.at(-1)!.program === program || others.includes(program);

const pairKey = (programs: readonly Program[]): string =>
  programs
    .map(({ name }) => name)
    .toSorted()
    .join(' ');
