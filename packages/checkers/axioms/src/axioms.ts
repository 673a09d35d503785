/**
 * The checker of all levels that are defined in the language of levels.
 * An axiom forbids walks, closed or open, that spell a word of a regular expression over the relations. Along one
 * order of the transactions (or of their begins and commits, or of the writers of each key) all relations are known,
 * and a search through the product of the history and the expression's automaton finds the forbidden walks.
 * The first order is a guess. Each forbidden walk in it becomes a clause over the pairwise orders that the walk rests
 * on, and a solver with a theory of acyclic graphs looks for an order without any of these walks. This repeats until
 * an order has no forbidden walk, or no order is left.
 */
import {
  type AllowedRead,
  LEVEL_RECORDS,
  type LevelDefinition,
  STATED,
  deniesPaths,
  deniesSources,
  tellsItems,
  unsupportedIn,
} from '@isolab/levels';
import {
  API_VERSION,
  type CheckerVerdict,
  type FoundAnomaly,
  INTERNAL_ANOMALY_NAMES,
  type IndexedHistory,
  type RunContext,
  defineChecker,
  definitionOf,
  listViolations,
  whyNotStated,
} from '@isolab/contract';
import {
  type History,
  type InternalAnomalyName,
  OpKind,
  Outcome,
  ReadFrom,
  TxnStatus,
  atomOf,
  countKeys,
  listVersions,
  transactionOf,
} from '@isolab/history';
import { type HintsFor, type LevelPart, decide } from './decide.ts';
import { decideEachKey } from './each-key.ts';
import { type Choices, choicesOf } from './facts/choices.ts';
import { BLIND, factsOf, listOfOthers } from './facts/facts.ts';
import { leavesOutcomesOpen, unexplainedReads } from './facts/unexplained.ts';
import { type Guide, Hints } from './search/guide.ts';

/** A guide is another checker. The orders that it finds are tried first, and a correct order ends the search. */
export const axiomsWith = (guide: Guide | null) =>
  defineChecker<object, 'history' | 'definition'>({
    info: {
      name: 'axioms',
      title: 'Any level, by its axioms',
      version: '0.1.0',
      apiVersion: API_VERSION,
      paper: null,
      // A failed compare-and-set matters at linearizability, which is left out here.
      levels: LEVEL_RECORDS.map(({ name }) => name).filter(
        (name) => name !== 'linearizable' && unsupportedIn(definitionOf(name)!) === null,
      ),
      sound: true,
      complete: true,
      requires: ['registers-and-lists'],
      accepts: ['history', 'definition'],
      options: {},
      variants: {},
    },
    check(input, name, _options, context) {
      const definition = input.kind === 'definition' ? input.definition : definitionOf(name)!;
      return checkDefinition(input, definition, guide, context);
    },
  });

export const axioms = axiomsWith(null);

function checkDefinition(
  input: IndexedHistory,
  level: LevelDefinition,
  guide: Guide | null,
  context: RunContext,
): CheckerVerdict {
  const unsupported = unsupportedIn(level);
  if (unsupported !== null) {
    const { file, line, column } = unsupported.position;
    const detail = `${file}:${line}:${column}: ${unsupported.problem}`;
    return { status: 'unknown', reason: 'unsupported', detail };
  }
  const { index, history } = input;
  const levels = level.eachKeySatisfies === null ? [level] : [level, level.eachKeySatisfies];
  const choicesAt = (each: LevelDefinition): Choices =>
    choicesOf(history, index, unexplainedReads(history, each.allows));
  const problem = levels
    .map((each) => unsupportedOf(input, each) ?? unsupportedAmong(choicesAt(each), history, each, level))
    .find((found) => found !== null);
  if (problem !== undefined) return { status: 'unknown', reason: 'unsupported', detail: problem };
  for (const each of levels) {
    const forbidden = internalReads(input, each, context);
    if (forbidden.length > 0) return { status: 'violated', anomalies: forbidden };
  }
  context.stage('construct');
  context.tick(history.opKind.length);
  const lists = listVersions(history, index);
  const partAt = (each: LevelDefinition): LevelPart => {
    const choices = choicesAt(each);
    const facts = factsOf(history, index, unexplainedReads(history, each.allows), choices.isOpen);
    return { history, facts, choices, lists, ofKey: null };
  };
  const part = partAt(level);
  const tick = (steps: number): void => context.tick(steps);
  const hintsFor: HintsFor = (asked, points) =>
    guide && new Hints(guide, input, { name: level.name, problem: asked }, { facts: part.facts, points }, tick);
  const all = certain(input, level, decide(part, level, context, hintsFor));
  const [, inEach] = levels;
  if (inEach === undefined || all.status !== 'satisfied') return all;
  return certain(input, inEach, decideEachKey(partAt(inEach), inEach, all, context));
}

