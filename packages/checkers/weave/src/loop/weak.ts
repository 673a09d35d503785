/**
 * The weak levels of a history with scans, by orders of the reads. A row that a scan passed over becomes a read if its
 * latest visible version would match.
 */
import {
  type CheckerVerdict,
  INITIAL_TXN,
  type IndexedHistory,
  type InputOf,
  type LevelName,
  type RunContext,
  type SatisfiedVerdict,
  implies,
  indexed,
  mayHaveHappenedAt,
} from '@isolab/contract';
import {
  type History,
  Outcome,
  ReadFrom,
  type ReadFromIndex,
  type RegisterHistory,
  countKeys,
  mayHaveHappened,
  passesOverMore,
  toRegisters,
  transactionOf,
} from '@isolab/history';
import { certifying, withinSteps } from '../problem/contexts.ts';
import type { Question } from '../problem/options.ts';
import type { Tuning } from '../problem/tuning.ts';
import { type Found, concluded, numberingIn, outcomeOf } from '../proof/numbers.ts';
import { orderOf } from '../strategy/strong.ts';
import { asCommitOrder, stepsOf } from '../theories/rows/commit-order.ts';
import { VisibleScans } from '../theories/rows/visible-scans.ts';
import { sightOf } from '../theories/weak/sight.ts';
import { lastWriteOf } from '../theories/weak/edges/facts.ts';
import { checkWeakLevel } from '../theories/weak/weak.ts';
import { checkReads } from './check-reads.ts';
import { checkCutIsolationWithScans } from './cut-isolation.ts';
import { type Proposer, type Theory, decide, unlessOpen } from './decide.ts';
import { Reads } from './reads.ts';
import { type ReadCommitted, asStatements, asStatementsInRealTime } from './statements.ts';
import { asSeparateStatements } from './separate-statements.ts';
import { SearchWithScans } from './strong.ts';

/** An order of the transactions that happened, and an index with the writer that every read saw. */
interface Chosen {
  readonly verdict: SatisfiedVerdict;
  readonly registers: RegisterHistory;
  readonly order: readonly number[];
  readonly index: ReadFromIndex;
}

export function checkWeakWithScans(input: InputOf<'scans'>, question: Question, context: RunContext): CheckerVerdict {
  const { level, tuning } = question;
  const { withScans } = input;
  const all = (limited: RunContext): CheckerVerdict => checkWithAllReads(withScans, question, limited);
  if (level === 'cut-isolation') return checkCutIsolationWithScans(withScans, tuning, context) ?? all(context);
  if (!implies('prefix', level)) return all(context);
  const verdict = checkWithFewReads(input, question, context);
  if (verdict === null) return all(context);
  // Reading all rows shows all violations, but would take too much memory if they are too many.
  if (!context.findAll || verdict.status !== 'violated' || passesOverMore(withScans, tuning.mostSources))
    return verdict;
  return withinSteps(context, tuning.leastSteps, all) ?? verdict;
}

/** Decides a weak level by reading only some of the passed-over rows; null if it requires reads of all. */
function checkWithFewReads(input: InputOf<'scans'>, question: Question, context: RunContext): CheckerVerdict | null {
  const { level, tuning } = question;
  const { withScans } = input;
  const prefix: Question = { ...question, level: 'prefix' };
  const search = new SearchWithScans(input, prefix);
  const inner = certifying(context);
  return (
    asWeak(withScans, search.inRealTime(inner), tuning, context) ??
    (level === 'read-committed-pl2' ? asSeparateStatements(withScans, tuning, context) : null) ??
    (isReadCommitted(level) ? asStatementsInRealTime(withScans, level, tuning, context) : null) ??
    asWeak(withScans, search.roundByRound(inner), tuning, context) ??
    (isReadCommitted(level) ? asStatements(withScans, level, prefix, context) : null) ??
    byVisibleRows(withScans, level, tuning, context)
  );
}

const isReadCommitted = (level: LevelName): level is ReadCommitted => level.startsWith('read-committed');

/**
 * Decides a weak level by reading every passed-over row. An undetermined aggregate leaves the level open. Prefix
 * consistency is not asked again.
 */
function checkWithAllReads(withScans: History, question: Question, context: RunContext): CheckerVerdict {
  const { history, undecidedAggregates } = toRegisters(withScans);
  const input = indexed(history);
  const verdict = checkReads(input, { ...question, tuning: { ...question.tuning, prefixSteps: 0 } }, context);
  return verdict.status === 'satisfied'
    ? unlessOpen(verdict, withScans, undecidedAggregates, mayHaveHappenedAt(question.level, input.index))
    : verdict;
}

