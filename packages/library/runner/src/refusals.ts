/**
 * All reasons for the absence of a verdict are defined in this file: operations that are not modelled, histories that
 * this checker or all checkers refuse, levels that nothing could have violated, and incomplete recordings.
 * docs/levels.md states the minimum that a history must contain.
 */
import {
  type CheckInput,
  type Checker,
  type IndexedHistory,
  type LevelName,
  type UnknownReason,
  type UnknownVerdict,
  requirementsAt,
  seesWholeChanges,
  takes,
  userDefinition,
} from '@isolab/contract';
import {
  HISTORY_SHAPES,
  type History,
  type HistoryShape,
  type ReadFromIndex,
  type ShapeReport,
  checkShape,
  findInitialTransaction,
  locateOperation,
  locateTransaction,
  nameTransaction,
  plural,
  showOperation,
  valueRead,
} from '@isolab/history';
import { type Evidence, hasNeededTimes, timesOf } from './evidence.ts';

/** Reason why a level is unknown: a code for programs and a sentence for people. */
export interface Unknown {
  readonly reason: UnknownReason;
  readonly detail: string;
}

export const unknownOf = ({ reason, detail = reason }: UnknownVerdict): Unknown => ({ reason, detail });

/** Thrown for a history with operations that isolab does not model, for which any verdict would be meaningless. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly reason = 'not-modelled';
}

/** Throws if a history contains operations that isolab does not model. */
export function refuseUnmodelled({ source }: History, name: string): void {
  const count = source.notes['unmodelledOperations'] ?? 0;
  if (count === 0) return;
  const operations = count === 1 ? '1 operation' : `${count} operations`;
  throw new Refusal(
    `${name} holds ${operations} of a kind that isolab does not model, so a verdict would be meaningless.`,
  );
}

/**
 * Reason why a checker does not accept this history: the missing shape and its first breach. Null if the checker
 * accepts the history at the level or, without a level, at any level.
 */
export function unmetRequirement({ info }: Checker, input: CheckInput, level?: LevelName): string | null {
  if (!takes(info, input.kind))
    return input.kind === 'polygraph'
      ? `${info.name} checks histories, but this file is a polygraph.`
      : `${info.name} checks ${info.accepts!.join(' and ')}, but this file is a history.`;
  if (input.kind === 'polygraph') return null;
  const { shard } = input.history.source;
  if (shard !== undefined && info.takesForFacts === undefined)
    return `${info.name} needs the operations on all keys, but only shard ${shard.index}/${shard.of} of the keys was read.`;
  for (const required of requirementsAt(info, level)) {
    if (alternatives(required).some((shape) => shapeOf(input, shape).holds)) continue;
    const broken = alternatives(required).map((shape) => howItBreaks(input, shape));
    const where = info.requires.includes(required) || level === undefined ? '' : ` at ${level}`;
    return `${info.name} needs${where} ${broken.join('; or ')}.`;
  }
  return null;
}

export const alternatives = (required: HistoryShape | readonly HistoryShape[]): readonly HistoryShape[] =>
  typeof required === 'string' ? [required] : required;

/** Returns whether a history has a shape, and caches the result for all levels and checkers. */
export function shapeOf(input: Shaped, shape: HistoryShape): ShapeReport {
  const { index } = input;
  let reports = known.get(index);
  if (!reports) known.set(index, (reports = new Map()));
  let report = reports.get(shape);
  if (!report) reports.set(shape, (report = checkShape(shapedHistory(input, shape), index, shape)));
  return report;
}

/** A scan concerns many keys, even if its lowered form reads only a few of them. */
const shapedHistory = ({ history, withScans, rows }: Shaped, shape: HistoryShape): History =>
  shape === 'single-keys' ? (withScans ?? rows?.history ?? history) : history;

const known = new WeakMap<ReadFromIndex, Map<HistoryShape, ShapeReport>>();

