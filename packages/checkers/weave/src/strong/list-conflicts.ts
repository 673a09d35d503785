import type { FoundAnomaly } from '@isolab/checker';
import { type History, type ListConflict, type ListVersions, transactionOf } from '@isolab/history';

/** Lists that no order of the appends explains. */
export function explainListConflicts(history: History, lists: ListVersions, findAll: boolean): FoundAnomaly[] {
  return (findAll ? lists.conflicts : lists.conflicts.slice(0, 1)).map((conflict) => {
    const { read } = conflict;
    const other = contradicted(lists, conflict);
    const anomaly = conflict.kind === 'duplicate' ? 'duplicate-elements' : 'incompatible-order';
    return {
      name: anomaly,
      transactions: [...new Set([other, read].map((op) => transactionOf(history, op)))],
      certificate: { kind: 'lists', anomaly, read, other },
    };
  });
}

/** What the read contradicts: another read, or an append that it shows in the wrong place. */
function contradicted({ keyStart, numShown, versionOf }: ListVersions, conflict: ListConflict): number {
  switch (conflict.kind) {
    case 'incompatible':
      return conflict.other;
    case 'duplicate':
      return conflict.append;
    case 'scattered': {
      const { key, append, next } = conflict;
      const isShown = versionOf[next] >= 0 && versionOf[next] < keyStart[key] + numShown[key];
      return isShown ? next : append;
    }
  }
}
