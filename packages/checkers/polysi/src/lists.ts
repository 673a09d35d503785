import type { FoundAnomaly } from '@isolab/checker';
import { type History, type ListConflict, type ListVersions, transactionOf } from '@isolab/history';

/** Lists of one key that no order of the appends explains: PolySI-List rejects such a history. */
export function listAnomaly(history: History, lists: ListVersions, conflict: ListConflict): FoundAnomaly {
  const anomaly = conflict.kind === 'duplicate' ? 'duplicate-elements' : 'incompatible-order';
  const other = otherOperation(lists, conflict);
  const transactions = [other, conflict.read].map((op) => transactionOf(history, op));
  return {
    name: anomaly,
    transactions: [...new Set(transactions)],
    certificate: { kind: 'lists', anomaly, read: conflict.read, other },
  };
}

/** The other read, or the append that the list shows wrongly. */
function otherOperation({ keyStart, numShown, versionOf }: ListVersions, conflict: ListConflict): number {
  if (conflict.kind === 'incompatible') return conflict.other;
  if (conflict.kind === 'duplicate') return conflict.append;
  const { key, append, next } = conflict;
  const isShown = versionOf[next] >= 0 && versionOf[next] < keyStart[key] + numShown[key];
  return isShown ? next : append;
}
