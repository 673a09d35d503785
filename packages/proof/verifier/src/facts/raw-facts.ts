import {
  EMPTY_LIST,
  type History,
  type IdColumn,
  OP_NAMES,
  OpKind,
  type OperationId,
  type TransactionId,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  transactionOfOperations,
} from '@isolab/history';
import { refuse } from '../verdict/flaw.ts';
import { holdsLists, othersShown, ownWrites, refuseStrings } from './list-tree.ts';
import type { Rules } from './rules.ts';
import { Rank, StatedVersions } from './versions.ts';
import { lowerBound } from './sorted.ts';

/** Sources of a read other than an identified write. */
export const Saw = {
  /** The initial state of the key. */
  Initial: -1,
  /** A value that no operation wrote, or a list whose last element is such a value. */
  ThinAir: -2,
  /** A value that several transactions may have written last, so that the source is a choice. */
  OneOfSeveral: -3,
  /** Not a read, or a read with an unknown result. */
  Nothing: -4,
} as const;

/**
 * Facts that the verifier derives from the operations without code of the checkers, so that mistakes in shared code are
 * detected.
 */
export interface RawFacts {
  readonly history: History;
  readonly txnOf: IdColumn<TransactionId>;
  readonly versions: StatedVersions;
  /**
   * Write that every reading operation saw, or a constant of Saw. For a list, the last append by another transaction.
   */
  readonly source: Int32Array;
  /** For every operation, the latest earlier write of the key in its transaction; −1 if there is none. */
  readonly ownWrite: Int32Array;
  /** 1 for every transaction that counts as happened. */
  readonly happened: Uint8Array;
  /** 1 for every transaction that may have happened. */
  readonly mayHaveHappened: Uint8Array;
}

/** Refuses operations that are not lowered, and keys that are both lists and registers. */
export function refuseUnlowered(history: History): void {
  refuseExchanges(history);
  if (holdsLists(history)) refuseStrings(history);
}

/** Returns whether a register value equals the initial state of its key. */
export const isInitial = ({ keyInitial }: History, key: number, value: number): boolean => value === keyInitial[key];

function refuseExchanges({ opKind }: History): void {
  const op = opKind.findIndex((kind) => kind > OpKind.ListRead);
  if (op >= 0)
    refuse(
      `operation ${op} is of kind ${OP_NAMES[opKind[op]]}: the history must be lowered to registers first (toRegisters)`,
    );
}

/**
 * Facts for a satisfied verdict, whose certificate states the outcomes. Ambiguous reads may be resolved in its favour.
 */
export function factsGiven(history: History, happened: Uint8Array): RawFacts {
  const txnOf = transactionOfOperations(history);
  const versions = new StatedVersions(history, txnOf, happened);
  const ownWrite = ownWrites(history);
  const source = new Attribution(history, txnOf, versions, true).sources(ownWrite);
  return { history, txnOf, versions, source, ownWrite, happened, mayHaveHappened: happened };
}

/**
 * Facts for violated verdicts, which must not depend on a choice. `source` names the write that a read saw in every
 * explanation of the history. A transaction happened if it committed, or if its outcome is unknown and a transaction
 * that happened read from it. Where a level allows reads of versions that no transaction left, as cut isolation does,
 * such a read proves its writer only if no other transaction wrote the value. No other facts show that a transaction
 * happened: the results of an operation are evidence only if its transaction happened.
 */
export function factsForAll(history: History, rules: Rules, allowsReads = rules.axiom === 'cut'): RawFacts {
  const txnOf = transactionOfOperations(history);
  const mayHaveHappened = history.txnStatus.map((status) => (status === TxnStatus.Aborted ? 0 : 1));
  const versions = new StatedVersions(history, txnOf, mayHaveHappened);
  const ownWrite = ownWrites(history);
  const source = new Attribution(history, txnOf, versions, rules.sessions).sources(ownWrite);
  const seen = allowsReads ? solelyWritten(history, versions) : source;
  const happened = findHappened(history, txnOf, versions, seen);
  return { history, txnOf, versions, source, ownWrite, happened, mayHaveHappened };
}

class Attribution {
  readonly #history: History;
  readonly #txnOf: IdColumn<TransactionId>;
  readonly #versions: StatedVersions;
  /** Whether no transaction can have seen a later transaction of its session. */
  readonly #dropsLater: boolean;

  constructor(history: History, txnOf: IdColumn<TransactionId>, versions: StatedVersions, dropsLater: boolean) {
    this.#history = history;
    this.#txnOf = txnOf;
    this.#versions = versions;
    this.#dropsLater = dropsLater;
  }

  /** Source of every operation; see RawFacts. */
  sources(ownWrite: Int32Array): Int32Array {
    const { opKind, opKey, opValue } = this.#history;
    const source = new Int32Array(opKind.length).fill(Saw.Nothing);
    for (let op = 0; op < source.length; op++) {
      if (opKind[op] === OpKind.Read && opValue[op] !== UNKNOWN_VALUE) {
        const own = ownWrite[op];
        const seesOwn = own >= 0 && opValue[own] === opValue[op];
        source[op] = seesOwn ? own : this.#attribute(this.#txnOf[op], opKey[op], opValue[op]);
      } else if (opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST)
        source[op] = this.#lastAppend(this.#txnOf[op], op, ownWrite);
    }
    return source;
  }

