import { type History, OpKind, STATUS_NAMES, atomOf } from '@isolab/history';
import type { DbcopLevel } from '../../src/levels.ts';

/** An operation as a client saw it. */
export interface Op {
  readonly id: number;
  readonly kind: 'r' | 'w';
  readonly key: string;
  readonly value: bigint;
  readonly txn: number;
}

/** The initial transaction. */
const ROOT = -1;

/**
 * The levels straight from their definitions, by trying every order: nothing here is shared with the checker, neither
 * the read-from index nor the internal anomalies nor an algorithm. Values are unique for each key, and initially 0.
 */
export class Naive {
  readonly ops: readonly (readonly Op[])[];
  readonly members: readonly number[];
  readonly #session: Int32Array;
  readonly #aborted: ReadonlySet<number>;

  constructor(history: History) {
    const { txnStart, opKind, opKey, opValue, txnStatus, txnSession } = history;
    this.ops = Array.from(txnStatus, (_, txn) =>
      Array.from({ length: txnStart[txn + 1]! - txnStart[txn]! }, (__, i): Op => {
        const id = txnStart[txn]! + i;
        const kind = opKind[id] === OpKind.Write ? 'w' : 'r';
        const value = atomOf(history.values, opValue[id]!) as bigint;
        return { id, kind, key: String(opKey[id]), value, txn };
      }),
    );
    this.#session = txnSession;
    const status = (t: number): string => STATUS_NAMES[txnStatus[t]!]!;
    const all = [...this.ops.keys()];
    this.#aborted = new Set(all.filter((t) => status(t) === 'aborted'));
    const members = new Set(all.filter((t) => status(t) === 'committed'));
    // A transaction of unknown outcome committed if one that did read from it.
    for (let size = -1; size !== members.size;) {
      size = members.size;
      for (const t of members) {
        for (const op of this.ops[t]!.filter(({ kind }) => kind === 'r')) {
          const writer = this.#writeOf(op)?.txn;
          if (writer !== undefined && status(writer) === 'unknown') members.add(writer);
        }
      }
    }
    this.members = all.filter((t) => members.has(t));
  }

  satisfies(level: DbcopLevel): boolean {
    return this.#isInternallyRight(level) && this.#someOrder([], (order) => this.isCommitOrder(order, level));
  }

  /** Returns whether an order of all members contains SO and WR and makes the level's axiom true. */
  isCommitOrder(order: readonly number[], level: DbcopLevel): boolean {
    const position = new Map([[ROOT, -1], ...order.map((t, i) => [t, i] as const)]);
    const before = (a: number, b: number): boolean => position.get(a)! < position.get(b)!;
    if (order.length !== this.members.length || !this.members.every((t) => position.has(t))) return false;
    for (const a of this.members)
      for (const b of this.members) if ((this.inSession(a, b) || this.#wr(a, b)) && !before(a, b)) return false;
    return this.members.every((t3) =>
      this.externalReads(t3).every((read) => {
        const t1 = this.sourceOf(read);
        return this.members.every(
          (t2) =>
            t2 === t1 ||
            t2 === t3 ||
            !this.writes(t2, read.key) ||
            !this.visible(t2, read, level, before) ||
            before(t2, t1),
        );
      }),
    );
  }

  /** The premise of the level's axiom. */
  visible(t2: number, read: Op, level: DbcopLevel, before: (a: number, b: number) => boolean = () => false): boolean {
    const t3 = read.txn;
    const upTo = (t4: number): boolean => t2 === t4 || before(t2, t4);
    switch (level) {
      case 'read-committed-dbcop':
      case 'read-committed':
        return this.externalReads(t3).some(
          (other) =>
            other.id < read.id &&
            this.sourceOf(other) === t2 &&
            (level === 'read-committed-dbcop' || other.key !== read.key),
        );
      case 'read-atomic':
        return this.inSession(t2, t3) || this.#wr(t2, t3);
      case 'causal':
        return this.#causallyPrecedes(t2, t3);
      case 'prefix':
        return this.members.some((t4) => upTo(t4) && (this.inSession(t4, t3) || this.#wr(t4, t3)));
      case 'snapshot-isolation':
        return (
          this.visible(t2, read, 'prefix', before) ||
          this.members.some((t4) => upTo(t4) && before(t4, t3) && this.#writesSameKey(t4, t3))
        );
      case 'serializable':
        return before(t2, t3);
    }
  }

  /** Reads of a key before any own write to it. */
  externalReads(t: number): Op[] {
    return this.ops[t]!.filter(
      ({ kind, key, id }) => kind === 'r' && !this.ops[t]!.some((o) => o.kind === 'w' && o.key === key && o.id < id),
    );
  }

  sourceOf(read: Op): number {
    return this.#writeOf(read)?.txn ?? ROOT;
  }

  writes(t: number, key: string): boolean {
    return this.ops[t]!.some((op) => op.kind === 'w' && op.key === key);
  }

  op(id: number): Op {
    return this.ops.flat().find((op) => op.id === id)!;
  }

  #writesSameKey(a: number, b: number): boolean {
    return this.ops[a]!.some(({ kind, key }) => kind === 'w' && this.writes(b, key));
  }

  #writeOf(read: Op): Op | undefined {
    return this.ops.flat().find(({ kind, key, value }) => kind === 'w' && key === read.key && value === read.value);
  }

  inSession(a: number, b: number): boolean {
    return a < b && this.#session[a] === this.#session[b];
  }

  #wr(a: number, b: number): boolean {
    return a !== b && this.externalReads(b).some((read) => this.sourceOf(read) === a);
  }

  #causallyPrecedes(a: number, b: number, through: ReadonlySet<number> = new Set()): boolean {
    if (this.inSession(a, b) || this.#wr(a, b)) return true;
    return this.members.some(
      (c) =>
        !through.has(c) &&
        (this.inSession(a, c) || this.#wr(a, c)) &&
        this.#causallyPrecedes(c, b, new Set([...through, a, c])),
    );
  }

  #someOrder(prefix: readonly number[], accept: (order: readonly number[]) => boolean): boolean {
    if (prefix.length === this.members.length) return accept(prefix);
    return this.members.some(
      (t) =>
        !prefix.includes(t) &&
        this.members.every((s) => prefix.includes(s) || (!this.inSession(s, t) && !this.#wr(s, t))) &&
        this.#someOrder([...prefix, t], accept),
    );
  }

  /** P1 to P7: no read is wrong in itself. */
  #isInternallyRight(level: DbcopLevel): boolean {
    return this.members.every((t) => this.ops[t]!.every((op) => op.kind === 'w' || this.#isReadRight(op, level)));
  }

  #isReadRight(read: Op, level: DbcopLevel): boolean {
    const before = this.ops[read.txn]!.filter(({ id, key }) => id < read.id && key === read.key);
    const ownWrite = before.findLast(({ kind }) => kind === 'w');
    if (ownWrite) return ownWrite.value === read.value;
    const earlierRead = before.at(-1);
    if (earlierRead && earlierRead.value !== read.value && !level.startsWith('read-committed')) return false;
    if (read.value === 0n) return true;
    const write = this.#writeOf(read);
    if (!write || this.#aborted.has(write.txn) || write.txn === read.txn) return false;
    const last = this.ops[write.txn]!.findLast(({ kind, key }) => kind === 'w' && key === read.key);
    return last === write;
  }
}
