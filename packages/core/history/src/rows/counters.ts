/**
 * Expresses counters as rows while a history is built. An increment of the counter `n` becomes a row of a table: the
 * amount that its transaction added. A read of `n` becomes the sum of the rows. A plain write puts its value into the row
 * of its transaction and removes all other rows. Every change also writes the register `n`, so that changes of one
 * counter conflict at levels where writers of one key do.
 */
import { type Atom, printAtom } from '../columns/atoms.ts';
import { LoweredOperations } from '../columns/lowered-operations.ts';
import type { InitialValues } from '../columns/initial-values.ts';
import type { Interner } from '../columns/interner.ts';
import { NIL, NO_KEY, NO_TIME, OpKind, TxnStatus, UNKNOWN_VALUE } from '../columns/operation.ts';
import { textOfRow } from './row.ts';
import { type ScanList, rowName } from './scans.ts';

/** Kind of an increment while a history is built; its value is the amount. No finished history has this kind. */
export const INCREMENT = 255;

/** Note of a history with the number of plain writes of counters that may have happened. */
export const PLAIN_WRITES_OF_COUNTERS = 'plainWritesOfCounters';

/** A use of a counter that has no meaning; `position` is that of its transaction in the file. */
export class CounterProblem extends Error {
  override readonly name = 'CounterProblem';
  readonly position: number | null;
  readonly found: string;
  readonly expected: string;

  constructor(position: number | null, found: string, expected: string) {
    super(`found ${found}, expected ${expected}`);
    this.position = position;
    this.found = found;
    this.expected = expected;
  }
}

/** Operations in the order of their transactions. */
export interface OperationColumns {
  readonly txnStart: Int32Array;
  readonly opKind: Uint8Array;
  readonly opKey: Int32Array;
  readonly opValue: Int32Array;
  readonly opPosition: Uint32Array | null;
  readonly opVersion: BigInt64Array | null;
}

/** Tables of the ids in these columns. */
export interface CounterTables {
  readonly keys: Interner;
  readonly values: Interner;
  readonly scans: ScanList;
  readonly initials: InitialValues;
  readonly txnPosition: ArrayLike<number>;
  readonly txnStatus: Uint8Array;
  /** Distance between the positions of two operations, where they have no positions of their own. */
  readonly opStride: number;
}

/** Counters of a history that is being built. */
export class Counters {
  readonly #names = new Map<number, string>(); // by key
  /** Number of plain writes that may have happened, after {@link lowered}. */
  plainWrites = 0;

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** Returns the key of a counter, which becomes one if necessary. */
  key(keys: Interner, counter: Atom): number {
    const key = keys.atom(counter);
    this.#names.set(key, typeof counter === 'string' ? counter : printAtom(counter));
    return key;
  }

  /** Returns operations on rows instead of increments and all other operations on counters. */
  lowered(operations: OperationColumns, tables: CounterTables): OperationColumns {
    if (this.isEmpty) return operations;
    const lowering = new CounterLowering(operations, tables, this.#names);
    const lowered = lowering.run();
    this.plainWrites = lowering.plainWrites;
    return lowered;
  }
}

interface Counter {
  readonly name: string;
  readonly table: string;
  /** Row of each transaction that changes the counter; the initial row has {@link INITIAL}. */
  readonly rows: Map<number, number>;
  /** Sum of the magnitudes of all amounts. */
  size: number;
  /** Plain writes that may have happened. */
  writes: number;
  /** States that some transaction writes the counter plainly, even one that aborted. */
  isWritten: boolean;
  /** States that the initial row differs from an absent row: its amount is not 0, or a plain write leaves no value. */
  hasInitial: boolean;
}

/** Content of a transaction's own row so far. */
interface Own {
  readonly transaction: number;
  amount: number | null;
  /** States that the transaction has removed the other rows. */
  hasRemoved: boolean;
}

class CounterLowering {
  readonly #in: OperationColumns & CounterTables;
  readonly #names: ReadonlyMap<number, string>;
  readonly #counters = new Map<number, Counter>(); // by key
  readonly #own = new Map<number, Own>(); // by key
  readonly #out: LoweredOperations;

  constructor(operations: OperationColumns, tables: CounterTables, names: ReadonlyMap<number, string>) {
    this.#in = { ...operations, ...tables };
    this.#names = names;
    this.#out = new LoweredOperations(2 * operations.opKind.length);
  }

