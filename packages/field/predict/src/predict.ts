/**
 * Predicts executions of the transactions of a recorded history that a weaker level allows and a stronger level
 * forbids. Each prediction is a history of its own. The library judges it at both levels, and the verifier accepts the
 * certificates of both verdicts.
 */
import { type LevelName, definitionOf, implies, indexed } from '@isolab/contract';
import {
  type History,
  OP_NAMES,
  OpKind,
  type TransactionId,
  countKeys,
  nameAtom,
  locateTransaction,
  nameTransaction,
  showOperation,
  toRegisters,
  transactionOfOperations,
} from '@isolab/history';
import { comparesTimes } from '@isolab/levels';
import { certificate, verify } from 'isolab';
import { type CheckResult, check } from 'isolab/check';
import { commitPlaces } from './commit-places.ts';
import { DataFlow } from './data-flow.ts';
import type { Boundary, Execution, Setting } from './execution.ts';
import { Judge } from './judge.ts';
import { lockableReads } from './lockable.ts';
import { type Model, modelOf } from './model.ts';
import type { Event } from './command/schedule.ts';
import { orderOf, statementNumbers } from './order.ts';
import { type Offers, type Plan, definitionOfPlans, offersOf, recordedPlan } from './plan.ts';
import { type ProgramUse, type Statements, programsOf, updatesIn, usesOf } from './programs.ts';
import { type Repairs, repairsOf } from './repair.ts';
import { type Found, type Gap, type SearchOptions, search } from './search.ts';
import { templatesOf } from './templates.ts';
import { NUMBERED, namesOf, witnessOf } from './witness.ts';

export interface PredictOptions {
  readonly weaker: LevelName;
  readonly stronger: LevelName;
  readonly boundary: Boundary;
  /** Number of changed reads up to which all sets must be tried; 2 if absent. */
  readonly mostChanges?: number;
  /** Time for sets of more changed reads; 0 if absent. */
  readonly furtherMs?: number;
  /** Largest distance of a changed read from the recorded version, in versions of its key; 10 for long histories. */
  readonly furthest?: number;
  /** Time of the search, with the verdicts on the predictions. */
  readonly timeMs?: number;
  /** Signal that ends the search; the predictions found so far are returned. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (tried: number, found: number) => void;
  /** Statements of a recording. */
  readonly statements?: Statements;
  /** The database's levels that transactions keep beside the weaker level, by their positions. */
  readonly levels?: ReadonlyMap<number, string>;
}

/** A read that sees another version than recorded. */
export interface ChangedRead {
  readonly transaction: string;
  /** Place of the transaction in the recorded history. */
  readonly place: string;
  readonly recorded: string;
  readonly predicted: string;
  /** Origin of the predicted version. */
  readonly version: string;
}

export interface Prediction {
  /** Name of the anomaly, as in `check`. */
  readonly anomaly: string;
  readonly changes: readonly ChangedRead[];
  /** Programs of the transactions that violate the stronger level together. */
  readonly programs: readonly string[];
  /** Transactions whose later operations are unknown, because a changed value may determine them. */
  readonly cut: readonly string[];
  /** The predicted execution. */
  readonly history: History;
  /**
   * Execution as the application saw it: reads of updates are left out if their transactions had read the same rows
   * before, unless the stronger level then allows it.
   */
  readonly seen: { readonly history: History; readonly forbidden: CheckResult };
  /** The execution with reads and writes by key only, for a replay; or the reason why it cannot be replayed. */
  readonly replayable: History | string;
  /** Order of the recorded statements in which each read sees the predicted version; null if none is known. */
  readonly order: readonly Event[] | null;
  /** Verdicts on the predicted execution at the weaker and the stronger level. */
  readonly allowed: CheckResult;
  readonly forbidden: CheckResult;
}

export interface Predictions {
  readonly predictions: readonly Prediction[];
  /** States that the recorded execution violates the stronger level. */
  readonly isRecordedForbidden: boolean;
  /** Number of changed reads up to which all sets were tried; infinite if there are no larger sets. */
  readonly covered: number;
  /** Reasons why predictions within the boundary, of at most `mostChanges` changed reads, may be missing. */
  readonly gaps: readonly Gap[];
  readonly tried: number;
  readonly judged: number;
  /** Number of transactions with aggregates of several rows, which were left out. */
  readonly leftOut: number;
  readonly programs: readonly ProgramUse[];
  /** Searches for repairs, until the end of the time. */
  readonly repairs: () => Promise<Repairs>;
}

