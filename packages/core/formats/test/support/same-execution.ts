import {
  EMPTY_LIST,
  type History,
  OpKind,
  ReadFrom,
  STATUS_NAMES,
  type TransactionId,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countKeys,
  countTransactions,
  countValues,
  locateOperation,
  locateTransaction,
  nameAtom,
  nameTransaction,
  showOperation,
} from '@isolab/history';
import {
  type Side,
  initialReads,
  matchBySignature,
  sideOf,
  withoutAborted,
  withoutInitialTransaction,
} from './same-execution-sides.ts';

export interface SameExecutionOptions {
  /**
   * Whether a transaction that writes the initial state, and that only one of the two files has, is recognized: it only
   * writes, at the beginning of a session, best alone in it.
   */
  readonly foldInitial?: boolean;
  /** Whether aborted transactions, which converters like to drop, are left out on both sides. */
  readonly leaveOutAborted?: boolean;
}

/**
 * Compares two records of one execution, made in different formats: null when they are equal, otherwise a line about
 * the first difference. Equal means: for a one-to-one renaming of the keys, and of each key's values, the same
 * operations in the same transactions with the same outcomes. A read of a key's initial state is one with any value.
 * Names, times and positions are not compared, nor sessions that hold nothing.
 *
 * Sessions are matched in the order given if that works, otherwise by a signature that does not depend on names.
 * Sessions with equal signatures are matched in order; in a very regular history that may miss a match that exists.
 * Linear time.
 */
export function sameExecution(
  a: History,
  b: History,
  { foldInitial = false, leaveOutAborted = false }: SameExecutionOptions = {},
): string | null {
  const [left, right] = leaveOutAborted
    ? [sideOf(withoutAborted(a)), sideOf(withoutAborted(b))]
    : [sideOf(a), sideOf(b)];
  if (!foldInitial) return compare(left, right);
  const surplus = countTransactions(left.history) - countTransactions(right.history);
  if (surplus === 1) return compare(withoutInitialTransaction(left, initialReads(right)) ?? left, right);
  if (surplus === -1) return compare(left, withoutInitialTransaction(right, initialReads(left)) ?? right);
  const difference = compare(left, right);
  if (difference === null || surplus !== 0) return difference;
  // Both may have one, each written in its own order.
  const [foldedLeft, foldedRight] = [withoutInitialTransaction(left), withoutInitialTransaction(right)];
  return foldedLeft && foldedRight && compare(foldedLeft, foldedRight) === null ? null : difference;
}

function compare(a: Side, b: Side): string | null {
  if (a.sessions.length !== b.sessions.length) {
    return `the first history has ${a.sessions.length} sessions, the second has ${b.sessions.length}`;
  }
  const inOrder = new Renaming(a, b).compareSessions(b.sessions);
  if (inOrder === null) return null;
  const matched = matchBySignature(a, b);
  return matched === null ? inOrder : new Renaming(a, b).compareSessions(matched);
}

/** The two sides' keys, versions and lists as far as they have been found to correspond. */
class Renaming {
  readonly #a: Side;
  readonly #b: Side;
  readonly #keyInB: Int32Array;
  readonly #keyInA: Int32Array;
  // A version is a key and a value in one number.
  readonly #versionInB = new Map<number, number>();
  readonly #versionInA = new Map<number, number>();
  readonly #nodeInB: Int32Array;
  readonly #nodeInA: Int32Array;

  constructor(a: Side, b: Side) {
    this.#a = a;
    this.#b = b;
    this.#keyInB = new Int32Array(countKeys(a.history)).fill(-1);
    this.#keyInA = new Int32Array(countKeys(b.history)).fill(-1);
    this.#nodeInB = new Int32Array(a.history.lists.parent.length).fill(-1);
    this.#nodeInA = new Int32Array(b.history.lists.parent.length).fill(-1);
    this.#nodeInB[EMPTY_LIST] = this.#nodeInA[EMPTY_LIST] = EMPTY_LIST;
  }

  /** Compares the sessions of `a` with these of `b`, one by one. */
  compareSessions(sessionsOfB: readonly number[]): string | null {
    for (const [i, s] of this.#a.sessions.entries()) {
      const difference = this.#compareSession(s, sessionsOfB[i]);
      if (difference !== null) return difference;
    }
    return null;
  }

  #compareSession(s: number, u: number): string | null {
    const [a, b] = [this.#a.history, this.#b.history];
    const transactions = a.sessionStart[s + 1] - a.sessionStart[s];
    const others = b.sessionStart[u + 1] - b.sessionStart[u];
    for (let i = 0; i < Math.min(transactions, others); i++) {
      const difference = this.#compareTransaction(a.sessionStart[s] + i, b.sessionStart[u] + i);
      if (difference !== null) return difference;
    }
    if (transactions === others) return null;
    return (
      `session ${nameAtom(a.sessionNames, s)} of the first history has ${transactions} transactions, ` +
      `session ${nameAtom(b.sessionNames, u)} of the second has ${others}`
    );
  }

