import { INITIAL_TXN } from '@isolab/contract';
import {
  type History,
  OpKind,
  UNKNOWN_LIST,
  commonPlace,
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

/** What things are called in a story: transactions T1, T2 … in the order in which they are first asked for. */
export class Names {
  readonly history: History;
  readonly #whole: Whole | null;
  readonly #common: string; // to all places
  readonly #labels = new Map<number, string>();

  constructor(history: History, whole: Whole | null) {
    this.history = history;
    this.#whole = whole;
    this.#common = commonPlace(whole?.history ?? history);
  }

  txn(t: number): string {
    if (t === INITIAL_TXN) return 'the initial state';
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
    return this.#short(
      this.#whole ? locateTransaction(this.#whole.history, this.#whole.txnOf[t]) : locateTransaction(this.history, t),
    );
  }

  /** Where an operation stands: "line 12", "T7.log, byte 34". */
  opPlace(op: number): string {
    return this.#short(
      this.#whole ? locateOperation(this.#whole.history, this.#whole.opOf[op]) : locateOperation(this.history, op),
    );
  }

  #short(place: string): string {
    return place.startsWith(this.#common) ? place.slice(this.#common.length) : place;
  }

  /** As it stands in a sentence; a bare number would not be taken for a key. */
  key(op: number): string {
    return this.history.opKey[op] < 0 ? '' : this.keyName(this.history.opKey[op]);
  }

  keyName(key: number): string {
    const name = nameAtom(this.history.keys, key);
    return /^-?\d+$/.test(name) ? `key ${name}` : name;
  }

  /** What a read or write saw or made: "x = 1", "x = [1 2]", or of a list that is shown in part "x restricted to [2]". */
  version(op: number): string {
    return `${this.key(op)} ${this.isRestricted(op) ? 'restricted to' : '='} ${this.value(op)}`;
  }

  /** Whether a list has more elements in the whole history than here. */
  isRestricted(op: number): boolean {
    const { opKind, opValue, lists } = this.history;
    if (this.#whole === null || opKind[op] !== OpKind.ListRead || opValue[op] === UNKNOWN_LIST) return false;
    const { history, opOf } = this.#whole;
    const list = history.opValue[opOf[op]];
    return list !== UNKNOWN_LIST && listElements(history.lists, list).length > listElements(lists, opValue[op]).length;
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

  /** As an operation is drawn: "read x = 0", "write x = 1", "append 2 to x". */
  drawn(op: number): string {
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

/** Of long lists the end tells more than the beginning. */
function shortList(elements: Int32Array, show: (value: number) => string): string {
  const shown = Array.from(elements.slice(-SHOWN), show);
  return `[${elements.length > SHOWN ? `… ${elements.length - SHOWN} more … ` : ''}${shown.join(' ')}]`;
}

const SHOWN = 12;
