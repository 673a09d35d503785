/**
 * Read committed by statements. A history with scans is read committed if each of its statements sees the state after
 * some prefix of the commits, as in multi-version databases. To check this, every statement becomes a transaction,
 * followed by a transaction with the writes, and the resulting history is checked for prefix consistency.
 */
import {
  type CheckerVerdict,
  type RunContext,
  type SatisfiedVerdict,
  indexed,
  internalViolations,
} from '@isolab/contract';
import { type History, NO_TIME, OpKind, type RegisterHistory, TxnStatus, toRegisters } from '@isolab/history';
import { IndexedStore } from '../hints/one-by-one/indexed-store.ts';
import type { Store } from '../hints/one-by-one/stores.ts';
import { orderNear } from '../hints/one-by-one/near-order.ts';
import { canBePlaced, orderInRealTime } from '../hints/one-by-one/in-real-time.ts';
import { certifying } from '../problem/contexts.ts';
import { modelOf } from '../problem/model.ts';
import type { Question } from '../problem/options.ts';
import type { Tuning } from '../problem/tuning.ts';
import type { Found } from '../proof/numbers.ts';
import { type OrderStep, asCommitOrder, renumbered } from '../theories/rows/commit-order.ts';
import type { EventsOfScans } from '../theories/rows/replay-scans.ts';
import { regrouped } from '../strategy/regroup.ts';
import { checkStrongLevel, orderOf, satisfied } from '../strategy/strong.ts';
import { type Proposer, decide } from './decide.ts';
import { Reads } from './reads.ts';
import { type OrderOfEvents, rowsAlong } from './rows.ts';

export type ReadCommitted = 'read-committed' | 'read-committed-dbcop' | 'read-committed-pl2';

/** Returns null if that is not satisfied, since the history may still be read committed. */
export function asStatements(
  withScans: History,
  level: ReadCommitted,
  prefix: Question,
  context: RunContext,
): CheckerVerdict | null {
  const inner = certifying(context);
  const { tuning } = prefix;
  const reads = new Reads(withScans, tuning);
  const propose: Proposer<OrderOfStatements, Found> = () => {
    const { registers, input } = reads.lowered();
    if (internalViolations(input, level, inner).length > 0) return null;
    const statements = new Statements(withScans, registers);
    const verdict = checkStrongLevel(indexed(statements.history), prefix, inner, {
      guess: reads.guess,
      audience: 'search',
    });
    return verdict.status === 'satisfied' ? statements.along(verdict) : null;
  };
  const near = ({ events, statements }: OrderOfStatements): OrderOfStatements | null => {
    if (!canBePlaced(withScans)) return null;
    const store = (): Store => statements.asStore(new IndexedStore(withScans));
    const input = indexed(statements.history);
    const placed = orderNear(events, { input, model: PREFIX, store, tuning, context });
    return placed && { ...statements.along(satisfied(placed, PREFIX)), scans: null };
  };
  const decided = decide(propose, rowsAlong(reads, false, near, context));
  return decided && 'statements' in decided
    ? decided.statements.satisfied(Array.from(decided.events), tuning, context)
    : null;
}

const PREFIX = modelOf('prefix')!;

interface OrderOfStatements extends OrderOfEvents {
  readonly statements: Statements;
}

/** Certifies statements by an order in real time, where scans are evaluated again; null if none was found soon. */
export function asStatementsInRealTime(
  withScans: History,
  level: ReadCommitted,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  const registers = toRegisters(withScans, new Map());
  if (!canBePlaced(withScans) || internalViolations(indexed(registers.history), level, context).length > 0) return null;
  const statements = new Statements(withScans, registers);
  const input = indexed(statements.begunTogether);
  const store = statements.asStore(new IndexedStore(withScans));
  const placed = orderInRealTime(input, { split: false, exclusive: false }, store, tuning, context);
  const events = placed?.flatMap((s) => [2 * s, 2 * s + 1]) ?? null;
  return events && statements.satisfied(events, tuning, context);
}

/** A history in which each statement is a transaction, except that optional transactions stay whole. */
class Statements {
  readonly history: History;
  readonly #withScans: History;
  /** The history in which all statements of a transaction begin with it: no other begin time is known. */
  readonly begunTogether: History;
  /** For each new transaction: the old transaction. */
  readonly txnOf: number[] = [];
  readonly #sessionStart = [0];
  readonly #txnStart = [0];
  readonly #ops: number[] = [];
  // For each new transaction: its operations in the numbers of the history with scans, and whether it is the last.
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #isLast: boolean[] = [];

