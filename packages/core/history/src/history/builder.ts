import { CompoundColumns } from './compound-columns.ts';
import { InitialValues } from '../columns/initial-values.ts';
import { groupBySession } from '../columns/arrange.ts';
import { type Atom, UNKNOWN, allAtoms, countAtoms } from '../columns/atoms.ts';
import { type BuilderOptions, sourceOf } from './builder-options.ts';
import { type Growth, grown, grownTimes, growthFor, newBytes, newInts } from '../columns/columns.ts';
import type { History, TimeUnit } from './history.ts';
import { Interner } from '../columns/interner.ts';
import { ListTree } from '../columns/lists.ts';
import { NIL, NO_KEY, NO_TIME, OpKind } from '../columns/operation.ts';
import type { Predicate } from '../rows/predicate.ts';
import type { TimeColumn } from './time-columns.ts';
import { SegmentList } from './segment-list.ts';
import { TransactionColumns } from './transaction-columns.ts';
import { type BuilderPart, copyIds } from './builder-part.ts';
import type { ReversedTimes } from './times.ts';
import { Counters, INCREMENT, PLAIN_WRITES_OF_COUNTERS } from '../rows/counters.ts';
import { type Aggregate, ScanList } from '../rows/scans.ts';
import type { IdColumn, KeyId, OperationId, TransactionId } from '../columns/ids.ts';

/**
 * Builds a history from operations in file order; sessions may be interleaved.
 * Hot loops call {@link integerOp}. {@link resume} continues an interrupted transaction. {@link finish} may be called once.
 */
export class HistoryBuilder {
  readonly #keys = new Interner();
  readonly #values: Interner;
  readonly sessions = new Interner();
  readonly lists = new ListTree();
  readonly scans = new ScanList();
  database: string | null;
  timeUnit: TimeUnit = 'none';
  /** Maximal difference between the clocks of two clients, which {@link finish} adds to all upper bounds of times. */
  drift = 0;

  readonly #options: BuilderOptions;
  readonly #growth: Growth;
  readonly #files: string[] = [];
  readonly #notes: Record<string, number> = {};
  readonly #initials: InitialValues;
  readonly counters = new Counters();

  // Columns of operations, in file order.
  #ops = 0;
  #kind = newBytes(INITIAL_CAPACITY);
  #key = newInts(INITIAL_CAPACITY);
  #value = newInts(INITIAL_CAPACITY);
  #position: Uint32Array | null = null;
  #version: BigInt64Array | null = null;
  // The latest operations have the lower halves of integers instead of ids, with these upper halves.
  #pending = 0;
  readonly #keyHigh = new Int32Array(MOST_PENDING);
  readonly #valueHigh = new Int32Array(MOST_PENDING);

