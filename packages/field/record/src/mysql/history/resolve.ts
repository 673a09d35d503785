import type { RowImage } from '../binlog/events.ts';
import type { Step, Transaction } from '../recording/transaction.ts';
import type { Aligned } from './align.ts';
import { overwrites } from '../../sql/assignments.ts';
import { foundRows, keyOf } from './reads.ts';
import { valueOf } from '../sql/condition.ts';
import type { Predicate } from '@isolab/history';
import {
  BETWEEN,
  NEVER,
  type RowHistory,
  type Rows,
  type TableState,
  type Version,
  type Writer,
  keyTextOf,
} from './rows.ts';

/** An operation on versions, which get their final numbers when all reads are resolved. */
export type Operation =
  | { readonly kind: 'get' | 'put'; readonly version: Version }
  | { readonly kind: 'absent'; readonly state: TableState; readonly key: readonly string[] }
  | {
      readonly kind: 'scan';
      readonly state: TableState;
      readonly where: Predicate;
      readonly found: readonly Version[];
    };

export interface ResolvedStep {
  readonly shape: string;
  readonly operations: readonly Operation[];
}

/** Times between which the state existed that a statement read. */
interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

/** A read of a transaction. */
interface Reading {
  readonly window: Window;
  /** The transaction's own versions, and its entry in the log. */
  readonly own: ReadonlyMap<RowHistory, Version>;
  readonly writer: Writer | null;
  /** Whether the statement read all rows in one state of the database. */
  readonly isAtomic: boolean;
  /** Whether the statement read under locks instead of a snapshot. */
  readonly isByLocks: boolean;
}

/** Counts of reads without known versions. */
export interface Unresolved {
  /** Reads that several different versions explain. */
  ambiguous: number;
  /** Reads that no version explains. */
  unexplained: number;
}

