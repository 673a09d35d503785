import type { SatisfiedCertificate } from '@isolab/contract';
import { TxnStatus } from '@isolab/history';
import type { Snapshot } from './snapshot.ts';

/** Settled part of an order. */
export interface Cut {
  /** The transactions that are settled, in the order of their commits. */
  readonly settled: readonly number[];
  /** Transactions that began among them, and commit later. */
  readonly begun: readonly number[];
}

/**
 * The longest beginning of an order that has only transactions that may be settled: nothing that comes later can come
 * before them.
 */
export function cutOrder(certificate: SatisfiedCertificate, maySettle: (t: number) => boolean): Cut {
  if (certificate.kind === 'commit-order') {
    const { order } = certificate;
    let end = 0;
    while (end < order.length && maySettle(order[end]!)) end++;
    return { settled: order.slice(0, end), begun: [] };
  }
  if (certificate.kind !== 'event-order') return { settled: [], begun: [] };
  const { events } = certificate;
  let end = 0;
  while (end < events.length && maySettle(events[end]! >> 1)) end++;
  const settled: number[] = [];
  const begun = new Set<number>();
  for (let i = 0; i < end; i++) {
    const t = events[i]! >> 1;
    if ((events[i]! & 1) === 0) begun.add(t);
    else {
      begun.delete(t);
      settled.push(t);
    }
  }
  return { settled, begun: [...begun] };
}

/** 1 for every transaction of an order. */
export function placedIn(certificate: SatisfiedCertificate, transactions: number): Uint8Array {
  const isPlaced = new Uint8Array(transactions);
  if (certificate.kind === 'commit-order') for (const t of certificate.order) isPlaced[t] = 1;
  if (certificate.kind === 'event-order') for (const event of certificate.events) isPlaced[event >> 1] = 1;
  return isPlaced;
}

/** Where any order will do, that in which transactions came. */
export function certificateOf(certificate: SatisfiedCertificate, { history, lineOf }: Snapshot): SatisfiedCertificate {
  if (certificate.kind !== 'inspection') return certificate;
  const happened = Array.from(lineOf.keys()).filter((t) => history.txnStatus[t] === TxnStatus.Committed);
  return { kind: 'commit-order', order: happened.toSorted((a, b) => lineOf[a] - lineOf[b]) };
}