  readonly #segments: SegmentList;
  readonly #txns: TransactionColumns;
  readonly #compound = new CompoundColumns();

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.database = options.database ?? null;
    this.#growth = growthFor(options.share);
    this.#txns = new TransactionColumns(this.#growth);
    this.#segments = new SegmentList(this.#growth);
    this.#values = new Interner(this.#growth);
    this.#values.nil(); // gets id NIL
    this.#values.atom(UNKNOWN); // gets id UNKNOWN_VALUE
    const { initial } = options;
    this.#initials = new InitialValues(typeof initial === 'bigint' ? this.#values.bigint(initial) : NIL);
  }

  get keys(): Interner {
    if (this.#pending > 0) this.#findIds();
    return this.#keys;
  }

  get values(): Interner {
    if (this.#pending > 0) this.#findIds();
    return this.#values;
  }

  get transactions(): number {
    return this.#txns.count;
  }

  get operations(): number {
    return this.#ops;
  }

  /** Returns the session with this name, creating it if necessary. */
  session(name: Atom): number {
    return this.sessions.atom(name);
  }

  /** Sets the file that a session was read from; either all sessions have a file or none has. */
  sessionFile(session: number, file: string): void {
    this.#files[session] = file;
  }

  /** Adds to a count for `stats`, such as the number of skipped statements. */
  note(name: string, amount = 1): void {
    if (amount > 0) this.#notes[name] = (this.#notes[name] ?? 0) + amount;
  }

  /** Sets the initial value of all keys that are not rows; rows are initially absent. */
  initialEverywhere(value: number): void {
    this.#initials.setEverywhere(value);
  }

  /** Sets the initial value of a key, instead of the default. */
  initialOf(key: number, value: number): void {
    this.#initials.set(key, value);
  }

  /** Begins a transaction and returns its number. It counts as committed unless {@link outcome} changes that. */
  begin(session: number, position: number): number {
    const t = this.#txns.add(session, position);
    this.resume(t);
    return t;
  }

  /** Continues transaction `t`, which began earlier: the next operations belong to it. */
  resume(t: number): void {
    this.#segments.add(this.#ops, t);
  }

  move(t: number, session: number): void {
    this.#txns.session[t] = session;
  }

  /** Changes the position of a transaction. */
  place(t: number, position: number): void {
    this.#txns.position[t] = position;
  }

  outcome(t: number, status: number): void {
    this.#txns.status[t] = status;
  }

  statusOf(t: number): number {
    return this.#txns.status[t]!;
  }

  name(t: number, name: Atom): void {
    this.#txns.names.set(t, name);
  }

  /** Names a transaction by the signed 64-bit integer with these halves. */
  nameInteger(t: number, hi: number, lo: number): void {
    this.#txns.names.setInteger(t, hi, lo);
  }

  level(t: number, name: string): void {
    this.#txns.levels.set(t, name);
  }

  time(t: number, column: TimeColumn, time: bigint): void {
    this.#txns.times.set(t, column, time, this.#txns.status.length);
  }

  /** Returns the first pair of a transaction's times that are in the wrong order, or null. */
  reversedTimes(t: number): ReversedTimes | null {
    return this.#txns.times.reversed(t);
  }

  /** Adds an operation to the current transaction and returns its number in file order. */
  op(kind: number, key: number, value: number): number {
    if (this.#pending > 0) this.#findIds();
    return this.#add(kind, key, value);
  }

  #add(kind: number, key: number, value: number): number {
    const op = this.#ops++;
    if (op === this.#kind.length) this.#growOps(this.#growth(op));
    this.#kind[op] = kind;
    this.#key[op] = key;
    this.#value[op] = value;
    if (this.#position !== null)
      this.#position[op] = (op - this.#segments.start[this.#segments.count - 1]) * (this.#options.opStride ?? 0);
    return op;
  }

  /**
   * Adds an operation on a key and a value that are 64-bit integers, given by their halves. Their ids are found later, for
   * many operations together, because a search between two readings would wait for the memory by itself.
   */
  integerOp(kind: number, keyHigh: number, keyLow: number, valueHigh: number, valueLow: number): void {
    if (this.#pending === MOST_PENDING) this.#findIds();
    const pending = this.#pending++;
    this.#keyHigh[pending] = keyHigh;
    this.#valueHigh[pending] = valueHigh;
    this.#add(kind, keyLow, valueLow);
  }

  /** Replaces the integers of the latest operations by their ids. */
  #findIds(): void {
    const count = this.#pending;
    const first = this.#ops - count;
    this.#keys.integers(this.#keyHigh, this.#key, first, count);
    this.#values.integers(this.#valueHigh, this.#value, first, count);
    this.#pending = 0;
  }

  /** Adds a compare-and-set, insert or delete with the ids of the observed (or expected) and the written value. */
  exchange(kind: number, key: number, observed: number, written: number, flags = 0): number {
    return this.op(kind, key, this.#compound.exchange(observed, written, flags));
  }

  /** Adds an amount to a counter. {@link finish} expresses counters as rows, see counters.ts. */
  increment(counter: Atom, amount: bigint): number {
    return this.op(INCREMENT, this.counters.key(this.keys, counter), this.values.bigint(amount));
  }

  flagExchange(flags: number): void {
    this.#compound.flagExchange(flags);
  }

  /** Adds a range read; its rows follow with {@link row}. Bounds are key ids or OPEN_BOUND. */
  range(low: number, high: number): number {
    return this.op(OpKind.RangeRead, NO_KEY, this.#compound.range(low, high));
  }

  row(key: number, value: number, dead = false): void {
    this.#compound.row(key, value, dead);
  }

  /** Adds a scan; the rows that it returned follow with {@link scanned}. */
  scan(table: number, predicate: Predicate, aggregate: Aggregate | null = null): number {
    return this.op(OpKind.Scan, NO_KEY, this.scans.add(table, predicate, aggregate));
  }

  /** Adds a row that the latest scan returned: its key, and its version or UNKNOWN_VALUE. */
  scanned(key: number, value: number): void {
    this.scans.row(key, value);
  }

  /** Sets the distance of an operation from its transaction's position where it differs from the stride. */
  opAt(distance: number, op = this.#ops - 1): void {
    this.#position ??= this.#segments.positions(this.#kind.length, this.#ops, this.#txns.count, this.#options.opStride);
    this.#position[op] = distance;
  }

  opVersion(version: bigint): void {
    this.#version ??= new BigInt64Array(this.#kind.length).fill(NO_TIME);
    this.#version[this.#ops - 1] = version;
  }

  /**
   * Returns the columns for another builder, whose file begins with another part; null if they contain more than reads
   * and writes of registers. The builder must not be used afterwards.
   */
  part(): BuilderPart | null {
    this.resume(-1); // closes the last segment
    if (this.#pending > 0) this.#findIds();
    const isSimple = this.lists.isEmpty && this.scans.isEmpty && this.#compound.isEmpty && this.counters.isEmpty;
    const isPlain = isSimple && this.#values.isWellFormed && this.#initials.isUniform;
    if (!isPlain || this.#position !== null || this.#version !== null) return null;
    const ops = this.#ops;
    return {
      keys: this.#keys.finish(),
      values: this.#values.finish(),
      sessions: this.sessions.finish(),
      kind: this.#kind.subarray(0, ops),
      key: this.#key.subarray(0, ops),
      value: this.#value.subarray(0, ops),
      segmentStart: this.#segments.start.subarray(0, this.#segments.count),
      segmentTxn: this.#segments.txn.subarray(0, this.#segments.count),
      txns: this.#txns.part(),
      notes: this.#notes,
    };
  }

  /** Permits {@link append}: no operation has a position of its own. */
  get isAppendable(): boolean {
    return this.#position === null;
  }

  /** Appends the next part of the file, as if its operations had been added here. Returns the ids of its sessions. */
  append(part: BuilderPart, positionShift: number): Int32Array {
    const [keys, values] = [this.keys.addAll(part.keys), this.values.addAll(part.values)];
    const sessions = this.sessions.addAll(part.sessions);
    const [firstOp, firstTxn] = [this.#ops, this.#txns.count];
    this.#txns.append(part.txns, sessions, positionShift);
    for (let segment = 0; segment + 1 < part.segmentStart.length; segment++) {
      this.#ops = firstOp + part.segmentStart[segment]!;
      this.resume(firstTxn + part.segmentTxn[segment]!);
    }
    this.#ops = firstOp + part.kind.length;
    if (this.#ops > this.#kind.length) this.#growOps(Math.max(this.#ops, this.#growth(firstOp)));
    this.#kind.set(part.kind, firstOp);
    copyIds(part.key, keys, this.#key, firstOp);
    copyIds(part.value, values, this.#value, firstOp);
    for (const [name, amount] of Object.entries(part.notes)) this.note(name, amount);
    return sessions;
  }

  /** Returns the history; the builder must not be used afterwards. Releases each column as soon as it is arranged. */
  finish(): History {
    this.resume(-1); // closes the last segment
    if (this.#pending > 0) this.#findIds();
    const session = this.#txns.session.subarray(0, this.#txns.count);
    const segments = { count: this.#segments.count - 1, start: this.#segments.start, txn: this.#segments.txn };
    const groups = groupBySession(session, this.sessions.size, segments);
    const { sessionStart, txnStart, arrangeTxns, arrangeOps } = groups;
    const opKind = arrangeOps(this.#kind);
    this.#kind = newBytes(0);
    const unarranged = this.#key;
    const opKey = arrangeOps(unarranged);
    this.#key = newInts(0);
    const opValue = arrangeOps(this.#value, unarranged); // whose memory is reused
    this.#value = newInts(0);
    const opPosition = this.#position && arrangeOps(this.#position);
    const opVersion = this.#version && arrangeOps(this.#version);
    const txns = this.#txns.arranged(arrangeTxns, this.drift);
    const columns = { txnStart, opKind, opKey, opValue, opPosition, opVersion };
    const tables = { keys: this.#keys, values: this.#values, scans: this.scans, initials: this.#initials };
    const operations = this.counters.lowered(columns, { ...tables, ...txns, opStride: this.#options.opStride ?? 0 });
    this.note(PLAIN_WRITES_OF_COUNTERS, this.counters.plainWrites);
    const keys = this.#keys.finish();
    const scans = this.scans.finish(allAtoms(keys));
    return {
      source: sourceOf(this, this.#options, this.#files, this.#notes),
      sessionStart: sessionStart as IdColumn<TransactionId>,
      sessionNames: this.sessions.finish(),
      ...txns,
      ...operations,
      txnStart: operations.txnStart as IdColumn<OperationId>,
      opKey: operations.opKey as IdColumn<KeyId>,
      opStatement: null,
      keys,
      values: this.#values.finish(),
      keyInitial: this.#initials.column(countAtoms(keys), scans.keyTable),
      lists: this.lists.finish(),
      ...this.#compound.finish(),
      scans,
      rows: null,
    };
  }

  #growOps(capacity: number): void {
    this.#kind = grown(this.#kind, newBytes(capacity));
    this.#key = grown(this.#key, newInts(capacity));
    this.#value = grown(this.#value, newInts(capacity));
    if (this.#position) this.#position = grown(this.#position, new Uint32Array(capacity));
    if (this.#version) this.#version = grownTimes(this.#version, capacity);
  }
}

const INITIAL_CAPACITY = 64;
const MOST_PENDING = 512; // their columns fit into the nearest cache
