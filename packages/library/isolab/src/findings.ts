import { type FoundAnomaly, type LevelName, findAnomaly } from '@isolab/contract';
import { type Further, type Judgement, explain, findFurther, smallestAmong, smallestOf, survey } from '@isolab/explain';
import { type History, type IdColumn, type RegisterHistory, type TransactionId, registersOf } from '@isolab/history';
import type { Report } from '@isolab/runner';
import type { Story } from '@isolab/story';
import { type AgainOptions, checkPart, engineOf, judgementOf, patienceAfter } from './again.ts';
import { budgetOf, check } from './check.ts';
import { namerOf } from './names.ts';
import { type Subject, asOpened } from './open.ts';
import { type CheckResult, type Kind, anomaliesIn, anomaliesOf, anomalyOf } from './result.ts';

export interface FindOptions extends AgainOptions {
  /** Called with the number of times that the rest of the history was checked. */
  readonly onRound?: (round: number) => void;
}

/** Anomalies found in a history at a level. */
interface Findings {
  readonly anomalies: readonly FoundAnomaly[];
  /** The history to which all numbers of the anomalies refer. */
  readonly numbered: RegisterHistory;
  readonly kinds: readonly Kind[];
  /** Whether the rest of the history, without these anomalies, is known to satisfy the level. */
  readonly isComplete: boolean;
  /** Sentence on the completeness of the list. */
  readonly note: string;
}

/**
 * Checks the history again without the transactions that were found to violate the level, until no more violations are
 * found. Returns the result with all anomalies, each kind once with its number of occurrences.
 */
export async function findAll(subject: Subject, result: CheckResult, options: FindOptions = {}): Promise<CheckResult> {
  const { history } = asOpened(subject).prepared;
  const all: (readonly [LevelName, Findings])[] = [];
  for (const run of result.violations) all.push([run.level, await findingsOf(history, run, result, options)]);
  return {
    ...result,
    anomalies: anomaliesOf(
      history,
      all.map(([level, { anomalies }]) => ({ level, anomalies })),
      await namerOf(history),
    ),
    kinds: all.flatMap(([, { kinds }]) => kinds),
    complete: all.length > 0 ? all.every(([, { isComplete }]) => isComplete) : result.verdict === 'satisfied',
    notes: Object.fromEntries(all.map(([level, { note }]) => [level, note])),
  };
}

export interface Stories {
  readonly stories: readonly Story[];
  /** Whether the rest of the history, without the anomalies in the stories, is known to satisfy the levels. */
  readonly isComplete: boolean;
}

/** Returns the stories of all anomalies of `findAll`, each in terms of the whole history. */
export async function stories(subject: Subject, result: CheckResult, options: FindOptions = {}): Promise<Stories> {
  const { history } = asOpened(subject).prepared;
  const all: Story[] = [];
  let isComplete = true;
  for (const run of result.violations) {
    const { anomalies, numbered, ...found } = await findingsOf(history, run, result, options);
    all.push(...anomalies.map((anomaly) => storyIn(history, numbered, run.level, anomaly)));
    isComplete &&= found.isComplete;
  }
  return { stories: all, isComplete };
}

/**
 * Returns a function that explains how a few transactions of a history, given by their positions in the file, violate
 * a level by themselves; null if they do not. The writes of `context` show the order of versions.
 */
export function storiesAmong(
  subject: Subject,
): (level: LevelName, positions: Iterable<number>, context?: Iterable<number>) => Promise<Story | null> {
  const { history } = asOpened(subject).prepared;
  const numbered = registersOf(history, {});
  const at = new Map(Array.from(history.txnPosition, (position, t) => [position, t]));
  const smallest = smallestAmong(numbered.history);
  const numbers = (positions: Iterable<number>) => new Set(Array.from(positions, (position) => at.get(position)!));
  return async (level, positions, context = []) => {
    const violates = async (part: History): Promise<Judgement> => {
      const { violations } = await check(part, { level, allowVacuous: true, allowCutOff: true, steps: STEPS_OF_PART });
      return violations.length > 0 ? judgementOf(violations[0]!) : null;
    };
    const anomaly = await smallest(numbers(positions), numbers(context), violates);
    return anomaly && storyIn(history, numbered, level, anomaly);
  };
}

