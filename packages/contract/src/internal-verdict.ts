import { type InternalAnomaly, type InternalAnomalyName, TxnStatus, hasHappened, transactionOf } from '@isolab/history';
import { INTERNAL_ANOMALY_NAMES, levelsForbidding } from './anomalies.ts';
import type { CheckInput, FoundAnomaly, Verdict } from './contract.ts';
import type { LevelName } from './levels.ts';

/** The internal anomalies that a level forbids, as a checker reports them; the first stage of every checker. */
export function internalViolations(
  { history, internal }: CheckInput,
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

function transactionsOf({ read, other }: InternalAnomaly, txnOf: (op: number) => number): number[] {
  return other < 0 ? [txnOf(read)] : [...new Set([txnOf(other), txnOf(read)])];
}

/**
 * Whether a transaction took place in every explanation of a history at a level, so that what it saw is evidence against it.
 * A read of a repeated value settles that a transaction of unknown outcome happened, as all that wrote it last; but at cut
 * isolation it may just as well have seen what another transaction overwrote itself.
 */
export const hasHappenedAt = (level: LevelName, { history, index }: CheckInput, t: number): boolean =>
  history.txnStatus[t] === TxnStatus.Committed ||
  (hasHappened(index, t) && (level !== 'cut-isolation' || index.repeatedWrites === 0));

/** The verdict at cut isolation, given all its internal anomalies. */
export function checkCutIsolation(input: CheckInput, found: readonly FoundAnomaly[], findAll: boolean): Verdict {
  if (found.length === 0) return { status: 'satisfied', certificate: { kind: 'inspection' } };
  const anomalies = found.filter(({ transactions }) => hasHappenedAt('cut-isolation', input, transactions.at(-1)!));
  if (anomalies.length > 0) return { status: 'violated', anomalies: findAll ? anomalies : anomalies.slice(0, 1) };
  const detail = `transaction ${found[0]!.transactions.at(-1)!} contradicts itself, but values are repeated, and so it is not certain that it happened`;
  return { status: 'unknown', reason: 'unsupported', detail };
}
