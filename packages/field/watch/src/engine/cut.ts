import type { SatisfiedCertificate } from '@isolab/contract';
import { TxnStatus } from '@isolab/history';
import type { Snapshot } from './snapshot.ts';

export interface Cut {
  readonly settled: readonly number[];
  /** Transactions that began within the settled part and commit later. */
  readonly begun: readonly number[];
}

/**
 * Finds the longest prefix of an order in which every transaction may be settled: no later transaction can precede the
 * prefix.
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

/** Returns an array with 1 for every transaction of an order. */
export function placedIn(certificate: SatisfiedCertificate, transactions: number): Uint8Array {
  const isPlaced = new Uint8Array(transactions);
  if (certificate.kind === 'commit-order') for (const t of certificate.order) isPlaced[t] = 1;
  if (certificate.kind === 'event-order') for (const event of certificate.events) isPlaced[event >> 1] = 1;
  return isPlaced;
}

/** If any order satisfies the level, uses the order of arrival. */
export function certificateOf(certificate: SatisfiedCertificate, { history, lineOf }: Snapshot): SatisfiedCertificate {
  if (certificate.kind !== 'inspection') return certificate;
  const happened = Array.from(lineOf.keys()).filter((t) => history.txnStatus[t] === TxnStatus.Committed);
  return { kind: 'commit-order', order: happened.toSorted((a, b) => lineOf[a] - lineOf[b]) };
}
