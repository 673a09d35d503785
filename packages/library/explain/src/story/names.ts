import { INITIAL_TXN } from '@isolab/contract';
import {
  type History,
  type IdColumn,
  OpKind,
  type OperationId,
  type TransactionId,
  UNKNOWN_LIST,
  commonPlace,
  listElements,
  locateOperation,
  levelOf,
  locateTransaction,
  nameAtom,
  nameTransaction,
  showAtom,
  showOperation,
  valueWritten,
  visibleLine,
} from '@isolab/history';
import { RowTexts } from '../rows/row-texts.ts';
import { type RowView, rowViewOf } from '../rows/row-view.ts';

/** The history that a story's history was derived from, which supplies names and places. */
export interface Whole {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly opOf: Int32Array;
}

export interface NameOptions {
  /** Omits the irrelevant parts of scan conditions. */
  readonly leavesOut?: boolean;
}

/** Names for the transactions and keys of a story. Transactions become T1, T2 … in the order of first use. */
export class Names {
  readonly history: History;
  readonly #whole: Whole | null;
  readonly #source: Whole; // the history itself if there is no separate whole
  readonly #leavesOut: boolean;
  readonly #common: string; // added to all places
  #labels = new Map<number, string>();
  readonly #rowIds = new Map<number, number>();
  /** Operations before lowering, if some of them concern rows of tables. */
  readonly view: RowView | null;
  readonly #rows: RowTexts | null;