/** Returns the reason why this checker does not support a history at a level, or null. */
function unsupportedOf({ history, index }: IndexedHistory, level: LevelDefinition): string | null {
  const unstated = level.name === STATED ? whyNotStated(history) : null;
  if (unstated !== null) return unstated;
  if (index.nodeAppend.includes(ReadFrom.Ambiguous))
    return 'several transactions may have appended the same element of a list';
  if (level.allows.length > 0 && !level.allows.includes('thin-air-reads') && history.opKind.includes(OpKind.ListRead))
    return `lists may show reads that ${level.name} allows`;
  if (level.allows.length > 0 && leavesOutcomesOpen(history))
    return `the reads that ${level.name} allows do not show which transactions happened`;
  if (tellsItems(level) && hasItems(history)) return `${level.name} distinguishes the version of a row from its match`;
  const isUnexplained = unexplainedReads(history, level.allows);
  const hasHappened = (op: number): boolean => index.outcome[transactionOf(history, op)] === Outcome.Happened;
  const isOptional = (from: number, op: number): boolean =>
    from !== ReadFrom.None && isUnexplained(op) && hasHappened(op);
  return deniesSources(level) && index.readFrom.some(isOptional) ? `${level.name} may deny the source of a read` : null;
}

/** Returns the reason why the choices of read sources cannot be searched, or null. */
function unsupportedAmong(
  { reads, isOpen }: Choices,
  { opKind }: History,
  level: LevelDefinition,
  whole: LevelDefinition,
): string | null {
  if (reads.length > 0 && deniesSources(level)) return `${level.name} may deny one of several sources of a read`;
  if (!isOpen.includes(1)) return null;
  if (whole.eachKeySatisfies !== null)
    return 'a choice decides which transactions of unknown outcome happened, at all keys';
  if (deniesPaths(level))
    return `transactions of unknown outcome may relate other transactions that ${level.name} requires to be unrelated`;
  const hasLists = opKind.includes(OpKind.Append) || opKind.includes(OpKind.ListRead);
  return hasLists ? 'a choice decides which transactions of unknown outcome happened, and the history has lists' : null;
}

/**
 * Leaves out transactions of unknown outcome that no transaction read from. They can only add violations, with one
 * exception: they may lie between two other transactions that an axiom requires to be unrelated.
 */
function certain({ history, index }: IndexedHistory, level: LevelDefinition, verdict: CheckerVerdict): CheckerVerdict {
  if (verdict.status !== 'violated') return verdict;
  const isLeftOut = history.txnStatus.some(
    (status, t) => status === TxnStatus.Unknown && index.outcome[t] === Outcome.Left,
  );
  if (isLeftOut && deniesPaths(level))
    return unknown(
      'transactions of unknown outcome may relate other transactions that an axiom requires to be unrelated',
    );
  return verdict;
}

const unknown = (detail: string): CheckerVerdict => ({ status: 'unknown', reason: 'incomplete', detail });

/** Finds reads that no order explains, and lists that contradict each other. */
function internalReads(
  { history, internal, index }: IndexedHistory,
  level: LevelDefinition,
  { findAll }: RunContext,
): FoundAnomaly[] {
  const found: FoundAnomaly[] = [];
  for (let i = 0; i < internal.count; i++) {
    const { name, read, other } = internal.at(i);
    const allowed = ALLOWED_AS[name];
    if (allowed === null || isAllowed(history, level, read, allowed)) continue;
    const operations = other < 0 ? [read] : [other, read];
    found.push({
      name: INTERNAL_ANOMALY_NAMES[name].name,
      transactions: [...new Set(operations.map((op) => transactionOf(history, op)))],
      certificate: { kind: 'internal', anomaly: name, read, other },
    });
    if (!findAll) return found;
  }
  if (level.allows.length > 0) return found;
  return [...found, ...listViolations(history, listVersions(history, index), findAll)];
}

/**
 * Returns whether a level allows the anomaly that a read shows by itself. Reads that are not blind may count as
 * thin-air reads.
 */
function isAllowed(history: History, { allows }: LevelDefinition, read: number, kind: AllowedRead): boolean {
  if (isBlind(history, read)) return allows.includes('blind-reads');
  return allows.includes(kind) || allows.includes('thin-air-reads');
}

/** Returns whether an anomalous read misses earlier writes or appends of its own transaction. */
function isBlind(history: History, read: number): boolean {
  const { opKind, opKey, txnStart } = history;
  const t = transactionOf(history, read);
  if (opKind[read] === OpKind.ListRead) return listOfOthers(history, t, read) === BLIND;
  for (let op = txnStart[t]; op < read; op++) if (opKind[op] === OpKind.Write && opKey[op] === opKey[read]) return true;
  return false;
}

/** Names under which levels allow a kind of read. Axioms decide whether a repeated read must return the same value. */
const ALLOWED_AS: Readonly<Record<InternalAnomalyName, AllowedRead | null>> = {
  'thin-air-read': 'thin-air-reads',
  'aborted-read': 'aborted-reads',
  'intermediate-read': 'intermediate-reads',
  'future-read': 'future-reads',
  'not-my-own-write': 'blind-reads',
  'not-my-last-write': 'blind-reads',
  'non-repeatable-read': null,
};

/** Returns whether scans skipped rows: their statements about these rows are separate reads of keys. */
function hasItems({ keys }: History): boolean {
  for (let key = 0; key < countKeys({ keys } as History); key++) {
    const name = atomOf(keys, key);
    if (typeof name === 'string' && name.includes(' where ')) return true;
  }
  return false;
}
