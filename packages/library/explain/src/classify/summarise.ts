import type { AnomalyName, FoundAnomaly, LevelName } from '@isolab/contract';
import type { History } from '@isolab/history';
import type { RowSource } from '../rows/row-view.ts';
import { classifier } from './classify.ts';

/** Summary of the anomalies of one kind, with their number. */
export interface AnomalySummary<A> {
  readonly name: AnomalyName;
  readonly count: number;
  /** The anomaly with the fewest transactions. */
  readonly example: A;
}

/** Lists each kind of anomaly once, starting with the most frequent. */
export function summarise<A extends { readonly name: AnomalyName; readonly transactions: readonly number[] }>(
  anomalies: readonly A[],
): AnomalySummary<A>[] {
  const kinds = new Map<AnomalyName, { count: number; example: A }>();
  for (const anomaly of anomalies) {
    const kind = kinds.get(anomaly.name);
    if (!kind) kinds.set(anomaly.name, { count: 1, example: anomaly });
    else {
      kind.count++;
      if (anomaly.transactions.length < kind.example.transactions.length) kind.example = anomaly;
    }
  }
  return [...kinds]
    .map(([name, { count, example }]) => ({ name, count, example }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

/**
 * Names the first anomalies by classification; the others keep the checker's names. `source` is the unlowered history.
 */
export function survey(
  history: History,
  level: LevelName,
  anomalies: readonly FoundAnomaly[],
  { classified = 200, source = null }: { classified?: number; source?: RowSource | null } = {},
): AnomalySummary<FoundAnomaly>[] {
  const nameOf = classifier(history, level, history, source);
  return summarise(
    anomalies.map((anomaly, i) => (i < classified ? { ...anomaly, name: nameOf(anomaly).name } : anomaly)),
  );
}