/** For a lowered history of rows: the original history, and the original operation of each operation. */
export interface Lowered {
  readonly rows?: { readonly history: History; readonly opOf: Int32Array };
}

/** A history, and its form with scans if that differs. */
type Shaped = Lowered & IndexedHistory & { readonly withScans?: History };

/** Describes the violated shape by its first breach and the number of further breaches. */
function howItBreaks(input: Shaped, shape: HistoryShape): string {
  const { rows } = input;
  const history = shapedHistory(input, shape);
  const { broken, firstOp, firstTxn } = shapeOf(input, shape);
  const needed = `${shape} (${HISTORY_SHAPES[shape]})`;
  if (firstTxn < 0) return `${needed}, but the history has none`;
  const noun = shape === 'unique-values' ? 'read' : 'transaction';
  const how = broken === 1 ? `one ${noun} breaks it` : `${broken} ${noun}s break it`;
  const which = nameTransaction(history, firstTxn);
  const place =
    firstOp < 0
      ? `${which} (${locateTransaction(history, firstTxn)})`
      : `${rows && rows.history !== history ? showOperation(rows.history, rows.opOf[firstOp]) : showOperation(history, firstOp)} in ${which} (${locateOperation(history, firstOp)})`;
  const hint = firstOp >= 0 && shape === 'unique-values' ? initialTransactionHint(history, firstOp) : '';
  return `${needed}; ${how}${broken === 1 ? '' : ', first'}: ${place}${hint}`;
}

/** A file that contains its initial transaction looks like a file that writes initial values again. */
function initialTransactionHint(history: History, read: number): string {
  const t = findInitialTransaction(history);
  if (t === null || valueRead(history, read) !== history.keyInitial[history.opKey[read]]) return '';
  return `; if ${nameTransaction(history, t)} is the initial transaction of the file, pass --initial-transaction first`;
}

/** Returns whether a checker decides a level: a level that it names, or a user-defined level by its definition. */
export const decides = ({ info }: Checker, level: LevelName): boolean =>
  info.levels.includes(level) || (takes(info, 'definition') && userDefinition(level) !== null);

/** Reason why a checker does not run at a level; null if it runs. */
export function whyUnsupported(checker: Checker, input: CheckInput, level: LevelName): string | null {
  const { name, levels } = checker.info;
  if (!decides(checker, level)) return `${name} does not check ${level}; it checks ${levels.join(', ')}.`;
  if (input.kind === 'polygraph' && level !== 'serializable')
    return `A polygraph can only be checked for serializability, not for ${level}.`;
  return unmetRequirement(checker, input, level);
}

/** Reason why a level is unknown if no checker accepts it. */
export function whyNoChecker(level: LevelName, input: IndexedHistory, refusals: readonly string[]): UnknownVerdict {
  if (level === OF_SINGLE_KEYS && !shapeOf(input, 'single-keys').holds) {
    const detail = `${level} needs ${howItBreaks(input, 'single-keys')}, and no single read violates it by itself.`;
    return { status: 'unknown', reason: 'needs-single-keys', detail };
  }
  return { status: 'unknown', reason: 'unsupported', detail: whyRefused(level, refusals) };
}

/** The level that requires transactions on a single key. */
const OF_SINGLE_KEYS: LevelName = 'linearizable';

function whyRefused(level: LevelName, refusals: readonly string[]): string {
  const none = `No checker supports this history at ${level}, and no single read violates it by itself.`;
  return refusals.length === 0 ? `${none} No checker decides this level.` : [none, ...inOneVoice(refusals)].join(' ');
}

