import { type InternalAnomaly, type InternalAnomalyName, type OperationId, transactionOf } from '@isolab/history';
import { INTERNAL_ANOMALY_NAMES, levelsForbidding } from './anomalies.ts';
import type { IndexedHistory, FoundAnomaly } from './contract.ts';
import type { LevelName } from '@isolab/levels';

/**
 * Returns the internal anomalies that a level forbids, in the form of a checker's report. This is the first stage of
 * every checker.
 */
export function internalViolations(
  { history, internal }: IndexedHistory,
  level: LevelName,
  { findAll = false, ignore = [] as readonly InternalAnomalyName[] } = {},
): FoundAnomaly[] {
  const found: FoundAnomaly[] = [];
  for (let i = 0; i < internal.count; i++) {
    const anomaly = internal.at(i);
    if (ignore.includes(anomaly.name) || !levelsForbidding(anomaly.name).includes(level)) continue;
    found.push({
      name: INTERNAL_ANOMALY_NAMES[anomaly.name].name,
      transactions: transactionsOf(anomaly, (op) => transactionOf(history, op)),
      certificate: { kind: 'internal', anomaly: anomaly.name, read: anomaly.read, other: anomaly.other },
    });
    if (!findAll) break;
  }
  return found;
}

function transactionsOf({ read, other }: InternalAnomaly, txnOf: (op: OperationId) => number): number[] {
  return other < 0 ? [txnOf(read)] : [...new Set([txnOf(other), txnOf(read)])];
}
