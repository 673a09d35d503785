import {
  type History,
  NIL,
  OP_NAMES,
  OpKind,
  TxnStatus,
  UNKNOWN_VALUE,
  countKeys,
  transactionOfOperations,
} from '@isolab/history';
import { refuse } from './flaw.ts';
import type { Rules } from './rules.ts';
import { Rank, Versions } from './versions.ts';

/** What a read saw, where it is not a write that can be named. */
export const Saw = {
  /** The initial state of its key. */
  Initial: -1,
  /** A value that nothing wrote. */
  ThinAir: -2,
  /** A value that several transactions may have written last, so that it takes a choice to say which. */
  OneOfSeveral: -3,
  /** Not a read, or a result that was never learned. */
  Nothing: -4,
} as const;

/**
 * What the verifier derives of a history: by itself, from nothing but the operations, so that a mistake in what the
 * checkers share (the read-from index above all) does not go unnoticed.
 *
 * A choice may be made for the benefit of a satisfied verdict, but a violation must not rest on one: what `source` names
 * then is what the read saw in every explanation of the history, or in one that is as good as any other.
 */
export interface RawFacts {
  readonly history: History;
  readonly txnOf: Int32Array;
  readonly versions: Versions;
  /** For every operation that reads: the write that it saw, or a Saw. */
  readonly source: Int32Array;
  /** For every operation that reads: its transaction's latest earlier write of the key, or −1. */
  readonly ownWrite: Int32Array;
  /** 1 for a transaction that committed, or is of unknown outcome and was read from by one that happened. */
  readonly happened: Uint8Array;
  readonly numHappened: number;
}

/** Whether a value is one of those that stand for a key's initial state. */
export const isInitial = ({ keyInitial }: History, key: number, value: number): boolean =>
  value === NIL || value === keyInitial[key];

export function deriveFacts(history: History, rules: Rules, verdict: 'satisfied' | 'violated'): RawFacts {
  refuseOthersThanRegisters(history);
  const txnOf = transactionOfOperations(history);
  const versions = new Versions(history, txnOf);
  const { source, ownWrite } = new Attribution(history, txnOf, versions, rules, verdict).attributeAll();
  const happened = findHappened(history, txnOf, source);
  return {
    history,
    txnOf,
    versions,
    source,
    ownWrite,
    happened,
    numHappened: happened.reduce((sum, one) => sum + one, 0),
  };
}

/**
 * The transaction from which an operation reads, INITIAL_TXN (−1), or a number below that where it is no read from
 * another transaction that can be named.
 */
export function readsFrom({ source, txnOf }: RawFacts, op: number): number {
  const write = source[op];
  if (write < 0) return write === Saw.Initial ? -1 : NOT_FROM_ANOTHER;
  return txnOf[write] === txnOf[op] ? NOT_FROM_ANOTHER : txnOf[write];
}

export const NOT_FROM_ANOTHER = -2;

function refuseOthersThanRegisters({ opKind }: History): void {
  const op = opKind.findIndex((kind) => kind !== OpKind.Read && kind !== OpKind.Write);
  if (op < 0) return;
  const kind = OP_NAMES[opKind[op]];
  const advice =
    opKind[op] >= OpKind.CompareAndSet
      ? 'the history must be lowered to registers first (toRegisters)'
      : 'certificates about lists cannot be verified';
  refuse(`operation ${op} is of the kind ${kind}: ${advice}`);
}

class Attribution {
  readonly #history: History;
  readonly #txnOf: Int32Array;
  readonly #versions: Versions;
  readonly #rules: Rules;
  /** Whether it is enough that a choice is possible. */
  readonly #mayChoose: boolean;
  readonly #standsForInitial = new Map<number, boolean>(); // by transaction
  #initialReads: Int32Array | null = null; // by key; see #initialValueRead

  constructor(
    history: History,
    txnOf: Int32Array,
    versions: Versions,
    rules: Rules,
    verdict: 'satisfied' | 'violated',
  ) {
    this.#history = history;
    this.#txnOf = txnOf;
    this.#versions = versions;
    this.#rules = rules;
    this.#mayChoose = verdict === 'satisfied';
  }