  #compareTransaction(t: number, u: number): string | null {
    const [a, b] = [this.#a.history, this.#b.history];
    const operations = a.txnStart[t + 1] - a.txnStart[t];
    const others = b.txnStart[u + 1] - b.txnStart[u];
    const show = (history: History, txn: number, what: string): string =>
      `${nameTransaction(history, txn as TransactionId)} (${locateTransaction(history, txn as TransactionId)}) ${what}`;
    if (a.txnStatus[t] !== b.txnStatus[u]) {
      const [status, other] = [STATUS_NAMES[a.txnStatus[t]], STATUS_NAMES[b.txnStatus[u]]];
      return `${show(a, t, `is ${status}`)}, ${show(b, u, `is ${other}`)}`;
    }
    for (let i = 0; i < Math.min(operations, others); i++) {
      const [op, other] = [a.txnStart[t] + i, b.txnStart[u] + i];
      if (this.#sameOperation(op, other)) continue;
      return `${showOperation(a, op)} (${locateOperation(a, op)}) is not ${showOperation(b, other)} (${locateOperation(b, other)})`;
    }
    if (operations === others) return null;
    return `${show(a, t, `has ${operations} operations`)}, ${show(b, u, `has ${others}`)}`;
  }

  #sameOperation(op: number, other: number): boolean {
    const [a, b] = [this.#a.history, this.#b.history];
    const kind = a.opKind[op];
    if (kind !== b.opKind[other]) return false;
    const [x, y] = [a.opValue[op], b.opValue[other]];
    if (kind === OpKind.RangeRead) return this.#sameRange(x, y);

    const [key, otherKey] = [a.opKey[op], b.opKey[other]];
    if (!this.#sameKey(key, otherKey)) return false;
    switch (kind) {
      case OpKind.Read:
        return this.#sameRead(key, x, this.#a.index.readFrom[op], otherKey, y, this.#b.index.readFrom[other]);
      case OpKind.Write:
      case OpKind.Append:
        return this.#sameVersion(key, x, otherKey, y);
      case OpKind.ListRead:
        return this.#sameList(key, x, otherKey, y);
      default:
        return this.#sameExchange(op, other);
    }
  }

  #sameExchange(op: number, other: number): boolean {
    const [a, b] = [this.#a.history, this.#b.history];
    const [key, otherKey] = [a.opKey[op], b.opKey[other]];
    const [x, y] = [a.opValue[op], b.opValue[other]];
    const [observed, otherObserved] = [a.exchanges.observed[x], b.exchanges.observed[y]];
    if (a.exchanges.flags[x] !== b.exchanges.flags[y]) return false;
    const [from, otherFrom] = [this.#a.index.readFrom[op], this.#b.index.readFrom[other]];
    return (
      this.#sameRead(key, observed, from, otherKey, otherObserved, otherFrom) &&
      this.#sameVersion(key, a.exchanges.written[x], otherKey, b.exchanges.written[y])
    );
  }

  #sameRange(x: number, y: number): boolean {
    const [a, b] = [this.#a.history.ranges, this.#b.history.ranges];
    const rows = a.rowStart[x + 1] - a.rowStart[x];
    if (rows !== b.rowStart[y + 1] - b.rowStart[y]) return false;
    if (!this.#sameBound(a.low[x], b.low[y]) || !this.#sameBound(a.high[x], b.high[y])) return false;
    for (let i = 0; i < rows; i++) {
      const [row, other] = [a.rowStart[x] + i, b.rowStart[y] + i];
      const [key, otherKey] = [a.rowKey[row], b.rowKey[other]];
      const [from, otherFrom] = [this.#a.index.rowReadFrom[row], this.#b.index.rowReadFrom[other]];
      if (a.rowDead[row] !== b.rowDead[other] || !this.#sameKey(key, otherKey)) return false;
      if (!this.#sameRead(key, a.rowValue[row], from, otherKey, b.rowValue[other], otherFrom)) return false;
    }
    return true;
  }

  #sameBound(key: number, other: number): boolean {
    return key < 0 || other < 0 ? key === other : this.#sameKey(key, other);
  }

  #sameRead(
    key: number,
    value: number,
    from: number,
    otherKey: number,
    otherValue: number,
    otherFrom: number,
  ): boolean {
    const [initial, otherInitial] = [from === ReadFrom.Initial, otherFrom === ReadFrom.Initial];
    return initial || otherInitial ? initial === otherInitial : this.#sameVersion(key, value, otherKey, otherValue);
  }

  #sameKey(key: number, other: number): boolean {
    if (this.#keyInB[key] < 0 && this.#keyInA[other] < 0) {
      this.#keyInB[key] = other;
      this.#keyInA[other] = key;
    }
    return this.#keyInB[key] === other;
  }

  #sameVersion(key: number, value: number, otherKey: number, otherValue: number): boolean {
    if (value === UNKNOWN_VALUE || otherValue === UNKNOWN_VALUE) return value === otherValue;
    const version = key * countValues(this.#a.history) + value;
    const other = otherKey * countValues(this.#b.history) + otherValue;
    const known = this.#versionInB.get(version);
    if (known !== undefined) return known === other;
    if (this.#versionInA.has(other)) return false;
    this.#versionInB.set(version, other);
    this.#versionInA.set(other, version);
    return true;
  }

  /** Nodes that were compared once need no second comparison, and most lists extend one that was. */
  #sameList(key: number, list: number, otherKey: number, other: number): boolean {
    const [a, b] = [this.#a.history.lists, this.#b.history.lists];
    if (list === UNKNOWN_LIST || other === UNKNOWN_LIST) return list === other;
    let [node, otherNode] = [list, other];
    for (
      ;
      this.#nodeInB[node] < 0 && this.#nodeInA[otherNode] < 0;
      node = a.parent[node], otherNode = b.parent[otherNode]
    ) {
      if (!this.#sameVersion(key, a.element[node], otherKey, b.element[otherNode])) return false;
      this.#nodeInB[node] = otherNode;
      this.#nodeInA[otherNode] = node;
    }
    return this.#nodeInB[node] === otherNode;
  }
}
