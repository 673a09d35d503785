import { type History, TxnStatus } from '@isolab/history';
import { countTimesLeftOut, type EventOrder, eventOrder } from './event-order.ts';
import { addingTo } from '../format/capabilities.ts';
import type { Loss } from '../format/format.ts';

/**
 * Losses of a log of selected transactions whose only times are line numbers. `writesUnknown`: the log has unknown
 * completions.
 */
export function lineOrderLosses(history: History, isKept: (t: number) => boolean, writesUnknown: boolean): Loss[] {
  const order = eventOrder(history, isKept);
  const losses: Loss[] = [];
  const lose = addingTo(losses);
  lose('times', countTimesLeftOut(history), 'are left out');
  if (order.time === null) lose('times', order.txn.length, 'are invented: sessions advance in step');
  else lose('times', countRenumbered(history, order, writesUnknown), 'become line numbers, in the same order');
  lose('session-names', countMovedSessions(history, order), 'change their order');
  return losses;
}

function countRenumbered(
  { source, txnStatus }: History,
  { txn, completes, time }: EventOrder,
  writesUnknown: boolean,
): number {
  let count = 0;
  let line = 0n;
  for (let i = 0; i < txn.length; i++) {
    const isUnknown = completes[i] === 1 && txnStatus[txn[i]] === TxnStatus.Unknown;
    if (!isUnknown || writesUnknown) line++;
    if (!isUnknown && (source.timeUnit !== 'events' || time![i] !== line)) count++;
  }
  return count;
}

/** Number of sessions whose number would change. */
export function countMovedSessions({ txnSession }: History, { txn }: EventOrder): number {
  const inOrder: number[] = [];
  const seen = new Set<number>();
  for (const t of txn) {
    if (!seen.has(txnSession[t])) inOrder.push(txnSession[t]);
    seen.add(txnSession[t]);
  }
  const sorted = inOrder.toSorted((a, b) => a - b);
  return inOrder.filter((session, i) => session !== sorted[i]).length;
}