  constructor(history: History, whole: Whole | null, { leavesOut = false }: NameOptions = {}) {
    this.history = history;
    this.#leavesOut = leavesOut;
    this.#whole = whole;
    this.#source = whole ?? {
      history,
      txnOf: Int32Array.from(history.txnStatus.keys()) as IdColumn<TransactionId>,
      opOf: Int32Array.from(history.opKind.keys()),
    };
    this.#common = commonPlace(this.#source.history);
    this.view = this.#source.history.scans.tables.length > 0 ? rowViewOf(history, this.#source, leavesOut) : null;
    this.#rows = this.view && new RowTexts(this.view, (t) => this.#labelOfWhole(t));
  }

  /** Relabels transactions as T1, T2 … in the given order. */
  relabel(transactions: readonly number[]): void {
    this.#labels.clear();
    for (const t of transactions) this.txn(t);
  }

  /** Returns the names for a history in which some reads have other results. */
  in(history: History): Names {
    const names = new Names(history, this.#whole, { leavesOut: this.#leavesOut });
    names.#labels = this.#labels;
    return names;
  }

  /** Returns the texts for an operation, if it concerns rows of tables. */
  rows(op: OperationId): RowTexts | null {
    return op >= 0 && this.view?.kindOf(op) ? this.#rows : null;
  }

  /** Whether a row was printed without some of its columns. */
  get leavesColumnsOut(): boolean {
    return this.#rows?.leavesColumnsOut === true;
  }

  /** Returns whether an operation changes a counter, or states whether a read of a counter includes a change. */
  isOfCounter(op: OperationId): boolean {
    return this.view?.isOfCounter(this.view.rowOf(op)) === true;
  }

  /** The shared id of operations that are drawn as one operation, such as a row write and its effect on scans. */
  opId(op: OperationId): string {
    return `o${this.view?.kindOf(op) === 'put' ? this.view.headOf(op) : op}`;
  }

  /** The first operation of the same scan; null for other operations. */
  scanOf(op: OperationId): number | null {
    return this.view?.kindOf(op) === 'scan' ? this.view.headOf(op) : null;
  }

  /** Returns whether an operation concerns a row that an aggregate may cover. Such operations are not drawn. */
  isOpen(op: OperationId): boolean {
    return this.view?.isItem(op) === true && this.view.isOpen(op);
  }

  /** Returns the id of a key's initial state. A row and its matches have the same id. */
  initialId(key: number): string {
    const row = this.#rowOfKey(key);
    if (row < 0) return `i${key}`;
    if (!this.#rowIds.has(row)) this.#rowIds.set(row, key);
    return `i${this.#rowIds.get(row)!}`;
  }

  /** "x = 0", "doctors/3 = absent" */
  initial(key: number, read: OperationId): string {
    return this.rows(read) === null ? this.version(read) : `${this.keyName(key)} = ${this.initialValue(key, read)}`;
  }

  initialValue(key: number, read: OperationId): string {
    return this.initialRow(key) ?? this.value(read);
  }

  initialRow(key: number): string | null {
    const row = this.#rowOfKey(key);
    return row < 0 ? null : this.#rows!.initial(row);
  }

  #rowOfKey(key: number): number {
    return this.view?.rowOfKey(key) ?? -1;
  }

  /** Label of a transaction of the whole history; null if it is not in this part. */
  #labelOfWhole(whole: number): string | null {
    const at = this.#source.txnOf.indexOf(whole as TransactionId);
    return at < 0 ? null : this.txn(at);
  }

  txn(t: number): string {
    if (t === INITIAL_TXN) return 'the initial state';
    const label = this.#labels.get(t) ?? `T${this.#labels.size + 1}`;
    this.#labels.set(t, label);
    return label;
  }

  /** Name of the transaction in the source: "transaction 14 of session 3". */
  sourceName(t: number): string {
    return nameTransaction(this.#source.history, this.#source.txnOf[t]);
  }

  /** Level that a transaction states, as a phrase: " at serializable"; empty without a level. */
  atLevel(t: number): string {
    const level = levelOf(this.history, t);
    return level === null ? '' : ` at ${level}`;
  }

  session(t: number): string {
    return `session ${nameAtom(this.history.sessionNames, this.history.txnSession[t])}`;
  }

  txnPlace(t: number): string {
    return this.#short(locateTransaction(this.#source.history, this.#source.txnOf[t]));
  }

  /** Position of an operation: "line 12", "T7.log, byte 34". */
  opPlace(op: OperationId): string {
    return this.#short(locateOperation(this.#source.history, this.#source.opOf[op]));
  }

  #short(place: string): string {
    return place.startsWith(this.#common) ? place.slice(this.#common.length) : place;
  }

  /** Name of the key in a sentence. A bare number gets a prefix, because readers would not recognise it as a key. */
  key(op: OperationId): string {
    return this.history.opKey[op] < 0 ? '' : this.keyName(this.history.opKey[op]);
  }

  keyName(key: number): string {
    const row = this.#rowOfKey(key);
    if (row >= 0)
      return visibleLine(this.view!.isOfCounter(row) ? this.view!.tableNameOf(row) : this.view!.nameOf(row));
    const name = nameAtom(this.history.keys, key);
    return /^-?\d+$/.test(name) ? `key ${name}` : name;
  }

  /** Version that a read saw or a write created: "x = 1", "x = [1 2]", or "x restricted to [2]" for a partial list. */
  version(op: OperationId): string {
    return `${this.key(op)} ${this.isRestricted(op) ? 'restricted to' : '='} ${this.value(op)}`;
  }

  /** Returns whether a list has more elements in the whole history than in this part. */
  isRestricted(op: OperationId): boolean {
    const { opKind, opValue, lists } = this.history;
    if (this.#whole === null || opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) return false;
    const { history, opOf } = this.#whole;
    const list = history.opValue[opOf[op]];
    return list !== UNKNOWN_LIST && listElements(history.lists, list).length > listElements(lists, opValue[op]).length;
  }

  value(op: OperationId): string {
    const rows = this.rows(op);
    if (rows !== null) return rows.version(op);
    const { opKind, opValue, values, lists, exchanges } = this.history;
    switch (opKind[op]) {
      case OpKind.ListRead:
        return opValue[op] === UNKNOWN_LIST
          ? '?'
          : shortList(listElements(lists, opValue[op]), (v) => showAtom(values, v));
      case OpKind.RangeRead:
        return showOperation(this.history, op);
      case OpKind.Read:
      case OpKind.Write:
      case OpKind.Append:
        return showAtom(values, opValue[op]);
      default:
        return showAtom(
          values,
          valueWritten(this.history, op) < 0 ? exchanges.observed[opValue[op]] : valueWritten(this.history, op),
        );
    }
  }

  /** Describes a read: "reads x = 1". The place follows the operation. */
  reads(read: OperationId, place = ''): string {
    return this.rows(read)?.reads(read, place) ?? `reads ${this.version(read)}${place}`;
  }

  /** "writes x = 1", "appends 1 to x", "updates doctors/1: on_call true → false" */
  writes(write: number): string {
    const rows = this.rows(write);
    if (rows !== null) return rows.writes(write);
    return this.history.opKind[write] === OpKind.Append
      ? `appends ${this.value(write)} to ${this.key(write)}`
      : `writes ${this.version(write)}`;
  }

  /** "x = 1"; "write of 1 to key 7", "append of 1 to x", "insert of doctors/3 {on_call: true}". */
  made(write: number): string {
    const rows = this.rows(write);
    if (rows !== null) return rows.made(write);
    const { opKind } = this.history;
    const key = this.key(write);
    if (opKind[write] !== OpKind.Append && !key.startsWith('key ')) return this.version(write);
    return `${opKind[write] === OpKind.Append ? 'append' : 'write'} of ${this.value(write)} to ${key}`;
  }

  /** Describes several operations as drawn, with each scan once. */
  drawnAll(ops: readonly number[]): string {
    const drawn: string[] = [];
    let told = -1; // the scan whose rows have been drawn
    ops.forEach((op, i) => {
      const before = ops[i - 1];
      const scan = this.scanOf(op);
      if (before !== undefined && this.opId(op) === this.opId(before)) return;
      if (scan === null) {
        drawn.push(this.drawn(op));
        return;
      }
      if (before === undefined || this.scanOf(before) !== scan) drawn.push(this.#rows!.drawnScan(op));
      if (this.isOpen(op)) return;
      drawn[drawn.length - 1] += `${told === scan ? ', ' : ' → '}${this.drawn(op)}`;
      told = scan;
    });
    return drawn.join(this.#rows === null ? ', ' : '; ');
  }

  /** Value of a read with a known writer. For a row that a scan passed over, the value of the row. */
  valueFrom(read: OperationId, writer: number): string {
    if (this.rows(read) === null) return this.value(read);
    const key = this.history.opKey[read];
    if (writer === INITIAL_TXN) return this.initialValue(key, read);
    for (let op = this.history.txnStart[writer + 1] - 1; op >= this.history.txnStart[writer]; op--)
      if (this.history.opKey[op] === key && this.history.opKind[op] === OpKind.Write) return this.value(op);
    return this.value(read);
  }

  /** Label of an operation with all columns of its rows; null if its label in the picture has them. */
  drawnInFull(op: OperationId): string | null {
    const full = this.rows(op)?.drawn(op, Number.POSITIVE_INFINITY);
    return full === undefined || full === this.drawn(op) ? null : full;
  }

  /** Label of an operation in the picture: "read x = 0", "write x = 1", "append 2 to x". */
  drawn(op: OperationId): string {
    const rows = this.rows(op);
    if (rows !== null) return rows.drawn(op);
    switch (this.history.opKind[op]) {
      case OpKind.Read:
      case OpKind.ListRead:
        return `read ${this.version(op)}`;
      case OpKind.Write:
        return `write ${this.version(op)}`;
      case OpKind.Append:
        return `append ${this.value(op)} to ${this.key(op)}`;
      default:
        return showOperation(this.history, op);
    }
  }
}

/** Shortens a long list at the beginning, because its end is more informative. */
function shortList(elements: Int32Array, show: (value: number) => string): string {
  const shown = Array.from(elements.slice(-SHOWN), show);
  return `[${elements.length > SHOWN ? `… ${elements.length - SHOWN} more … ` : ''}${shown.join(' ')}]`;
}

const SHOWN = 12;
