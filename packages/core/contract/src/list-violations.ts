import { type History, type ListConflict, type ListVersions, transactionOf } from '@isolab/history';
import type { ListsCertificate } from './flat-certificates.ts';
import type { FoundAnomaly } from './contract.ts';

/**
 * Finds lists that no order of the appends explains. Every level forbids them, except levels that examine single reads.
 */
export function listViolations(history: History, lists: ListVersions, findAll: boolean): FoundAnomaly[] {
  return (findAll ? lists.conflicts : lists.conflicts.slice(0, 1)).map((conflict) =>
    listViolation(history, lists, conflict),
  );
}

export function listViolation(history: History, lists: ListVersions, conflict: ListConflict): FoundAnomaly {
  const certificate = listsCertificate(lists, conflict);
  const transactions = [certificate.other, certificate.read].map((op) => transactionOf(history, op));
  return { name: certificate.anomaly, transactions: [...new Set(transactions)], certificate };
}

/** Makes the certificate of a conflict. For appends that were torn apart, names an append that the list shows. */
export function listsCertificate(
  { keyStart, numShown, versionOf }: ListVersions,
  conflict: ListConflict,
): ListsCertificate {
  const { kind, key, read } = conflict;
  if (kind === 'duplicate') return { kind: 'lists', anomaly: 'duplicate-elements', read, other: conflict.append };
  if (kind === 'incompatible') return { kind: 'lists', anomaly: 'incompatible-order', read, other: conflict.other };
  const { append, next } = conflict;
  const isShown = versionOf[next] >= 0 && versionOf[next] < keyStart[key] + numShown[key];
  return { kind: 'lists', anomaly: 'incompatible-order', read, other: isShown ? next : append };
}
