import {
  type AnomalyName,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  LEVELS,
  type LevelName,
  findAnomaly,
  implies,
  levelsForbidding,
  nameOfEdges,
  seesWholeChanges,
  weakestForbidding,
} from '@isolab/contract';
import {
  type History,
  INTERNAL_ANOMALIES,
  OpKind,
  PLAIN_WRITES_OF_COUNTERS,
  buildReadFrom,
  checkShape,
  passesOverMore,
  countTransactions,
  toRegisters,
} from '@isolab/history';
import { namedTransactions, withNeighbours } from '../shrink/named.ts';
import type { RowSource } from '../rows/row-view.ts';
import { type Part, partsOf, wholeOf } from '../shrink/part.ts';
import { soleLeaf } from '../story/aggregates.ts';
import { lazily } from '../shrink/dependents.ts';
import { DECIDED_LEVELS, decideLevels } from './levels.ts';
import { WITH_SESSIONS, nameOf } from './name.ts';
import { predicateName } from './predicate-name.ts';
import { STRONG_MODELS, type StrongLevel } from './strong.ts';

/** Name of a violation and its consequences for levels. */
export interface Classification {
  readonly name: AnomalyName;
  /** The registry's title for the name. */
  readonly title: string;
  readonly aliases: readonly string[];
  /** The weakest levels that it rules out. */
  readonly ruledOut: readonly LevelName[];
  /**
   * The strongest levels that it does not rule out; null if levels were not decided by definition. In that case the
   * ruled-out levels are the levels that every anomaly of this name violates, and the history may violate further
   * levels.
   */
  readonly leftStanding: readonly LevelName[] | null;
}

/** Names a violation by its operations, for all checkers. Works best on a history that is already shrunk. */
export const classify = (
  history: History,
  level: LevelName,
  anomaly: FoundAnomaly | null = null,
  whole: History = history,
  source: RowSource | null = null,
): Classification => classifier(history, level, whole, source)(anomaly);

/** Returns a classifier for many anomalies of one history, which is examined only once. */
export function classifier(
  given: History,
  level: LevelName,
  whole: History = given,
  stemsFrom: RowSource | null = null,
): (anomaly: FoundAnomaly | null) => Classification {
  const registers = toRegisters(given);
  const { history } = registers;
  const source = stemsFrom ?? { history: given, opOf: registers.opOf };
  const applying = lazily(() => levelsApplyingTo(whole, whole === given ? history : null));
  const isWhole = (one: LevelName): boolean => !given.source.notes[PLAIN_WRITES_OF_COUNTERS] || seesWholeChanges(one);
  const hasRanges = given.opKind.includes(OpKind.RangeRead);
  const index = lazily(() => buildReadFrom(history));
  const keep = lazily(() => partsOf(history, index()));
  const numTxns = countTransactions(history);
  const partOf = (anomaly: FoundAnomaly | null): Part => {
    const named = anomaly === null ? new Set<number>() : namedTransactions(history, anomaly);
    // For an internal anomaly, the part includes the writers of the read values.
    const all = anomaly?.certificate?.kind === 'internal' ? withNeighbours(history, named, index()) : named;
    if (all.size === 0 || all.size === numTxns) return wholeOf(history);
    const kept = new Uint8Array(numTxns);
    for (const t of all) kept[t] = 1;
    return keep()(kept);
  };
  return (anomaly) => {
    const sole = soleLeaf(history, anomaly);
    if (sole) return classify(sole.history, level, sole.anomaly, whole, source);
    if (anomaly?.certificate?.kind === 'aggregates') return ofAggregates(anomaly, level, applying());
    const { history: part, opOf } = partOf(anomaly);
    const decided = decideLevels(part);
    const alone = WITH_SESSIONS[level] === undefined ? decided : decideLevels(part, { sessions: false });
    const found = alone && nameOf(alone, level);
    const name =
      shownName(anomaly, level) ??
      withSessions(part, level, found?.name) ??
      edgeName(anomaly, level) ??
      anomaly?.name ??
      null;
    if (name === null)
      throw new RangeError(
        `The checker reported no anomaly, and the history is too large to find the violation of ${level}.`,
      );
    const stems: RowSource = { history: source.history, opOf: opOf.map((op) => source.opOf[op]!) };
    const predicate = predicateName(history, part, stems, level, alone, anomaly, name);
    const registered = findAnomaly(predicate ?? name);
    const phantom = internalName(name) === undefined && (hasRanges || predicate !== null) ? ['phantom', 'P3'] : [];
    const aliases = [...new Set([...(registered?.aliases ?? []), ...(found?.also ?? []), ...phantom])];
    const isDecided = decided !== null && found !== null && decided.open.size === 0;
    return {
      name: predicate ?? name,
      title: registered?.title ?? name,
      aliases,
      ...(isDecided
        ? boundary(
            applying().filter((one) => DECIDED_LEVELS.has(one) && (isWhole(one) || !decided.satisfied.has(one))),
            decided.satisfied,
          )
        : { ...boundary(applying(), allowedBy(predicate ?? name, level)), leftStanding: null }),
    };
  };
}

