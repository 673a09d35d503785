/** Names violations that only axioms explain: as anomalies of the same transactions at a stronger level. */
import { type FoundAnomaly, type LevelName, implies } from '@isolab/contract';
import { type ExplainOptions, namedTransactions } from '@isolab/explain';
import { type History, TxnStatus } from '@isolab/history';
import { prepare, runUnjudged } from '@isolab/runner';
import { loadChecker } from './checkers.ts';
import { simplestOf } from './simplest.ts';

/** Levels whose violations have names, the weakest first. */
const LEVELS: readonly LevelName[] = [
  'read-committed',
  'read-atomic',
  'causal',
  'adya-snapshot-isolation',
  'plain-serializable',
];

/** Returns the anomaly of all committed transactions at the weakest level that is stronger than this level. */
export async function namedAnomaly(
  history: History,
  level: LevelName,
  { certificate }: FoundAnomaly,
): Promise<ExplainOptions['named']> {
  if (certificate?.kind !== 'axioms') return undefined;
  const checker = await loadChecker('weave');
  const committed = history.txnStatus.filter((status) => status === TxnStatus.Committed).length;
  for (const stronger of LEVELS.filter((each) => implies(each, level))) {
    const job = { checker, prepared: prepare(history), level: stronger };
    const { verdict } = await runUnjudged(job, { budget: { steps: MOST_STEPS } });
    if (verdict.status !== 'violated') continue;
    const anomaly = simplestOf(verdict.anomalies);
    if (namedTransactions(history, anomaly).size === committed) return { level: stronger, anomaly };
  }
  return undefined;
}

/** Limit for a history that was shrunk before. */
const MOST_STEPS = 100_000;