/** Finds the versions that statements read, by their values and times. */
export class Resolver {
  readonly #rows: Rows;
  readonly #twins = new Map<Version, Version>();
  #nextNumber: number;
  readonly unresolved: Unresolved = { ambiguous: 0, unexplained: 0 };

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#nextNumber = rows.writers.length + 1;
  }

  /** Adds the versions of updates that set a row to its present values, which the log does not have. */
  addUnchanged(each: Aligned): ReadonlyMap<Step, Version> {
    const added = new Map<Step, Version>();
    if (each.outcome !== 'committed') return added;
    let { writer } = each;
    for (const step of each.transaction.steps) {
      const version = this.#unchanged(step, each.transaction, writer);
      if (!version) continue;
      writer ??= this.#newWriter(each.transaction, version);
      const own: Version = { ...version, writer, mark: writer.number, isLast: true, replaces: version };
      const { versions } = version.row;
      for (const next of versions) if (next.replaces === version) next.replaces = own;
      const place = versions.indexOf(version) + 1;
      const after = versions[place]?.writer;
      // The lock on the row puts the commit between those of its neighbours.
      if (version.writer && version.writer.earliest > writer.earliest) writer.earliest = version.writer.earliest;
      if (after && after.latest < writer.latest) writer.latest = after.latest;
      versions.splice(place, 0, own);
      added.set(step, own);
    }
    return added;
  }

  /** The transaction committed after the writer of the replaced version, and after all earlier answers. */
  #newWriter({ session, committing, begin, end }: Transaction, { writer }: Version): Writer {
    const number = this.#nextNumber++;
    const { writers } = this.#rows;
    let before = writer === null ? 0 : Math.floor(writer.place / BETWEEN);
    while (before < writers.length && writers[before]!.latest < (committing ?? begin)) before++;
    const place = before * BETWEEN + number - writers.length;
    return {
      place,
      number,
      serverId: session.serverId,
      statements: [],
      earliest: committing ?? begin,
      latest: end ?? NEVER,
    };
  }

  #unchanged(
    { statement, parameters, schema, changed, matched, answered }: Step,
    transaction: Transaction,
    writer: Writer | null,
  ): Version | null {
    const { does } = statement;
    if (does.kind !== 'update' || matched !== 1 || changed !== 0) return null;
    const state = this.#rows.followed(`${does.table.schema ?? schema ?? ''}.${does.table.table}`);
    const key = state && keyOf(does.where, state.table!, does.table, { parameters, isOnly: true });
    if (!state || !key || key.includes(undefined)) return null;
    const row = state.rows.get(keyTextOf(key as string[]));
    if (!row || row.versions.some((version) => version.writer !== null && version.writer === writer)) return null;
    const values = state.table!.columns.map(({ name }) => {
      const [, constant] = does.sets.find(([column]) => column.toLowerCase() === name.toLowerCase()) ?? [];
      const value = constant && valueOf(constant, parameters);
      return typeof value === 'number' ? String(value) : value;
    });
    const isForTexts = state.table!.columns.map(({ kind }, i) =>
      kind === 'integer' || kind === 'text' ? values[i] : undefined,
    );
    const window = { from: answered, to: transaction.committing ?? answered };
    const found = candidates(row, isForTexts, { from: window.from, to: window.from }, null);
    // A version of a transaction that had asked to commit by then is older: both held the lock on the row.
    const last = found.at(-1);
    return last !== undefined && found.every((version) => isEqual(version, last)) ? last : null;
  }

  /** Returns the operations of each step of a transaction. */
  resolve(
    { transaction, outcome, writer, steps: places }: Aligned,
    unchanged: ReadonlyMap<Step, Version>,
  ): ResolvedStep[] {
    const own = new Map<RowHistory, Version>();
    const seen = new Map<RowHistory, Version>();
    const resolved: ResolvedStep[] = [];
    let snapshot: Window | null = transaction.hasSnapshotAtBegin ? { from: transaction.begin, to: NEVER } : null;
    let isCertain = transaction.level !== 'read uncommitted';
    for (const [i, step] of transaction.steps.entries()) {
      const operations: Operation[] = [];
      const { does, shape } = step.statement;
      if (does.kind === 'select' && isCertain) {
        const isLocking = does.locks || (transaction.level === 'serializable' && transaction.isExplicit);
        const isSnapshot = !isLocking && transaction.level === 'repeatable read';
        if (isSnapshot)
          snapshot = { from: snapshot?.from ?? transaction.begin, to: least(snapshot?.to ?? NEVER, step.answered) };
        const window = isSnapshot ? snapshot! : { from: step.sent, to: step.answered };
        const isByLocks = transaction.level === 'serializable';
        operations.push(...this.#reads(step, { window, own, writer, isAtomic: !does.locks, isByLocks }));
        for (const operation of operations) for (const version of versionsOf(operation)) seen.set(version.row, version);
      }
      for (const [k, place] of (places ?? []).entries())
        if (place === i)
          for (const version of writer!.statements[k]!.writes) writes(version, { own, seen, shape }, operations);
      const same = unchanged.get(step);
      if (same) writes(same, { own, seen, shape }, operations);
      // The writes of a transaction without an entry are unknown, and so are its later reads.
      if (step.changed !== 0 && outcome !== 'committed') isCertain = false;
      if (step.changed === null && step.statement.mayWrite && writer === null && outcome !== 'committed')
        isCertain = false;
      resolved.push({ shape, operations: operations.filter((operation) => this.#isFollowed(operation)) });
    }
    return resolved;
  }

  #isFollowed(operation: Operation): boolean {
    const state = 'version' in operation ? operation.version.row.state : operation.state;
    return !this.#rows.leftOut.has(state.name);
  }

  #reads(step: Step, reading: Reading): Operation[] {
    const { window, own, isAtomic } = reading;
    const { rows, absent, scan, isUnclear } = foundRows(step, this.#rows);
    const found = new Map<RowHistory, Version | null>();
    for (const { state, key, values } of rows) {
      const row = this.#row(state, key, values);
      const version = row && this.#versionOf(row, values, reading);
      if (!row) this.unresolved.unexplained++;
      else if (!found.has(row) || found.get(row) === version) found.set(row, version);
      else found.set(row, null);
    }
    const versions = [...found.values()].filter((version) => version !== null);
    const isWhole = !isUnclear && versions.length === rows.length && rows.every(({ state }) => state.isWhole);
    const mayBeOlder = [...own.values()].some((version) => version.row.state === scan?.state && isUnchanged(version));
    if (scan && isWhole && isAtomic && scan.state.isWhole && !mayBeOlder)
      return [{ kind: 'scan', state: scan.state, where: scan.where, found: versions }];
    if (absent?.state.isWhole && this.#isAbsent(absent.state, absent.key, window, own))
      return [{ kind: 'absent', ...absent }];
    return versions.map((version) => ({ kind: 'get', version }));
  }

  /** Finds a row; null if the table is known as a whole and never had the row. */
  #row(state: TableState, key: readonly string[], values: RowImage): RowHistory | null {
    const text = keyTextOf(key);
    const known = state.rows.get(text);
    if (known || state.isWhole) return known ?? null;
    const table = state.table!;
    if (table.key.some((i) => table.columns[i]!.kind !== 'integer' && values[i] === undefined)) return null;
    const row: RowHistory = { state, key, versions: [] };
    row.versions.push({
      row,
      table,
      values: table.columns.map(() => undefined),
      writer: null,
      mark: 0,
      incarnation: 0,
      isLast: true,
      replaces: null,
    });
    state.rows.set(text, row);
    return row;
  }

  #isAbsent(state: TableState, key: readonly string[], window: Window, own: ReadonlyMap<RowHistory, Version>): boolean {
    const row = state.rows.get(keyTextOf(key));
    if (!row) return true;
    if (row.versions.some(({ incarnation }) => incarnation > 0)) return false;
    const last = own.get(row);
    if (last) return last.values === null;
    const [first] = row.versions;
    const isBefore = first !== undefined && first.writer !== null && first.writer.latest > window.from;
    return isBefore || within(row, window).some(({ values }) => values === null);
  }

  #versionOf(row: RowHistory, values: RowImage, { window, own: all, writer, isByLocks }: Reading): Version | null {
    const own = all.get(row);
    if (own) {
      if (fits(own, values)) return own;
      if (!isUnchanged(own)) this.unresolved.unexplained++;
      return null;
    }
    const existing = candidates(row, values, window, writer);
    const found = isByLocks && values.includes(undefined) ? withLookalikes(row, values, existing) : existing;
    const [first] = found;
    if (first === undefined) {
      this.unresolved.unexplained++;
      return null;
    }
    if (found.length === 1) return first;
    if (found.some((version) => version.incarnation !== first.incarnation || !isEqual(version, first))) {
      this.unresolved.ambiguous++;
      return null;
    }
    for (const version of found) this.#join(first, version);
    return first;
  }

  /** Notes that two versions have equal values, and that some read may have seen either. */
  #join(a: Version, b: Version): void {
    const [first, second] = [this.#root(a), this.#root(b)];
    if (first !== second) this.#twins.set(second, first);
  }

  #root(version: Version): Version {
    let root = version;
    for (let next = this.#twins.get(root); next; next = this.#twins.get(root)) root = next;
    return root;
  }

  /** Gives versions that a read could not distinguish the same number. */
  finish(): void {
    for (const version of this.#twins.keys()) version.mark = this.#root(version).mark;
  }
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

const versionsOf = (operation: Operation): readonly Version[] =>
  operation.kind === 'scan' ? operation.found : operation.kind === 'absent' ? [] : [operation.version];

interface Known {
  readonly own: Map<RowHistory, Version>;
  readonly seen: ReadonlyMap<RowHistory, Version>;
  readonly shape: string;
}

/**
 * Adds the write of a version, after a read of the version that it replaced. If the transaction had read another
 * version and overwrites the newer one without regard to it, it lost an update: it never saw the replaced version.
 */
function writes(version: Version, { own, seen, shape }: Known, operations: Operation[]): void {
  const { row, replaces } = version;
  const before = seen.get(row) ?? replaces;
  const isSeen = before === replaces || !overwrites(shape, columnsOf(before), columnsOf(replaces));
  if (replaces && !own.has(row) && isSeen) operations.push({ kind: 'get', version: replaces });
  own.set(row, version);
  operations.push({ kind: 'put', version });
}

const columnsOf = (version: Version | null): unknown =>
  version?.values && Object.fromEntries(version.table.columns.map(({ name }, i) => [name, version.values![i]]));

/** Returns whether an update left the row as it was. The transaction still reads the row in its snapshot. */
const isUnchanged = ({ values, replaces }: Version): boolean => values === replaces?.values;

const fits = (version: Version, values: RowImage): boolean =>
  version.values !== null &&
  values.every((value, i) => value === undefined || version.values![i] === undefined || version.values![i] === value);

const isEqual = (a: Version, b: Version): boolean =>
  a.table === b.table && a.values !== null && b.values !== null && a.values.every((value, i) => value === b.values![i]);

/** The versions that may have been the last committed version at a time within the window, in order. */
function within({ versions }: RowHistory, { from, to }: Window): Version[] {
  let [low, high] = [0, versions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((versions[middle]!.writer?.earliest ?? 0n) <= to) low = middle + 1;
    else high = middle;
  }
  while (low < versions.length && !versions[low]!.isLast) low++;
  let replaced = versions[low]?.writer?.latest ?? NEVER;
  const found: Version[] = [];
  for (let i = low - 1; i >= 0 && replaced >= from; i--) {
    const version = versions[i]!;
    if (!version.isLast) continue;
    found.push(version);
    replaced = version.writer?.latest ?? NEVER;
  }
  return found.toReversed();
}

/** The versions of other transactions that have these values and existed in the window. */
const candidates = (row: RowHistory, values: RowImage, window: Window, own: Writer | null): Version[] =>
  within(row, window).filter((version) => (own === null || version.writer !== own) && fits(version, values));

/**
 * Adds the neighbours that have the same values in the columns that were read. A read by locks in an index locks only
 * the columns of the index, so other transactions may meanwhile change the other columns.
 */
function withLookalikes({ versions }: RowHistory, values: RowImage, found: readonly Version[]): Version[] {
  if (found.length === 0) return [];
  const visible = versions.filter(({ isLast }) => isLast);
  const places = found.map((version) => visible.indexOf(version));
  let [first, last] = [Math.min(...places), Math.max(...places)];
  while (first > 0 && fits(visible[first - 1]!, values)) first--;
  while (last + 1 < visible.length && fits(visible[last + 1]!, values)) last++;
  return visible.slice(first, last + 1).filter((version) => fits(version, values));
}