/** Aggregates over several rows are not shown as reads of these rows. */
function ofAggregates({ name }: FoundAnomaly, level: LevelName, applying: readonly LevelName[]): Classification {
  const { title = name, aliases = [] } = findAnomaly(name) ?? {};
  return { name, title, aliases, ...boundary(applying, allowedBy(name, level)), leftStanding: null };
}

/** Names a real-time cycle by the edges shown and disregards other operations of its transactions. */
function shownName(anomaly: FoundAnomaly | null, level: LevelName): AnomalyName | null {
  const name = edgeName(anomaly, level);
  return name !== null && OF_REAL_TIME.test(name) ? name : null;
}

const OF_REAL_TIME = /-realtime$|^stale-read$|^early-read$/;

function edgeName(anomaly: FoundAnomaly | null, level: LevelName): AnomalyName | null {
  const certificate = anomaly?.certificate;
  if (certificate?.kind !== 'cycle' || !(level in STRONG_MODELS)) return null;
  return nameOfEdges(certificate.edges, STRONG_MODELS[level as StrongLevel].events !== 'one');
}

/** Adds a suffix to the name of a cycle that disappears when session order is ignored. */
function withSessions(part: History, level: LevelName, name: AnomalyName | undefined): AnomalyName | undefined {
  if (name === undefined || !isOfDependencies(name) || WITH_SESSIONS[level] !== undefined) return name;
  const alone = decideLevels(part, { sessions: false });
  return alone !== null && alone.satisfied.has(level) ? `${name}-process` : name;
}

const DEPENDENCIES = ['G-single', 'G-nonadjacent', 'G2-item'] as const;
const isOfDependencies = (name: AnomalyName): name is (typeof DEPENDENCIES)[number] =>
  DEPENDENCIES.some((each) => each === name);

/** Returns every level, without linearizability if a transaction has several keys or a scan passed over a row. */
function levelsApplyingTo(whole: History, lowered: History | null): LevelName[] {
  const hasSingleKeys = !passesOverMore(whole, 0) && isOfSingleKeys(lowered ?? toRegisters(whole).history);
  return LEVELS.map(({ name }) => name).filter((name) => name !== 'linearizable' || hasSingleKeys);
}

const isOfSingleKeys = (history: History): boolean => checkShape(history, buildReadFrom(history), 'single-keys').holds;

/** Returns the strongest satisfied levels that apply, and the weakest violated levels that apply. */
function boundary(
  applying: readonly LevelName[],
  satisfied: ReadonlySet<LevelName>,
): { ruledOut: LevelName[]; leftStanding: LevelName[] } {
  const violated = applying.filter((name) => !satisfied.has(name));
  const left = applying.filter((name) => satisfied.has(name));
  return {
    ruledOut: violated.filter((name) => !violated.some((other) => other !== name && implies(name, other))),
    leftStanding: left.filter((name) => !left.some((other) => other !== name && implies(other, name))),
  };
}

const internalName = (name: AnomalyName) => INTERNAL_ANOMALIES.find((one) => INTERNAL_ANOMALY_NAMES[one].name === name);

/** Returns the levels that an anomaly of this name may leave intact, given a level that it violates. */
function allowedBy(name: AnomalyName, violated: LevelName): Set<LevelName> {
  const internal = internalName(name);
  const weakest = internal === undefined ? weakestForbidding(name) : levelsForbidding(internal);
  const names = LEVELS.map((level) => level.name);
  return new Set(names.filter((one) => ![...weakest, violated].some((ruledOut) => implies(one, ruledOut))));
}