/** Throws a RangeError for levels and histories for which nothing can be predicted. */
export async function predict(whole: History, options: PredictOptions): Promise<Predictions> {
  const { weaker, stronger, mostChanges = 2, furtherMs = 0, furthest, timeMs = Infinity } = options;
  const { statements = new Map() } = options;
  const ends = performance.now() + timeMs;
  const { setting, isSerial, offers } = await settingOf(whole, statements, options, ends);
  const { model, leftOut, plan } = setting;
  const programs = programsOf(model, statements);
  const recorded = await new Judge(stronger, ends).of(model.history);
  const proved: { readonly found: Found; readonly prediction: Prediction }[] = [];
  const searching: SearchOptions = {
    weaker,
    stronger,
    needsCycle: isSerial && implies('serializable', stronger),
    isRecordedAllowed: recorded.status === 'satisfied',
    mostChanges,
    furtherMs,
    furthest: furthest ?? (model.session.length > MANY_TRANSACTIONS ? NEAR : Infinity),
    ends,
    signal: options.signal,
    onProgress: options.onProgress,
    programOf: (t) => programs.indexOf(programs[t]!),
    async onFound(found) {
      const prediction = await judged(setting, whole, programs, found, { weaker, stronger, ends });
      if (prediction !== null) proved.push({ found, prediction });
      return prediction !== null;
    },
  };
  const { impossible, ...searched } = await search(setting, searching);
  const gaps = new Set(searched.gaps);
  if (leftOut.length > 0) gaps.add('aggregates');
  if (whole.source.notes['cutOffAfterLine'] !== undefined) gaps.add('cut-off');
  const predictions = proved.toSorted((a, b) => byAmountOfChange(a.found, b.found)).map(({ prediction }) => prediction);
  const isRecordedForbidden = recorded.status === 'violated';
  const repairs = async (): Promise<Repairs> => {
    if (isRecordedForbidden) return { ...NO_REPAIRS, why: 'recorded' };
    if (predictions.length === 0) return NO_REPAIRS;
    if (gaps.has('time') || gaps.has('interruption')) return { ...NO_REPAIRS, why: 'time' };
    if (plan === null) return { ...NO_REPAIRS, why: 'level' };
    return repairsOf({
      setting: { ...setting, plan },
      options: searching,
      found: proved.map(({ found }) => found),
      gaps,
      impossible,
      offers,
      programs,
      lockable: lockableReads(setting, whole, statements, programs),
      templates: templatesOf(setting, whole, programs),
    });
  };
  const levelOf = (t: number): string =>
    offers.levels.find(({ states }) => states === (plan?.levels[t] ?? null))?.name ?? weaker;
  const uses = usesOf(model, programs, Array.from(programs.keys(), levelOf));
  const counts = { ...searched, leftOut: leftOut.length };
  return { ...counts, predictions, isRecordedForbidden, gaps: [...gaps], programs: uses, repairs };
}

interface Recorded {
  readonly setting: Setting;
  /** States that the places of the transactions are those of a serial order. */
  readonly isSerial: boolean;
  readonly offers: Offers;
}

async function settingOf(
  whole: History,
  statements: Statements,
  options: PredictOptions,
  ends: number,
): Promise<Recorded> {
  const { weaker, stronger, boundary } = options;
  const { history, opOf, undecidedAggregates } = toRegisters(whole);
  refuse(history, stronger);
  const input = indexed(history);
  const serial = await commitPlaces(input, 'serializable', ends);
  const place = serial ?? (await commitPlaces(input, weaker, ends));
  if (place === null) throw new RangeError(`The recorded history is not known to satisfy ${weaker}.`);
  const model = modelOf(input, place);
  const flow = new DataFlow(whole, history, opOf, updatesIn(whole, statements));
  const aggregating = withAggregates(whole, undecidedAggregates);
  const leftOut = Array.from(model.txnOf.keys()).filter((t) => aggregating.has(model.txnOf[t]));
  const offers = offersOf(whole.source.database, weaker, stronger);
  const statementOf = statementNumbers(whole, statements);
  const setting = { model, boundary, flow, leftOut, statementOf, plan: planOf(model, flow, offers, options) };
  return { setting, isSerial: serial !== null, offers };
}

/** Returns the recorded levels and locks as a plan; null if the weaker level has no plans. */
function planOf(
  { history, txnOf, operation }: Model,
  flow: DataFlow,
  offers: Offers,
  options: PredictOptions,
): Plan | null {
  const definition = definitionOfPlans(options.weaker, offers.isTracked);
  const names = Array.from(txnOf, (t) => options.levels?.get(history.txnPosition[t]));
  const locks = Uint8Array.from(operation, (op) => (flow.isLocking(op) ? 1 : 0));
  return definition && recordedPlan(definition, offers, names, locks);
}

const NO_REPAIRS: Repairs = { repairs: [], robust: null, why: null };

/** In a history of more transactions, only the nearest versions are tried. */
const MANY_TRANSACTIONS = 200;
const NEAR = 10;

function refuse({ opKind }: History, stronger: LevelName): void {
  if (comparesTimes(definitionOf(stronger)!))
    throw new RangeError(`${stronger} compares times, which a predicted execution does not have.`);
  const other = opKind.find((kind) => kind !== OpKind.Read && kind !== OpKind.Write);
  if (other !== undefined)
    throw new RangeError(
      `The history has operations of the kind ${OP_NAMES[other]}. Executions are predicted for reads and writes of keys and rows only.`,
    );
}

