import { type Edge, INITIAL_TXN, type LevelName, implies } from '@isolab/contract';
import { type History, OpKind, type OperationId, type TransactionId, transactionOf } from '@isolab/history';
import type { StoryEdgeKind } from '@isolab/story';
import { orderKey } from './argument.ts';
import { clockFact } from './clock.ts';
import type { Names } from './names.ts';

/** Phrases the reasons of edges, without the conclusion. */
export class Reasons {
  /** Orders of writers whose opposite is refuted. All other orders are assumptions. */
  readonly proven = new Set<string>();
  readonly #names: Names;
  readonly #excludes: boolean;

  constructor(names: Names, level: LevelName) {
    this.#names = names;
    this.#excludes = implies(level, 'adya-snapshot-isolation') && !implies(level, 'plain-serializable');
  }

  /** Explains why `from` comes before `to`. */
  because({ from, to, reason }: Edge): string {
    const [a, b] = [this.#names.txn(from), this.#names.txn(to)];
    switch (reason.kind) {
      case 'session':
        return `${b} follows ${a} in ${this.#names.session(to)}`;
      case 'initial':
        return 'the initial transaction precedes all others';
      case 'read-from':
        return `${b} ${this.reads(reason.read)}, ${this.#names.rows(reason.read) ? this.#as(from) : `which ${a} ${verb(this.#history, reason.read)}`}`;
      case 'assumed-read':
        return `${b} ${this.reads(reason.read)}, assumed to be ${this.#names.rows(reason.read) ? this.#as(from) : `from ${a}`}`;
      case 'real-time':
        return this.#onTheClock(from, to);
      case 'version': {
        const reader = transactionOf(this.#history, reason.read);
        return `${this.#names.txn(reader)} ${this.reads(reason.read)}, which shows ${a}’s append, and ${b}’s only after it or not at all`;
      }
      case 'overwritten': {
        const reader = this.#names.txn(transactionOf(this.#history, reason.read));
        return `${reader} ${this.readsFrom(reason.read, to)}, although it sees ${a}, which ${this.writes(reason.write)}; ${this.path(reason.visible)}`;
      }
      case 'overwrites':
        return `${a} ${this.readsFrom(reason.read, reason.order[0]?.from ?? INITIAL_TXN)}${this.#missed(a, b, reason)}${this.#exclusive(from, to)}`;
      case 'assumed':
        return `both write ${this.commonKey(from, to)}, and ${this.proven.has(orderKey(from, to)) ? `${b} cannot come first` : `${a} is assumed to come first`}`;
    }
  }

  /** Describes the consequence of the opposite of a derived edge; null if the edge is an observed fact. */
  otherwise({ from, to, reason }: Edge): string | null {
    const [a, b] = [this.#names.txn(from), this.#names.txn(to)];
    if (reason.kind === 'overwritten') {
      const reader = this.#names.txn(transactionOf(this.#history, reason.read));
      return `If ${b} came before ${a}, ${reader} would see ${this.#later(a, reason)}.`;
    }
    if (reason.kind !== 'overwrites') return null;
    return `If ${b} came before ${a}, ${a} would see ${this.#later(b, reason)}.`;
  }

  reads(read: OperationId): string {
    return this.#names.reads(read, ` (${this.#names.opPlace(read)})`);
  }

  writes(write: number): string {
    return `${this.#names.writes(write)} (${this.#names.opPlace(write)})`;
  }

  readsFrom(read: OperationId, writer: number): string {
    const by = this.#names.txn(writer);
    if (this.#names.rows(read)) return `${this.reads(read)}, ${this.#as(writer)}`;
    return `${this.reads(read)}${writer === INITIAL_TXN ? ', the initial state' : ` from ${by}`}`;
  }

  #as(writer: number): string {
    return writer === INITIAL_TXN ? 'as it was initially' : `as ${this.#names.txn(writer)} left it`;
  }

  path(edges: readonly Edge[]): string {
    return edges.map((edge) => this.because(edge)).join(', and ');
  }

  /** Explains why the version read in an anti-dependency is the older version; null if that is obvious. */
  older({ reason }: Edge): string | null {
    if (reason.kind !== 'overwrites') return null;
    const { order } = reason;
    if (order.length === 0 || (order.length === 1 && PLAIN.has(order[0].reason.kind))) return null;
    const [first, last] = [order[0].from, order[order.length - 1].to];
    return `${this.#names.txn(first)} comes before ${this.#names.txn(last)}, because ${this.path(order)}`;
  }

  #missed(reader: string, writer: string, { read, write }: Overwrites): string {
    if (this.#history.opKind[write] === OpKind.Append)
      return `, without the append of ${writer}, which ${this.writes(write)}`;
    const concerns = this.#names.rows(write)?.concerns(read, write, `${reader}’s`);
    return concerns === null || concerns === undefined
      ? `, which ${writer} overwrites when it ${this.writes(write)}`
      : `; ${writer} ${this.writes(write)}, ${concerns}`;
  }

  #later(writer: string, { read, write }: Overwrites): string {
    const { opKind } = this.#history;
    if (this.#names.rows(write))
      return `${writer}’s ${this.#names.made(write)} or a later version of ${this.#names.isOfCounter(write) ? 'the counter' : 'that row'}`;
    const seen =
      opKind[write] === OpKind.Append
        ? `the ${this.#names.value(write)} in ${this.#names.key(write)}`
        : `${this.#names.version(write)} or a later version`;
    return `${seen}, not ${this.#names.version(read)}`;
  }

  /**
   * If writers of a key exclude each other, and one transaction begins before the other commits, the first transaction
   * also commits before the other begins.
   */
  #exclusive(a: number, b: number): string {
    const op = this.#excludes ? commonWrite(this.#history, a, b) : -1;
    return op < 0 ? '' : `; both write ${this.#names.key(op)}, so they must not overlap`;
  }

  #onTheClock(from: number, to: number): string {
    const [a, b] = [this.#names.txn(from), this.#names.txn(to)];
    const fact = clockFact(this.#history, from as TransactionId, to as TransactionId);
    if (fact === null) return `${a} comes before ${b} in real time`;
    const { drift } = this.#history.source;
    const differ = drift === 0 ? '' : `; clocks differ by at most ${drift}`;
    return `${a} ${MOMENTS[fact.first]} before ${b} ${MOMENTS[fact.second]} (at ${fact.times.join(' and ')}${differ})`;
  }

  /** Key that two writers both write. */
  commonKey(a: number, b: number): string {
    const op = commonWrite(this.#history, a, b);
    return op < 0 ? 'a common key' : this.#names.key(op);
  }

  get #history(): History {
    return this.#names.history;
  }
}

const MOMENTS = {
  begun: 'got its first answer',
  ended: 'returned',
  called: 'was called',
  committing: 'asked to commit',
} as const;

type Overwrites = Extract<Edge['reason'], { readonly write: number }>;

/** The initial state, and a version that its overwriter has read, are obviously older. */
const PLAIN: ReadonlySet<string> = new Set(['initial', 'read-from']);

/** A write by `b` of a key that `a` writes too; −1 if there is none. */
export function commonWrite({ txnStart, opKind, opKey }: History, a: number, b: number): number {
  if (a < 0 || b < 0) return -1;
  const keys = new Set<number>();
  const isWrite = (op: OperationId): boolean => opKind[op] === OpKind.Write || opKind[op] === OpKind.Append;
  for (let op = txnStart[a]; op < txnStart[a + 1]; op++) if (isWrite(op)) keys.add(opKey[op]);
  for (let op = txnStart[b]; op < txnStart[b + 1]; op++) if (isWrite(op) && keys.has(opKey[op])) return op;
  return -1;
}

const verb = ({ opKind }: History, read: OperationId): string =>
  opKind[read] === OpKind.ListRead ? 'appended to last' : 'wrote';

export const EDGE_KINDS: Readonly<Record<Edge['reason']['kind'], StoryEdgeKind>> = {
  session: 'session',
  initial: 'session',
  'read-from': 'read-from',
  'assumed-read': 'read-from',
  'real-time': 'real-time',
  overwritten: 'write-order',
  overwrites: 'anti-dependency',
  version: 'version',
  assumed: 'write-order',
};
