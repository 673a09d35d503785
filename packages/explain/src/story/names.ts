import { INITIAL_TXN } from '@isolab/checker';
import {
  type History,
  OpKind,
  UNKNOWN_LIST,
  listElements,
  locateOperation,
  locateTransaction,
  nameAtom,
  nameTransaction,
  showAtom,
  showOperation,
  valueWritten,
} from '@isolab/history';

/** Where the history of a story was taken from, so that names and places are those of the whole. */
export interface Whole {
  readonly history: History;
  readonly txnOf: Int32Array;
  readonly opOf: Int32Array;
}

/** What things are called in a story: transactions T1, T2 … in the order in which they are first spoken of. */
export class Names {
  readonly history: History;
  readonly #whole: Whole | null;
  readonly #labels = new Map<number, string>();

  constructor(history: History, whole: Whole | null) {
    this.history = history;
    this.#whole = whole;
  }

  /** The transactions spoken of, without the initial one. */
  get spokenOf(): readonly number[] {
    return [...this.#labels.keys()];
  }

  txn(t: number): string {
    if (t === INITIAL_TXN) return 'the initial transaction';
    const label = this.#labels.get(t) ?? `T${this.#labels.size + 1}`;
    this.#labels.set(t, label);
    return label;
  }

  /** What the source calls it: "transaction 14 of session 3". */
  sourceName(t: number): string {
    return this.#whole ? nameTransaction(this.#whole.history, this.#whole.txnOf[t]) : nameTransaction(this.history, t);
  }

  session(t: number): string {
    return `session ${nameAtom(this.history.sessionNames, this.history.txnSession[t])}`;
  }

  txnPlace(t: number): string {
    return this.#whole
      ? locateTransaction(this.#whole.history, this.#whole.txnOf[t])
      : locateTransaction(this.history, t);
  }

  opPlace(op: number): string {
    return this.#whole ? locateOperation(this.#whole.history, this.#whole.opOf[op]) : locateOperation(this.history, op);
  }

  /** The place without its file, if there is but one: "line 12". */
  at(op: number): string {
    const place = this.opPlace(op);
    const { files } = (this.#whole?.history ?? this.history).source;
    return files.length === 1 && place.startsWith(`${files[0]}, `) ? place.slice(files[0].length + 2) : place;
  }

  key(op: number): string {
    return this.history.opKey[op] < 0 ? '' : nameAtom(this.history.keys, this.history.opKey[op]);
  }

  /** What a read or write saw or made: "x = 1", "x = [1 2]". */
  version(op: number): string {
    return `${this.key(op)} = ${this.value(op)}`;
  }

  value(op: number): string {
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

  /** As an operation is drawn: "x := 1", "x → 0". */
  drawn(op: number): string {
    const key = this.key(op);
    switch (this.history.opKind[op]) {
      case OpKind.Read:
      case OpKind.ListRead:
        return `${key} → ${this.value(op)}`;
      case OpKind.Write:
        return `${key} := ${this.value(op)}`;
      case OpKind.Append:
        return `${key} += ${this.value(op)}`;
      default:
        return showOperation(this.history, op);
    }
  }
}

/** Of long lists the end tells more than the beginning. */
function shortList(elements: Int32Array, show: (value: number) => string): string {
  const shown = Array.from(elements.slice(-SHOWN), show);
  return `[${elements.length > SHOWN ? `… ${elements.length - SHOWN} more … ` : ''}${shown.join(' ')}]`;
}

const SHOWN = 12;