/** Returns the transactions with aggregates of several rows, whose results in another execution are unknown. */
function withAggregates(whole: History, scans: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>();
  const unknown = new Set(scans);
  const txnOf = transactionOfOperations(whole);
  for (let op = 0; op < whole.opKind.length; op++)
    if (whole.opKind[op] === OpKind.Scan && unknown.has(whole.opValue[op])) found.add(txnOf[op]);
  return found;
}

/** Fewest changed reads first, then the nearest versions, then the fewest transactions. */
const byAmountOfChange = (a: Found, b: Found): number =>
  a.changes.length - b.changes.length || distanceOf(a) - distanceOf(b) || a.cycle.length - b.cycle.length;

const distanceOf = ({ changes }: Found): number => changes.reduce((sum, { distance }) => sum + distance, 0);

/** Judges an execution through the library; null if no certificate proves its verdict, or the time has ended. */
async function judged(
  setting: Setting,
  whole: History,
  programs: readonly string[],
  { changes, execution, cycle }: Found,
  { weaker, stronger, ends }: { readonly weaker: LevelName; readonly stronger: LevelName; readonly ends: number },
): Promise<Prediction | null> {
  const { model, flow } = setting;
  const { history } = witnessOf(model, execution, namesOf(model, whole));
  const judge = (each: History, level: LevelName): Promise<CheckResult> => {
    const limit = ends === Infinity ? {} : { timeMs: Math.max(1, ends - performance.now()), place: 'thread' as const };
    return check(each, { level, allowVacuous: true, ...limit });
  };
  const allowed = await judge(history, weaker);
  const forbidden = await judge(history, stronger);
  if (allowed.verdict !== 'satisfied' || forbidden.verdict !== 'violated') return null;
  const isProved = [allowed, forbidden].every((result) => {
    const evidence = certificate(history, result);
    return evidence !== null && verify(history, evidence, { allowVacuous: true }).ok;
  });
  if (!isProved) return null;
  const readBefore = readsOfReadRows(model, flow);
  const { history: ofApplication } = witnessOf(model, execution, namesOf(model, whole), (op) => readBefore.has(op));
  const seenResult = await judge(ofApplication, stronger);
  const seen =
    seenResult.verdict === 'violated' ? { history: ofApplication, forbidden: seenResult } : { history, forbidden };
  const nameOf = (t: number): string => nameTransaction(model.history, model.txnOf[t] as TransactionId);
  const isCut = (t: number): boolean => execution.takesPart[t] === 1 && execution.end[t] < model.start[t + 1];
  return {
    anomaly: seen.forbidden.anomalies[0]!.name,
    changes: changes.map(({ read }) => changeOf(model, whole, read, execution.sources.get(read)!)),
    programs: cycle.map((t) => programs[t]!),
    cut: Array.from(model.session.keys()).filter(isCut).map(nameOf),
    history,
    seen,
    order: orderOf(setting, execution, cycle, weaker),
    replayable: replayableOf(setting, whole, execution, readBefore),
    allowed,
    forbidden,
  };
}

function replayableOf(
  { model, flow }: Setting,
  whole: History,
  execution: Execution,
  readBefore: ReadonlySet<number>,
): History | string {
  const { start, key, isWrite, operation } = model;
  const rows = countKeys(whole);
  for (let t = 0; t < execution.end.length; t++)
    for (let op = start[t]; op < execution.end[t]; op++) {
      if (key[op] >= rows && isWrite[op] === 0) return 'a condition reads rows that it does not return';
      if (flow.isLocking(operation[op])) return 'a read locks rows';
    }
  const isLeftOut = (op: number): boolean => key[op] >= rows || readBefore.has(op);
  const nameOf = (of: number): string => nameAtom(whole.keys, of).replaceAll(/[^\w.:-]/g, '-');
  const isUnique = new Set(Array.from({ length: rows }, (_, of) => nameOf(of))).size === rows;
  const names = isUnique ? { ...NUMBERED, key: nameOf } : NUMBERED;
  return witnessOf(model, execution, names, isLeftOut).history;
}

/** Returns the reads of updates whose rows their transaction had read before. */
function readsOfReadRows({ operation, txn, key, isWrite }: Model, flow: DataFlow): Set<number> {
  const known = new Set<string>();
  const found = new Set<number>();
  for (let op = 0; op < operation.length; op++) {
    const row = `${txn[op]} ${key[op]}`;
    if (isWrite[op] === 0 && known.has(row) && flow.isUpdate(operation[op])) found.add(op);
    known.add(row);
  }
  return found;
}

function changeOf(model: Model, { scans, source: origin }: History, read: number, source: number): ChangedRead {
  const { txnOf, txn, operation, key, value } = model;
  const history = { ...model.history, scans, source: origin };
  const of = (op: number): TransactionId => txnOf[txn[op]] as TransactionId;
  const op = operation[read];
  const seen = source < 0 ? history.keyInitial[key[read]] : value[source];
  return {
    transaction: nameTransaction(history, of(read)),
    place: locateTransaction(history, of(read)),
    recorded: showOperation(history, op),
    predicted: showOperation({ ...history, opValue: history.opValue.with(op, seen) }, op),
    version: source < 0 ? 'the initial version' : `the version of ${nameTransaction(history, of(source))}`,
  };
}
