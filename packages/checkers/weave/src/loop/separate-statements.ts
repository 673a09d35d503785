/**
 * Adya's read committed by an order of commits: each statement by itself sees the state after some prefix that ends
 * before the commit of its own transaction. So does MySQL at REPEATABLE READ, where reads see a snapshot and changes
 * the newest rows. Needs times. Leaves the order and the prefix of each statement, or nothing if one has no prefix.
 */
import {
  type CheckerVerdict,
  type IndexedHistory,
  type RunContext,
  indexed,
  internalViolations,
} from '@isolab/contract';
import { happenedIn } from '@isolab/graph/relations';
import { type History, NO_TIME, OpKind, toRegisters, transactionOf } from '@isolab/history';
import { canBePlaced } from '../hints/one-by-one/in-real-time.ts';
import { IndexedStore } from '../hints/one-by-one/indexed-store.ts';
import type { Tuning } from '../problem/tuning.ts';
import { type OrderStep, asCommitOrder, renumbered } from '../theories/rows/commit-order.ts';

export function asSeparateStatements(
  withScans: History,
  { mostSources }: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  if (!canBePlaced(withScans)) return null;
  const input = indexed(toRegisters(withScans, new Map()).history);
  const order = commitsOf(input);
  if (order === null || internalViolations(input, 'read-committed-pl2', context).length > 0) return null;
  const steps = prefixesOf(withScans, order, context);
  if (steps === null || !context.certify) return steps && { status: 'satisfied' };
  return asCommitOrder(withScans, mostSources, (numbered) => renumbered(steps, withScans, numbered));
}

/** Orders the transactions that happened by their ends, each behind the writers that it read; null without times. */
function commitsOf({ history, index: { outcome, readFrom } }: IndexedHistory): number[] | null {
  const { txnStart, txnEnd } = history;
  if (txnEnd === null || history.txnBegin === null) return null;
  const happened = happenedIn(outcome);
  const byEnd = [...txnEnd.keys()]
    .filter((t) => happened[t] === 1)
    .toSorted((t, u) => compare(endOf(txnEnd, t), endOf(txnEnd, u)));
  const visits = new Uint8Array(outcome.length); // 1: its writers are on the stack; 2: placed
  const order: number[] = [];
  for (const first of byEnd) {
    const stack = [first];
    for (let t = stack.at(-1); t !== undefined; t = stack.at(-1)) {
      if (visits[t] === 0) {
        visits[t] = 1;
        for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
          const writer: number = readFrom[op] < 0 ? t : transactionOf(history, readFrom[op]);
          if (writer !== t && visits[writer] === 0) stack.push(writer);
        }
      } else {
        stack.pop();
        if (visits[t] === 1) order.push(t);
        visits[t] = 2;
      }
    }
  }
  return order;
}

/** Finds a prefix of the order for each statement, between the begin and the end of its transaction. */
function prefixesOf(withScans: History, order: readonly number[], context: RunContext): OrderStep[] | null {
  const { txnStart, txnBegin, txnEnd, opKind } = withScans;
  const store = new IndexedStore(withScans);
  const begin = (t: number): number => (txnBegin![t] === NO_TIME ? -Infinity : Number(txnBegin![t]));
  const inTurn = order.toSorted((t, u) => compare(begin(t), begin(u)));
  const open = new Map<number, number[]>(); // by transaction: its statements without a prefix
  const steps: OrderStep[] = [];
  let next = 0;
  let now = -Infinity;
  for (const t of order) {
    now = Math.max(now, begin(t), endOf(txnEnd!, t));
    for (; next < inTurn.length && begin(inTurn[next]!) <= now; next++) open.set(inTurn[next]!, readsOf(inTurn[next]!));
    for (const [u, statements] of open) {
      context.tick(statements.length);
      const missing: number[] = [];
      for (const op of statements) {
        if (store.misses(u, op, op + 1) > 0) missing.push(op);
        else steps.push({ t: u, from: op, to: op + 1, commits: false });
      }
      open.set(u, missing);
    }
    if (open.get(t)!.length > 0) return null;
    open.delete(t);
    store.commit(t, []);
    steps.push({ t, from: 0, to: 0, commits: true });
  }
  return steps;

  function readsOf(t: number): number[] {
    const reads: number[] = [];
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (opKind[op] !== OpKind.Write) reads.push(op);
    return reads;
  }
}

/** Orders also infinite numbers. */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);
/** Returns an end as a number; an unknown end is the last one. */
const endOf = (times: BigInt64Array, t: number): number => (times[t] === NO_TIME ? Infinity : Number(times[t]));