/** Certifies a weak level by prefix consistency, which is stronger but faster to decide; null if not satisfied. */
function asWeak(
  withScans: History,
  prefix: { readonly verdict: CheckerVerdict } | null,
  { mostSources }: Tuning,
  { certify }: RunContext,
): CheckerVerdict | null {
  if (prefix?.verdict.status !== 'satisfied') return null;
  if (!certify) return { status: 'satisfied' };
  const order = prefix.verdict;
  return asCommitOrder(withScans, mostSources, ({ history }) => stepsOf(history, orderOf(order)));
}

/** Returns null if the level requires reads of all rows that scans passed over. */
function byVisibleRows(
  withScans: History,
  level: LevelName,
  tuning: Tuning,
  context: RunContext,
): CheckerVerdict | null {
  const inner = certifying(context);
  // Where repeated reads of a key do not count, a read of another row version by the transaction's scan may make them
  // count.
  const asked = level === 'read-committed' ? 'read-committed-dbcop' : level;
  const reads = new Reads(withScans, tuning);
  const isNamed = context.certify && !passesOverMore(withScans, tuning.mostSources);
  const numKeys = countKeys(withScans);
  const seen = new Map<number, number>(); // by scan and passed-over row: the writer of the version that it saw
  const propose: Proposer<Chosen, Found> = () => {
    const { input, registers } = reads.lowered();
    const verdict = checkWeakLevel(input, asked, tuning, inner);
    if (verdict.status === 'satisfied') return chosenIn(verdict, input, registers);
    const again =
      verdict.status === 'unknown' || asked === level ? verdict : checkWeakLevel(input, level, tuning, inner);
    return again.status === 'violated' ? { verdict: again, registers } : null;
  };
  const scans = new VisibleScans(withScans);
  const check: Theory<Chosen, Found> = (chosen) => {
    const { registers, order, index } = chosen;
    const sight = sightOf(registers, index, asked, tuning);
    if (sight === null) return null;
    seen.clear();
    const overlooked = scans.overlooked(order, reads.passedOver!, sight, (scan, row, writer) => {
      if (isNamed) seen.set(scan * numKeys + row, writer);
    });
    context.tick(registers.opOf.length);
    context.count('rows-overlooked', overlooked.length);
    if (overlooked.length === 0) return chosen;
    return reads.add(overlooked) ? 'added' : null;
  };
  const decided = decide(propose, check);
  if (decided === null) return null;
  const scope = { withScans, passedOver: reads.passedOver, most: tuning.mostPassedOver };
  if (!('order' in decided)) return concluded([decided], context.certify, scope);
  const satisfied = isNamed
    ? certified(withScans, decided, seen)
    : ({ status: 'satisfied', uncertified: 'size' } as const);
  const isPossible = mayHaveHappened(decided.index);
  const verdict = unlessOpen(satisfied, withScans, decided.registers.undecidedAggregates, isPossible);
  return concluded([outcomeOf(verdict, decided.registers)], context.certify, scope);
}

function chosenIn(verdict: SatisfiedVerdict, { history, index }: IndexedHistory, registers: RegisterHistory): Chosen {
  const { certificate } = verdict;
  if (certificate?.kind !== 'commit-order')
    throw new Error(`A weak level was satisfied with the certificate ${certificate?.kind}, expected an order.`);
  const readFrom = index.readFrom.slice();
  for (const [read, writer] of certificate.sources ?? [])
    readFrom[read] = writer === INITIAL_TXN ? ReadFrom.Initial : lastWriteOf(history, writer, history.opKey[read]!);
  const outcome = new Uint8Array(index.outcome.length).fill(Outcome.Left);
  for (const t of certificate.order) outcome[t] = Outcome.Happened;
  return { verdict, registers, order: certificate.order, index: { ...index, readFrom, outcome } };
}

/** Returns the order, with the writer of every ambiguous read of the whole history. */
function certified(
  withScans: History,
  { registers, order, index }: Chosen,
  seen: ReadonlyMap<number, number>,
): SatisfiedVerdict {
  const whole = toRegisters(withScans);
  const { history, index: wholeIndex } = indexed(whole.history);
  const placeOf = numberingIn(registers, whole).op;
  const sourceOf = (op: number): number => {
    const place = placeOf(op);
    const write = index.readFrom[place]!;
    if (place >= 0) return write < 0 ? INITIAL_TXN : transactionOf(registers.history, write);
    const { row } = whole.items[history.opKey[op]! - countKeys(withScans)]!;
    return seen.get(withScans.opValue[whole.opOf[op]!]! * countKeys(withScans) + row)!;
  };
  const sources: [number, number][] = [];
  for (const t of order)
    for (let op = history.txnStart[t]!; op < history.txnStart[t + 1]!; op++)
      if (wholeIndex.readFrom[op] === ReadFrom.Ambiguous) sources.push([op, sourceOf(op)]);
  return { status: 'satisfied', certificate: { kind: 'commit-order', order, sources } };
}