  attributeAll(): { source: Int32Array; ownWrite: Int32Array } {
    const { txnStart, opKind, opKey, opValue } = this.#history;
    const source = new Int32Array(opKind.length).fill(Saw.Nothing);
    const ownWrite = new Int32Array(opKind.length).fill(-1);
    const writer = new Int32Array(countKeys(this.#history)).fill(-1); // by key: the last transaction to write it,
    const write = new Int32Array(writer.length); // and its latest write
    for (let t = 0; t + 1 < txnStart.length; t++) {
      for (let op = txnStart[t], end = txnStart[t + 1]; op < end; op++) {
        const key = opKey[op];
        if (opKind[op] === OpKind.Write) {
          writer[key] = t;
          write[key] = op;
          continue;
        }
        if (writer[key] === t) ownWrite[op] = write[key];
        if (opValue[op] === UNKNOWN_VALUE) continue;
        const seesOwn = writer[key] === t && opValue[write[key]] === opValue[op];
        source[op] = seesOwn ? write[key] : this.#attribute(t, key, opValue[op]);
      }
    }
    return { source, ownWrite };
  }

  /** What a read by `t` saw that did not see its own latest write. */
  #attribute(t: number, key: number, value: number): number {
    const versions = this.#versions;
    const initial = isInitial(this.#history, key, value);
    const only = initial ? -1 : versions.onlyWrite(key, value);
    if (only >= 0) return only;
    const first = versions.find(key, value);

    // A transaction has one last write of a key at most, so that one of the first two of those is another's.
    let own = -1;
    let other = -1;
    for (let place = first; place < first + 3; place++) {
      const write = versions.writeAt(place, key, value);
      if (write < 0 || versions.rank[write] !== Rank.Last) break;
      if (this.#txnOf[write] === t) own = write;
      else if (other < 0) other = write;
      else return Saw.OneOfSeveral;
    }
    if (other >= 0) return initial ? this.#initialOr(other, t) : other;
    if (initial) return Saw.Initial;
    if (own >= 0) return own; // a read of the future
    return first < 0 ? Saw.ThinAir : versions.writeAt(first, key, value);
  }

  /** What `t` saw, if the value is that of the initial state, and `write` of another transaction wrote it once more. */
  #initialOr(write: number, t: number): number {
    const { txnSession } = this.#history;
    const writer = this.#txnOf[write];
    if (this.#stands(writer)) return write;
    const isLater = writer > t && txnSession[writer] === txnSession[t];
    return isLater && (this.#mayChoose || this.#rules.sessions) ? Saw.Initial : Saw.OneOfSeveral;
  }

  /**
   * Whether a transaction is as good as the initial one: alone in its session, it does nothing but write initial values
   * once more, so that it may be put first in any order, and every read of such a value be taken for one from it. If that
   * is to be so without a choice, real time must not count, and nobody may spell the initial value in another way.
   */
  #stands(t: number): boolean {
    let stands = this.#standsForInitial.get(t);
    if (stands === undefined) this.#standsForInitial.set(t, (stands = this.#findOutWhetherStands(t)));
    return stands;
  }

  #findOutWhetherStands(t: number): boolean {
    const { sessionStart, txnSession, txnStart, opKind, opKey, opValue } = this.#history;
    const session = txnSession[t];
    if (sessionStart[session + 1] - sessionStart[session] !== 1) return false;
    if (!this.#mayChoose && this.#rules.realTime !== 'none') return false;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      if (opKind[op] !== OpKind.Write || !isInitial(this.#history, opKey[op], opValue[op])) return false;
      const read = this.#mayChoose ? -1 : this.#initialValueRead(opKey[op]);
      if (read !== -1 && read !== opValue[op]) return false;
    }
    return true;
  }

  /** The one value by which reads of a key see its initial state; −1 if none do, −2 if there are several such values. */
  #initialValueRead(key: number): number {
    if (this.#initialReads === null) {
      const { opKind, opKey, opValue } = this.#history;
      const reads = (this.#initialReads = new Int32Array(countKeys(this.#history)).fill(-1));
      for (let op = 0; op < opKind.length; op++) {
        const k = opKey[op];
        if (opKind[op] !== OpKind.Read || !isInitial(this.#history, k, opValue[op])) continue;
        reads[k] = reads[k] === -1 || reads[k] === opValue[op] ? opValue[op] : -2;
      }
    }
    return this.#initialReads[key];
  }
}

function findHappened({ txnStart, txnStatus }: History, txnOf: Int32Array, source: Int32Array): Uint8Array {
  const happened = Uint8Array.from(txnStatus, (status) => (status === TxnStatus.Committed ? 1 : 0));
  if (!txnStatus.includes(TxnStatus.Unknown)) return happened;
  const toVisit = Array.from(happened.keys()).filter((t) => happened[t] === 1);
  for (let t = toVisit.pop(); t !== undefined; t = toVisit.pop()) {
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const writer = source[op] < 0 ? -1 : txnOf[source[op]];
      if (writer < 0 || happened[writer] || txnStatus[writer] !== TxnStatus.Unknown) continue;
      happened[writer] = 1;
      toVisit.push(writer);
    }
  }
  return happened;
}