/** Merges "A needs x." and "B needs x." into "A and B need x."; leaves other sentences unchanged. */
function inOneVoice(refusals: readonly string[]): string[] {
  const namesBy = new Map<string, string[]>(); // by requirement
  for (const refusal of refusals) {
    const [, name, needed] = /^(\S+) needs (.*)$/su.exec(refusal) ?? [];
    if (name === undefined) namesBy.set(refusal, []);
    else namesBy.set(needed!, [...(namesBy.get(needed!) ?? []), name]);
  }
  return Array.from(namesBy, ([rest, names]) => {
    if (names.length === 0) return rest;
    if (names.length === 1) return `${names[0]} needs ${rest}`;
    return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} need ${rest}`;
  });
}

/** Levels that a user accepts despite insufficient evidence. */
export interface Allowed {
  /** Levels that nothing in the history could have violated. */
  readonly allowVacuous?: boolean;
  /** Levels that hold in the part recorded before the recording was cut off. */
  readonly allowCutOff?: boolean;
}

/** Reason why a level that holds in the history must not be called satisfied; null if it may. */
export function whyNotSatisfied(evidence: Evidence, level: LevelName, allowed: Allowed): UnknownVerdict | null {
  const cutOff = evidence.kind === 'history' ? evidence.cutOffAfterLine : null;
  if (cutOff !== null && allowed.allowCutOff !== true)
    return {
      status: 'unknown',
      reason: 'cut-off',
      detail: `cut off: the level holds in the recorded part, but the recording stopped after line ${cutOff} of the file`,
    };
  if (evidence.kind === 'history' && evidence.plainWritesOfCounters > 0 && !seesWholeChanges(level))
    return { status: 'unknown', reason: 'incomplete', detail: ofCounters(evidence.plainWritesOfCounters) };
  return allowed.allowVacuous === true ? null : whyVacuous(evidence, level);
}

const ofCounters = (writes: number): string =>
  `the level may let a read see only a part of a transaction, and ${plural(writes, 'plain write')} of keys that are incremented ${writes === 1 ? 'consists' : 'consist'} of several parts, so the level may be violated in a way that isolab does not see; the rest is satisfied`;

/** Reason why a checker of reads and writes alone cannot decide that a level holds. */
export const whyNotAllConsidered = (checker: string, aggregates: number, failed: number): UnknownVerdict => ({
  status: 'unknown',
  reason: 'incomplete',
  detail: `${checker} does not check ${
    aggregates === 0 ? plural(failed, 'failed compare-and-set') : `${plural(aggregates, 'aggregate')} of several rows`
  }; the rest is satisfied`,
});

/** Reason why a satisfied level is vacuous: nothing in the history could have violated it. Null otherwise. */
export function whyVacuous(evidence: Evidence, level: LevelName): UnknownVerdict | null {
  if (evidence.kind === 'polygraph')
    return evidence.edges + evidence.constraints > 0
      ? null
      : vacuous('nothing-to-judge', 'the polygraph has neither edges nor constraints');
  const { reads, ambiguousReads, repeatedReads, transactions } = evidence;
  if (reads + ambiguousReads === 0) {
    const what = transactions === 0 ? 'no transaction is known to have happened' : NO_READS;
    return vacuous('nothing-to-judge', what);
  }
  if (level === 'cut-isolation' && repeatedReads === 0)
    return vacuous('nothing-to-judge', 'no transaction reads a key twice, and cut isolation restricts nothing else');
  if (!hasNeededTimes(level, () => evidence))
    return vacuous(
      'needs-times',
      `the level compares begin and end times, and the history has no two transactions whose times can be compared (${timesOf(evidence)})`,
    );
  return null;
}

const NO_READS =
  'no transaction that happened has a read with a known result of a key that the history writes, so nothing could have shown a violation';

const vacuous = (reason: keyof typeof TITLES, why: string): UnknownVerdict => ({
  status: 'unknown',
  reason,
  detail: `${TITLES[reason]}: ${why}`,
});

const TITLES = { 'nothing-to-judge': 'nothing to judge', 'needs-times': 'needs times' } as const;

/** Reason why a level that holds in an incomplete recording is unknown. */
export const partial = (level: LevelName, why: string): Unknown => ({
  reason: 'incomplete',
  detail: `${why}, and the part recorded until then satisfies ${level}`,
});