  constructor(withScans: History, registers: RegisterHistory) {
    const { history } = registers;
    this.#withScans = withScans;
    for (let session = 0; session + 1 < history.sessionStart.length; session++) {
      for (let t = history.sessionStart[session]; t < history.sessionStart[session + 1]; t++) this.#split(t, registers);
      this.#sessionStart.push(this.txnOf.length);
    }
    const { txnOf } = this;
    const groups = { sessionStart: this.#sessionStart, txnOf, txnStart: this.#txnStart, opOf: this.#ops };
    this.begunTogether = regrouped(history, groups);
    this.history = {
      ...this.begunTogether,
      txnBegin: history.txnBegin && this.#begins(history.txnBegin, history.txnEnd),
    };
  }

  #split(t: number, { history, opOf }: RegisterHistory): void {
    const { txnStart, txnStatus, opKind, opKey } = history;
    const end = this.#withScans.txnStart[t + 1];
    let op = txnStart[t];
    const writes: number[] = [];
    const written = new Set<number>();
    let done = this.#withScans.txnStart[t];
    for (; txnStatus[t] === TxnStatus.Committed && done < end; done++) {
      const reads: number[] = [];
      for (; op < txnStart[t + 1] && opOf[op] === done; op++) {
        if (opKind[op] === OpKind.Write) {
          writes.push(op);
          written.add(opKey[op]);
        } else if (!written.has(opKey[op])) reads.push(op);
      }
      if (reads.length > 0 || this.#withScans.opKind[done] === OpKind.Scan) this.#add(t, done, done + 1, reads, false);
    }
    for (; op < txnStart[t + 1]; op++) writes.push(op);
    this.#add(t, done, end, writes, true);
  }

  #add(t: number, from: number, to: number, ops: readonly number[], isLast: boolean): void {
    for (const op of ops) this.#ops.push(op);
    this.#txnStart.push(this.#ops.length);
    this.txnOf.push(t);
    this.#from.push(from);
    this.#to.push(to);
    this.#isLast.push(isLast);
  }

  asStore(store: IndexedStore): Store {
    return {
      misses: (s) => store.misses(this.txnOf[s]!, this.#from[s], this.#to[s]),
      commit: (s, replaced) => {
        if (this.#isLast[s]!) store.commit(this.txnOf[s]!, replaced);
      },
      takeBack: (replaced) => store.takeBack(replaced),
    };
  }

  along(verdict: SatisfiedVerdict): OrderOfStatements {
    const events = Array.from(orderOf(verdict));
    return { verdict, history: this.history, events, scans: this.#eventsOfScans(events), statements: this };
  }

  satisfied(events: readonly number[], { mostSources }: Tuning, { certify }: RunContext): CheckerVerdict {
    if (!certify) return { status: 'satisfied' };
    return asCommitOrder(this.#withScans, mostSources, (numbered) =>
      renumbered(this.#steps(events), this.#withScans, numbered),
    );
  }

  #eventsOfScans(events: readonly number[]): EventsOfScans {
    return {
      commits: Int32Array.from(events, (event) =>
        event & 1 && this.#isLast[event >> 1] ? this.txnOf[event >> 1]! : -1,
      ),
      readers: events.map((event) => {
        const s = event >> 1;
        return event & 1 ? null : { t: this.txnOf[s]!, from: this.#from[s]!, to: this.#to[s]! };
      }),
    };
  }

  #steps(events: readonly number[]): OrderStep[] {
    return events.map((event): OrderStep => {
      const s = event >> 1;
      const t = this.txnOf[s]!;
      if ((event & 1) === 1) return { t, from: 0, to: 0, commits: this.#isLast[s]! };
      return { t, from: this.#from[s]!, to: this.#to[s]!, commits: false };
    });
  }

  /** Statements begin at equal distances between the begin and the end of their transaction. */
  #begins(begin: BigInt64Array, end: BigInt64Array | null): BigInt64Array {
    const count = new Map<number, number>();
    for (const t of this.txnOf) count.set(t, (count.get(t) ?? 0) + 1);
    let place = 0;
    return BigInt64Array.from(this.txnOf, (t, s) => {
      place = this.txnOf[s - 1] === t ? place + 1 : 0;
      if (begin[t] === NO_TIME || end === null || end[t] === NO_TIME || end[t]! < begin[t]!) return begin[t]!;
      return begin[t]! + ((end[t]! - begin[t]!) * BigInt(place)) / BigInt(count.get(t)!);
    });
  }
}
