import { type History, OpKind, TxnStatus, UNKNOWN_VALUE, countKeys, Times } from '@isolab/history';
import { type Dependencies, lastWriteOf } from './dependencies.ts';
import { EdgeType, type TypedEdge } from './typed-edges.ts';

/**
 * VL-LWT (Algorithm 2): the transactions of a key form a chain, in which each overwrites the previous version, and none
 * may have been called after a later one returned. Beyond the paper, transactions may be read-only; the readers of one
 * version are placed together between its writer and its overwriter. Session order counts as well, as real time does
 * not always imply it.
 */
export interface Chains {
  /** The transactions of each key along its chain, key after key. */
  readonly order: Int32Array;
  /** Position of each transaction: even for writers, one more for readers of their versions; −1 if on no chain. */
  readonly position: Int32Array;
  readonly keyOf: Int32Array;
}

/** An operation that shows that a transaction is not an operation on a single key, or −1. */
export function findNoSingleKey({ txnStart, opKind, opKey, opValue }: History, happened: Uint8Array): number {
  for (let t = 0; t < happened.length; t++) {
    if (happened[t] === 0) continue;
    for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++)
      if (opKey[op] !== opKey[txnStart[t]] || (opKind[op] === OpKind.Read && opValue[op] === UNKNOWN_VALUE)) return op;
  }
  return -1;
}

/** Step 1 of the algorithm: walks along the chain of every key, from its initial state. */
export function chainsOf(dependencies: Dependencies): Chains {
  const { history, numOps, numHappened, happened, txnOf, lastReader, readerBefore, overwriter } = dependencies;
  const order = new Int32Array(numHappened);
  const position = new Int32Array(happened.length).fill(-1);
  const keyOf = new Int32Array(happened.length).fill(-1);
  let placed = 0;
  for (let key = 0, numKeys = countKeys(history); key < numKeys; key++) {
    let at = 0;
    for (let version = numOps + key; version >= 0; at += 2) {
      const by = overwriter[version];
      for (let read = lastReader[version]; read >= 0; read = readerBefore[read]) {
        const reader = txnOf[read];
        // The first read of a transaction determines its position. Differing reads are a separate anomaly.
        if (reader === by || position[reader] >= 0 || read !== history.txnStart[reader]) continue;
        keyOf[reader] = key;
        position[reader] = at + 1;
        order[placed++] = reader;
      }
      if (by < 0) break;
      keyOf[by] = key;
      position[by] = at + 2;
      order[placed++] = by;
      version = lastWriteOf(history, by, key);
    }
  }
  return { order: order.subarray(0, placed), position, keyOf };
}

/** Transactions of a key that read from one another in a cycle. The chain of the key never reaches them. */
export function findCircles({ history, numOps, happened, txnOf, version }: Dependencies, { position }: Chains) {
  const circles: TypedEdge[][] = [];
  const walk = new Int32Array(happened.length); // the walk that met each transaction
  for (let t = 0; t < happened.length; t++) {
    if (happened[t] === 0 || position[t] >= 0 || walk[t] !== 0) continue;
    const path: TypedEdge[] = [];
    let to = t;
    while (walk[to] === 0 && position[to] < 0) {
      walk[to] = t + 1;
      const read = history.txnStart[to];
      const seen = read < history.txnStart[to + 1] ? version[read] : -1;
      if (seen < 0 || seen >= numOps) break;
      path.push({ type: EdgeType.WR, from: txnOf[seen], to, read });
      to = txnOf[seen];
    }
    const begin = path.findIndex((edge) => edge.to === to);
    if (walk[to] === t + 1 && begin >= 0) circles.push(path.slice(begin).toReversed());
  }
  return circles;
}

/** Step 2: finds at most one conflicting pair per key, or only one in total, as cycles. */
export class RealTimeCheck {
  readonly #dependencies: Dependencies;
  readonly #chains: Chains;
  readonly #begins: Times | null;
  readonly #ends: Times | null;

  constructor(dependencies: Dependencies, chains: Chains) {
    const { txnBegin, txnEnd } = dependencies.history;
    this.#dependencies = dependencies;
    this.#chains = chains;
    this.#begins = txnBegin && new Times(txnBegin);
    this.#ends = txnEnd && new Times(txnEnd);
  }

