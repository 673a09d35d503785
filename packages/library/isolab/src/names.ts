/** Names of anomalies, which are the same in all outputs. */
import type { FoundAnomaly, LevelName } from '@isolab/contract';
import { type History, countOperations, registersOf } from '@isolab/history';

/** Renames an anomaly from the checker's name to the registry's name for its operations. */
export type Namer = (level: LevelName, anomaly: FoundAnomaly) => FoundAnomaly;

/**
 * Returns a function that names anomalies whose numbers refer to the history. In very large histories, anomalies keep
 * their names.
 */
export function namerOf(whole: History): Promise<Namer> {
  const known = namers.get(whole) ?? makeNamer(whole);
  namers.set(whole, known);
  return known;
}

const namers = new WeakMap<History, Promise<Namer>>();

async function makeNamer(whole: History): Promise<Namer> {
  if (countOperations(whole) > MOST_OPERATIONS) return (_, anomaly) => anomaly;
  const { classifier } = await import('@isolab/explain');
  const known = new Map<string, ReturnType<typeof classifier> | null>();
  return (level, anomaly) => {
    const { passedOver, certificate } = anomaly;
    const aggregates = certificate?.kind === 'aggregates' ? certificate.aggregates : null;
    const asked = `${level} ${JSON.stringify([passedOver, aggregates])}`;
    let classify = known.get(asked);
    if (classify === undefined) {
      const { history, opOf } = registersOf(whole, anomaly);
      const isSmall = countOperations(history) <= MOST_OPERATIONS;
      classify = isSmall ? classifier(history, level, history, { history: whole, opOf }) : null;
      known.set(asked, classify);
    }
    return classify === null ? anomaly : { ...anomaly, name: classify(anomaly).name };
  };
}

/** For larger histories it would take noticeable time. */
const MOST_OPERATIONS = 200_000;