  #lastAppend(t: number, read: OperationId, ownWrite: Int32Array): number {
    const { opKey, lists } = this.#history;
    const seen = { history: this.#history, txnOf: this.#txnOf, versions: this.#versions, ownWrite };
    const list = othersShown(seen, read);
    return list === EMPTY_LIST ? Saw.Initial : this.#writeSeen(t, opKey[read], lists.element[list], false);
  }

  /** Source of a register read that did not see its own latest write. */
  #attribute(t: number, key: number, value: number): number {
    const initial = isInitial(this.#history, key, value);
    const only = initial ? -1 : this.#versions.onlyWrite(key, value);
    return only >= 0 ? only : this.#writeSeen(t, key, value, initial);
  }

  /**
   * The only source of a version that `t` can have seen: another transaction's last write of the key, or the initial
   * state. Later writes of the session count only if there is no other. If no write qualifies, returns the best write.
   */
  #writeSeen(t: number, key: number, value: number, initial: boolean): number {
    const { txnStart, txnSession, sessionStart } = this.#history;
    const writes = this.#versions.writesOf(key, value);
    const end = this.#versions.countLast(writes); // the writes that may be seen, in ascending order
    const own = lowerBound(writes, 0, end, txnStart[t]);
    const later = lowerBound(writes, own, end, txnStart[t + 1]);
    const next = this.#dropsLater ? lowerBound(writes, later, end, txnStart[sessionStart[txnSession[t] + 1]]) : later;
    const others = own + end - next;
    if (others + (initial ? 1 : 0) > 1) return Saw.OneOfSeveral;
    if (others === 1) return own === 1 ? writes[0] : writes[next];
    if (initial) return Saw.Initial;
    if (next - later > 1) return Saw.OneOfSeveral;
    if (next - later === 1) return writes[later];
    if (later > own) return writes[own]; // a read of the future
    return writes.length === 0 ? Saw.ThinAir : writes[0];
  }
}

/**
 * For every register read, its write if no other transaction that may have happened wrote the same version; otherwise
 * −1.
 */
function solelyWritten(history: History, versions: StatedVersions): Int32Array {
  const { opKind, opKey, opValue } = history;
  return Int32Array.from(opKind, (kind, op) => {
    if (kind !== OpKind.Read || opValue[op] === UNKNOWN_VALUE || isInitial(history, opKey[op], opValue[op])) return -1;
    return versions.soleWrite(opKey[op], opValue[op]);
  });
}

/**
 * Finds committed transactions, and transactions of unknown outcome that a chain of reads connects to a committed
 * transaction.
 */
function findHappened(
  history: History,
  txnOf: IdColumn<TransactionId>,
  versions: StatedVersions,
  source: Int32Array,
): Uint8Array {
  const { opKey, lists } = history;
  const writer = (write: number): readonly number[] => (write < 0 ? [] : [txnOf[write]]);
  return happenedBySight(
    history,
    (op) => writer(source[op]),
    (op, node) => writer(versions.soleWrite(opKey[op], lists.element[node])),
  );
}

/**
 * Finds the transactions that happened, given the writers that an operation, or an element of a list that it read,
 * proves.
 */
export function happenedBySight(
  history: History,
  writersSeen: (op: OperationId) => readonly number[],
  writersOfElement: (op: OperationId, node: number) => readonly number[],
): Uint8Array {
  const { txnStart, txnStatus, opKind, opValue, lists } = history;
  const happened = Uint8Array.from(txnStatus, (status) => (status === TxnStatus.Committed ? 1 : 0));
  if (!txnStatus.includes(TxnStatus.Unknown)) return happened;
  const toVisit = Array.from(happened.keys()).filter((t) => happened[t] === 1);
  const saw = (writers: readonly number[]): void => {
    for (const t of writers) {
      if (happened[t] === 1 || txnStatus[t] !== TxnStatus.Unknown) continue;
      happened[t] = 1;
      toVisit.push(t);
    }
  };
  const seenNode = new Uint8Array(lists.parent.length);
  for (let t = toVisit.pop(); t !== undefined; t = toVisit.pop()) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.ListRead) saw(writersSeen(op));
      else
        for (let node = opValue[op]; node > EMPTY_LIST && seenNode[node] === 0; node = lists.parent[node]) {
          seenNode[node] = 1;
          saw(writersOfElement(op, node));
        }
    }
  }
  return happened;
}

/** The transaction that an operation reads from, INITIAL_TXN (−1), or a smaller number if it is unknown. */
export function readsFrom({ source, txnOf }: RawFacts, op: OperationId): number {
  const write = source[op];
  if (write < 0) return write === Saw.Initial ? -1 : NOT_FROM_ANOTHER;
  return txnOf[write] === txnOf[op] ? NOT_FROM_ANOTHER : txnOf[write];
}

export const NOT_FROM_ANOTHER = -2;

/** The transactions that may have left the version of a register read; −1 stands for the initial transaction. */
export function possibleWriters({ history, txnOf, versions }: RawFacts, read: OperationId): number[] {
  const [key, value] = [history.opKey[read], history.opValue[read]];
  const writers = Array.from(versions.writesOf(key, value))
    .filter((write) => versions.rank[write] === Rank.Last && txnOf[write] !== txnOf[read])
    .map((write) => txnOf[write]);
  return isInitial(history, key, value) ? [-1, ...writers] : writers;
}

/** The objection to an anomaly; null if there is none. */
export type Shows = (facts: RawFacts, read: OperationId, other: number) => string | null;