  /** Pairs whose later transaction in the chain returned before the other was called (lines 15 to 19). */
  findStale(findAll: boolean): TypedEdge[][] {
    if (this.#begins === null || this.#ends === null) return [];
    const { order, position, keyOf } = this.#chains;
    const found: TypedEdge[][] = [];
    let key = -1;
    let first = -1; // the earliest return among the later transactions, as a place,
    let firstHere = -1; // and among the transactions at this position
    let told = -1;
    for (let i = order.length - 1; i >= 0; i--) {
      const t = order[i];
      if (keyOf[t] !== key) {
        key = keyOf[t];
        first = firstHere = -1;
      } else if (position[t] !== position[order[i + 1]]) {
        if (firstHere >= 0 && (first < 0 || this.#returnsBefore(order[firstHere], order[first]))) first = firstHere;
        firstHere = -1;
      }
      if (told !== key && first >= 0 && this.#precedes(order[first], t)) {
        found.push(this.#conflict(i, first));
        if (!findAll) return found;
        told = key;
      }
      if (this.#hasReturned(t) && (firstHere < 0 || this.#returnsBefore(t, order[firstHere]))) firstHere = i;
    }
    return found;
  }

  /** Pairs of one session in the opposite order of the chain, or where only the later transaction can have come first. */
  findOutOfSession(findAll: boolean): TypedEdge[][] {
    const { history } = this.#dependencies;
    const { position, keyOf } = this.#chains;
    const found: TypedEdge[][] = [];
    const previous = new Int32Array(countKeys(history)).fill(-1); // by key, within the session
    const latest = this.#latestCalls();
    for (let t = 0; t < position.length; t++) {
      if (position[t] < 0) continue;
      const before = previous[keyOf[t]];
      previous[keyOf[t]] = t;
      if (before < 0 || history.txnSession[before] !== history.txnSession[t]) continue;
      const session = { type: EdgeType.SO, to: t, read: -1 };
      if (position[before] > position[t]) found.push([{ ...session, from: before }, ...this.#alongChain(t, before)]);
      else if (latest[t] !== t && this.#precedes(t, latest[t]))
        found.push([
          { ...session, from: latest[t] },
          { type: EdgeType.RT, from: t, to: latest[t], read: -1 },
        ]);
      if (found.length > 0 && !findAll) return found;
    }
    return found;
  }

  /** The chains, with the readers of each version in an order that respects sessions and real time. */
  finalOrder(): Int32Array {
    const { happened } = this.#dependencies;
    const { order, position } = this.#chains;
    const empty = Int32Array.from(position.keys()).filter((t) => happened[t] === 1 && position[t] < 0);
    const final = new Int32Array(empty.length + order.length);
    final.set(empty);
    final.set(order, empty.length);
    const latest = this.#latestCalls();
    const begins = this.#begins;
    const compare = (a: number, b: number): number => {
      if (begins?.isBefore(latest[a], begins, latest[b])) return -1;
      return begins?.isBefore(latest[b], begins, latest[a]) ? 1 : a - b;
    };
    for (let i = empty.length; i < final.length;) {
      let end = i + 1;
      if (position[final[i]] % 2 === 1) {
        while (end < final.length && position[final[end]] === position[final[i]]) end++;
        final.subarray(i, end).sort(compare);
      }
      i = end;
    }
    return final;
  }

  /** For each transaction, the latest called transaction among itself and the earlier ones of its key and session. */
  #latestCalls(): Int32Array {
    const { history } = this.#dependencies;
    const { position, keyOf } = this.#chains;
    const latest = new Int32Array(position.length);
    for (let t = 0; t < latest.length; t++) latest[t] = t;
    if (this.#begins === null) return latest;
    const previous = new Int32Array(countKeys(history)).fill(-1);
    for (let t = 0; t < position.length; t++) {
      if (position[t] < 0) continue;
      const before = previous[keyOf[t]];
      previous[keyOf[t]] = t;
      if (before < 0 || history.txnSession[before] !== history.txnSession[t]) continue;
      if (this.#begins.isBefore(t, this.#begins, latest[before])) latest[t] = latest[before];
    }
    return latest;
  }

  /**
   * The cycle of a transaction and a later one in the chain that returned before it was called; as short as possible.
   */
  #conflict(called: number, returned: number): TypedEdge[] {
    const { order, position } = this.#chains;
    let [i, j] = [called, returned];
    for (let round = 0; round < ROUNDS; round++) {
      const [from, to] = [i, j];
      for (let k = j - 1; k > i; k--)
        if (position[order[k]] < position[order[j]] && this.#precedes(order[j], order[k])) i = k;
      for (let k = i + 1; k < j; k++)
        if (position[order[k]] > position[order[i]] && this.#precedes(order[k], order[i])) j = k;
      if (i === from && j === to) break;
    }
    return [{ type: EdgeType.RT, from: order[j], to: order[i], read: -1 }, ...this.#alongChain(order[i], order[j])];
  }

  #alongChain(from: number, to: number): TypedEdge[] {
    const { history, version, overwriter } = this.#dependencies;
    const { position, keyOf } = this.#chains;
    const { txnStart } = history;
    const wanted = version[txnStart[to]];
    const edges: TypedEdge[] = [];
    let at = from;
    while (at !== to) {
      const isReader = position[at] % 2 === 1;
      const current = isReader ? version[txnStart[at]] : lastWriteOf(history, at, keyOf[at]);
      const next = !isReader && wanted === current ? to : overwriter[current];
      edges.push(
        isReader
          ? { type: EdgeType.RW, from: at, to: next, read: txnStart[at] }
          : { type: EdgeType.WR, from: at, to: next, read: txnStart[next] },
      );
      at = next;
    }
    return edges;
  }

  #precedes(a: number, b: number): boolean {
    return this.#begins !== null && this.#hasReturned(a) && this.#ends!.isBefore(a, this.#begins, b);
  }

  #hasReturned(t: number): boolean {
    const { txnStatus } = this.#dependencies.history;
    return this.#ends !== null && txnStatus[t] === TxnStatus.Committed && this.#ends.isKnown(t);
  }

  #returnsBefore(a: number, b: number): boolean {
    return this.#ends!.isBefore(a, this.#ends!, b);
  }
}

/** Number of attempts to shorten the distance of a conflicting pair. */
const ROUNDS = 16;