function storyIn(history: History, numbered: RegisterHistory, level: LevelName, anomaly: FoundAnomaly): Story {
  const whole = {
    history,
    txnOf: Int32Array.from(history.txnStatus.keys()) as IdColumn<TransactionId>,
    opOf: numbered.opOf,
  };
  return explain(numbered.history, level, anomaly, { whole });
}

async function findingsOf(whole: History, run: Report, result: CheckResult, options: FindOptions): Promise<Findings> {
  const { level } = run;
  const given = anomaliesIn(run);
  // All anomalies of a run agree on the rows that scans passed over.
  const { passedOver, certificate } = given[0] ?? {};
  const numbered = registersOf(whole, { passedOver, certificate });
  if (given.length === 0) return { anomalies: given, numbered, kinds: [], isComplete: false, note: '' };
  const { history, opOf } = numbered;
  const engine = await engineOf(run, result, options);
  const patience = patienceAfter(run, engine, options, { timeMs: TIME_MS, ...budgetOf(options) });
  const violates = async (part: History): Promise<Judgement> =>
    judgementOf(await checkPart(engine, level, part, patience));
  // Shrinks anomalies one after another, within the time that is left.
  const smallest = async (part: History, anomalies: readonly FoundAnomaly[]): Promise<FoundAnomaly[]> => {
    const shrink = smallestOf(part, violates, { signal: patience });
    const small: FoundAnomaly[] = [];
    for (const anomaly of anomalies)
      small.push(small.length < SHRUNK && !patience.aborted ? await shrink(anomaly) : anomaly);
    return small;
  };
  let rounds = 0;
  const find = async (part: History): Promise<readonly FoundAnomaly[] | 'unknown'> => {
    options.onRound?.(++rounds);
    const { verdict: found } = await checkPart(engine, level, part, patience, true);
    if (found.status === 'violated') return smallest(part, found.anomalies);
    return found.status === 'satisfied' ? [] : 'unknown';
  };
  const found = await findFurther(history, await smallest(history, given), find, { signal: patience });
  // Further rows that scans passed over, or aggregates on several rows, were not checked.
  const isInPart = passedOver !== undefined || certificate?.kind === 'aggregates';
  const further: Further = isInPart && found.end === 'satisfied' ? { ...found, end: 'unknown' } : found;
  const anomalies = further.anomalies.map((each) => ({ ...each, ...(passedOver && { passedOver }) }));
  return {
    anomalies,
    numbered,
    kinds: survey(history, level, anomalies, { source: { history: whole, opOf } }).map(({ name, count, example }) => ({
      level,
      name,
      aliases: findAnomaly(name)?.aliases ?? [],
      count,
      example: anomalyOf(history, example).transactions,
      smallest: example,
      story: storyIn(whole, numbered, level, example),
    })),
    isComplete: further.end === 'satisfied',
    note: noteOf(level, further),
  };
}

function noteOf(level: LevelName, { transactions, end }: Further): string {
  const them = transactions === 1 ? '1 transaction' : `${transactions} transactions`;
  if (end === 'satisfied') return `Without the ${them} of these anomalies, the history satisfies ${level}.`;
  return `The list may be incomplete: ${WHY[end]}. It names ${them}.`;
}

const WHY: Readonly<Record<Exclude<Further['end'], 'satisfied'>, string>> = {
  rounds: 'the search reached its limit of rounds',
  stopped: 'the search was stopped early',
  unknown: 'the rest of the history could not be decided',
};

/** Number of anomalies per round that are shrunk. */
const SHRUNK = 50;
/** Default time limit of the search for further anomalies. */
const TIME_MS = 30_000;
/** Step limit of the check of a few transactions. */
const STEPS_OF_PART = 1_000_000;