  get plainWrites(): number {
    return [...this.#counters.values()].reduce((sum, { writes }) => sum + writes, 0);
  }

  run(): OperationColumns {
    const { txnStart } = this.#in;
    this.#refuseRanges();
    this.#addCounters();
    this.#eachOperation((t, op) => this.#addChange(t, op));
    for (const { table, isWritten } of this.#counters.values())
      if (!isWritten) this.#in.scans.counters.push(this.#in.scans.table(table));
    for (const { name, writes, rows } of this.#counters.values())
      if (writes * rows.size > MOST_REMOVALS)
        throw new CounterProblem(
          null,
          `${writes} plain writes of the counter ${name}, which ${rows.size} transactions change`,
          `at most ${MOST_REMOVALS} pairs of them`,
        );
    const start = new Int32Array(txnStart.length);
    for (let t = 0; t + 1 < txnStart.length; t++) {
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) this.#lower(t, op);
      start[t + 1] = this.#out.count;
    }
    return {
      txnStart: start,
      opKind: this.#out.kind.slice(0, this.#out.count),
      opKey: this.#out.key.slice(0, this.#out.count),
      opValue: this.#out.value.slice(0, this.#out.count),
      opPosition: this.#positions(),
      opVersion: this.#versions(),
    };
  }

  #positions(): Uint32Array | null {
    const { txnStart, opPosition, opStride } = this.#in;
    if (opPosition !== null)
      return Uint32Array.from(this.#out.opOf.subarray(0, this.#out.count), (op) => opPosition[op]!);
    if (opStride === 0) return null;
    const positions = new Uint32Array(this.#out.count);
    let t = 0;
    for (let i = 0; i < positions.length; i++) {
      const op = this.#out.opOf[i]!;
      while (op >= txnStart[t + 1]!) t++;
      positions[i] = (op - txnStart[t]!) * opStride;
    }
    return positions;
  }

  /** A version belongs to the key of its operation, which rows and sums do not have. */
  #versions(): BigInt64Array | null {
    const { opVersion, opKey } = this.#in;
    if (opVersion === null) return null;
    const versions = new BigInt64Array(this.#out.count);
    for (let i = 0; i < versions.length; i++)
      versions[i] = this.#out.key[i] === opKey[this.#out.opOf[i]!] ? opVersion[this.#out.opOf[i]!]! : NO_TIME;
    return versions;
  }

  #eachOperation(visit: (t: number, op: number) => void): void {
    const { txnStart } = this.#in;
    for (let t = 0; t + 1 < txnStart.length; t++) for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) visit(t, op);
  }

  #refuseRanges(): void {
    this.#eachOperation((t, op) => {
      if (this.#in.opKind[op] === OpKind.RangeRead)
        throw this.#problem(t, 'a range read', 'no range reads in a history with increments');
    });
  }

  #addCounters(): void {
    const { initials, values, scans } = this.#in;
    for (const [key, name] of this.#names) {
      let table = name.replaceAll('/', ':') || 'counter';
      while (scans.has(table)) table += "'";
      scans.table(table);
      const counter = {
        name,
        table,
        rows: new Map<number, number>(),
        size: 0,
        writes: 0,
        isWritten: false,
        hasInitial: false,
      };
      this.#counters.set(key, counter);
      const initial = initials.of(key);
      initials.set(key, NIL);
      if (initial === NIL) continue;
      const amount = this.#integer(null, initial, `the initial value of the counter ${name}`);
      this.#measure(null, counter, amount);
      counter.hasInitial = amount !== 0;
      initials.set(this.#rowOf(counter, INITIAL), values.string(textOfRow({ [AMOUNT]: amount })));
    }
  }

  /** Examines an operation, and gives the transaction that changes a counter its row. */
  #addChange(t: number, op: number): void {
    const { opKind, opKey, opValue } = this.#in;
    const counter = this.#counters.get(opKey[op]!);
    if (counter === undefined) return;
    const kind = opKind[op];
    const value = opValue[op]!;
    if (kind !== INCREMENT && kind !== OpKind.Read && kind !== OpKind.Write)
      throw this.#problem(
        t,
        `another operation on the counter ${counter.name}`,
        'increments, reads and plain writes of a key that is incremented',
      );
    if (kind === OpKind.Write) counter.isWritten = true;
    if (kind === OpKind.Write && this.#mayHappen(t)) counter.writes++;
    if (kind === OpKind.Write && value === NIL) counter.hasInitial = true;
    if (value === NIL || (kind === OpKind.Read && value === UNKNOWN_VALUE)) return;
    const amount = this.#integer(t, value, `a value of the counter ${counter.name}`);
    if (kind === OpKind.Read) return;
    this.#measure(t, counter, amount);
    this.#rowOf(counter, t);
  }

  #rowOf({ table, rows }: Counter, transaction: number): number {
    const { keys } = this.#in;
    let row = rows.get(transaction);
    if (row === undefined) {
      const known = keys.size;
      const name = rowName(table, transaction === INITIAL ? 'initial' : BigInt(transaction));
      rows.set(transaction, (row = keys.string(name)));
      if (row < known) throw new CounterProblem(null, `the key ${name}`, `another name, because ${table} is a counter`);
    }
    return row;
  }

  #mayHappen(t: number): boolean {
    return this.#in.txnStatus[t] !== TxnStatus.Aborted;
  }

  #problem(t: number | null, found: string, expected: string): CounterProblem {
    return new CounterProblem(t === null ? null : this.#in.txnPosition[t]!, found, expected);
  }

  /** Sums are numbers of JavaScript, which are exact up to 2^53. */
  #measure(t: number | null, counter: Counter, amount: number): void {
    counter.size += Math.abs(amount);
    if (counter.size > Number.MAX_SAFE_INTEGER)
      throw this.#problem(
        t,
        `amounts of the counter ${counter.name} that may add up to more than 2^53 − 1`,
        'smaller amounts, or several counters',
      );
  }

  #integer(t: number | null, value: number, what: string): number {
    const integer = Number(this.#in.values.integerAt(value) ?? Number.NaN);
    if (Number.isSafeInteger(integer)) return integer;
    throw this.#problem(t, `${what} that is no integer of at most 53 bits`, 'an integer or nil');
  }

  #lower(t: number, op: number): void {
    const { opKind, opKey, opValue, values, scans } = this.#in;
    const [kind, key, value] = [opKind[op]!, opKey[op]!, opValue[op]!];
    const counter = this.#counters.get(key);
    if (counter === undefined || (kind === OpKind.Read && value === UNKNOWN_VALUE)) {
      this.#out.put(kind, key, value, op);
    } else if (kind === OpKind.Read) {
      const result = value === NIL ? null : Number(values.integerAt(value));
      const sum = scans.add(scans.table(counter.table), true, { kind: 'sum', column: AMOUNT, result });
      this.#out.put(OpKind.Scan, NO_KEY, sum, op);
    } else {
      const own = this.#ownOf(t, key);
      this.#out.put(OpKind.Write, key, values.bigint(BigInt(op)), op);
      if (kind === OpKind.Write) this.#removeOthers(op, t, counter, own);
      const amount = value === NIL ? null : Number(values.integerAt(value));
      own.amount = kind === INCREMENT ? (own.amount ?? 0) + amount! : amount;
      const row = counter.rows.get(t);
      if (row !== undefined) this.#out.put(OpKind.Write, row, this.#versionOf(own.amount), op);
    }
  }

  #ownOf(transaction: number, key: number): Own {
    let own = this.#own.get(key);
    if (own?.transaction !== transaction) this.#own.set(key, (own = { transaction, amount: null, hasRemoved: false }));
    return own;
  }

  /** The row of an aborted transaction suffices: a sum that includes it shows the aborted read. */
  #removeOthers(op: number, t: number, { rows, hasInitial }: Counter, own: Own): void {
    if (own.hasRemoved || !this.#mayHappen(t)) return;
    own.hasRemoved = true;
    for (const [transaction, row] of rows)
      if (transaction !== t && (transaction !== INITIAL || hasInitial)) this.#out.put(OpKind.Write, row, NIL, op);
  }

  #versionOf(amount: number | null): number {
    return amount === null ? NIL : this.#in.values.string(textOfRow({ [AMOUNT]: amount }));
  }
}

/** Column of a counter's table with the amounts. */
export const AMOUNT = 'add';
const INITIAL = -1;
const MOST_REMOVALS = 4_000_000;
