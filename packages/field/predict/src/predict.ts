/** Predicts executions of the transactions of a recorded history that a weaker level allows and a stronger one forbids. */
import { type IndexedHistory, type LevelName, definitionOf, implies, indexed } from '@isolab/contract';
import {
  type History,
  OP_NAMES,
  OpKind,
  type RegisterHistory,
  UNKNOWN_VALUE,
  toRegisters,
  transactionOfOperations,
} from '@isolab/history';
import { comparesTimes } from '@isolab/levels';
import { type WithoutAggregates, aggregatesAsScans, serialOrder } from './aggregates.ts';
import { commitPlaces, isSerialIn, orderOfFile, placesIn } from './commit-places.ts';
import { DataFlow } from './data-flow.ts';
import type { Boundary, Setting } from './execution.ts';
import { Judge } from './judge.ts';
import { lockableReads } from './lockable.ts';
import { type Model, modelOf } from './model.ts';
import { statementNumbers } from './order.ts';
import { type Offers, type Plan, definitionOfPlans, offersOf, recordedPlan } from './plan.ts';
import { type Prediction, predictionOf } from './prediction.ts';
import { type ProgramUse, type Statements, programsOf, updatesIn, usesOf } from './programs.ts';
import { type Repairs, repairsOf } from './repair.ts';
import { type Found, type Gap, type SearchOptions, search } from './search.ts';
import { ScannedReads } from './scanned.ts';
import { templatesOf } from './templates.ts';
import { repeatedIn } from './witness.ts';

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
  const known = await settingOf(whole, statements, options, ends);
  if (known === null) return { ...NOTHING, gaps: [performance.now() < ends ? 'undecided histories' : 'time'] };
  const { setting, isSerial, offers } = known;
  const { model, leftOut, plan } = setting;
  const programs = programsOf(model, whole, statements);
  const recorded = await new Judge(stronger, ends).of(model.history);
  const proved: { readonly found: Found; readonly prediction: Prediction }[] = [];
  const searching: SearchOptions = {
    weaker,
    stronger,
    needsCycle: isSerial && implies('serializable', stronger),
    hasEqualVersions: whole.scans.table.length > 0 || repeatedIn(model).size > 0,
    isRecordedAllowed: recorded.status === 'satisfied',
    mostChanges,
    furtherMs,
    furthest: furthest ?? (model.session.length > MANY_TRANSACTIONS ? NEAR : Infinity),
    ends,
    signal: options.signal,
    onProgress: options.onProgress,
    programOf: (t) => programs.indexOf(programs[t]!),
    async onFound(found) {
      const prediction = await predictionOf(setting, whole, programs, found, { weaker, stronger, ends });
      if (prediction !== null) proved.push({ found, prediction });
      return prediction !== null;
    },
  };
  const { impossible, ...searched } = await search(setting, searching);
  const gaps = new Set([...searched.gaps, ...gapsOf(setting)]);
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

/** A recorded history that satisfies the weaker level. */
interface Recorded {
  readonly setting: Setting;
  /** States that the places of the transactions are those of a serial order. */
  readonly isSerial: boolean;
  readonly offers: Offers;
}

async function settingOf(
  recorded: History,
  statements: Statements,
  options: PredictOptions,
  ends: number,
): Promise<Recorded | null> {
  const { weaker, stronger, boundary } = options;
  const { known, registers, input, serial } = await loweredOf(recorded, options, ends);
  const { history: whole } = known;
  const { history, opOf, undecidedAggregates } = registers;
  const place = typeof serial === 'string' ? await commitPlaces(input, weaker, ends) : serial;
  if (place === 'violated') throw new RangeError(`The recorded history violates ${weaker} itself.`);
  if (place === 'unknown') return null;
  const model = modelOf(input, place);
  const flow = new DataFlow(whole, history, opOf, updatesIn(whole, statements));
  const aggregating = withAggregates(whole, undecidedAggregates);
  const leftOut = Array.from(model.txnOf.keys()).filter((t) => aggregating.has(model.txnOf[t]));
  const offers = offersOf(whole.source.database, weaker, stronger);
  const statementOf = statementNumbers(whole, statements);
  const scanned = new ScannedReads(known, model, registers);
  const setting = {
    whole,
    model,
    scanned,
    boundary,
    flow,
    leftOut,
    statementOf,
    plan: planOf(model, flow, offers, options),
  };
  return { setting, isSerial: typeof serial !== 'string', offers };
}

/** A recorded history of reads and writes, with the places of a serial order or the verdict at serializability. */
interface Lowered {
  readonly known: WithoutAggregates;
  readonly registers: RegisterHistory;
  readonly input: IndexedHistory;
  readonly serial: Int32Array | 'violated' | 'unknown';
}

/** Chooses the order of the file if it is a serial order, because it shows which of equal versions each read saw. */
async function loweredOf(recorded: History, options: PredictOptions, ends: number): Promise<Lowered> {
  const lower = (known: WithoutAggregates): Omit<Lowered, 'serial'> => {
    const registers = toRegisters(known.history);
    return { known, registers, input: indexed(registers.history) };
  };
  const plain = lower({ history: recorded, aggregates: new Map() });
  refuse(plain.registers.history, options);
  const inOrder = (order: readonly number[]): Omit<Lowered, 'serial'> => {
    const known = aggregatesAsScans(recorded, order);
    return known.history === recorded ? plain : lower(known);
  };
  const ofFile = orderOfFile(plain.input);
  const first = ofFile && inOrder(ofFile);
  if (first && first.registers.undecidedAggregates.length === 0 && isSerialIn(first.input, ofFile))
    return { ...first, serial: placesIn(first.registers.history, ofFile) };
  const order = recorded.scans.aggregates.length > 0 ? await serialOrder(recorded, ends) : null;
  const other = order === null ? plain : inOrder(order);
  return { ...other, serial: await commitPlaces(other.input, 'serializable', ends) };
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

/** Result before it is known whether the recorded history satisfies the weaker level. */
const NOTHING: Predictions = {
  predictions: [],
  programs: [],
  gaps: [],
  isRecordedForbidden: false,
  covered: 0,
  tried: 0,
  judged: 0,
  leftOut: 0,
  repairs: async () => NO_REPAIRS,
};

/** In a history of more transactions, only the nearest versions are tried. */
const MANY_TRANSACTIONS = 200;
const NEAR = 10;

function refuse({ opKind }: History, { weaker, stronger }: PredictOptions): void {
  if (weaker === 'linearizable')
    throw new RangeError('linearizable compares single operations; choose a level of transactions.');
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

/** Returns the reasons why the recording itself may hide predictions. */
function gapsOf({ whole, model, leftOut }: Setting): Gap[] {
  const found: Gap[] = [];
  if (leftOut.length > 0) found.push('aggregates');
  if (whole.source.notes['cutOffAfterLine'] !== undefined) found.push('cut-off');
  if (model.session.length === 0) found.push('nothing');
  if (hasUnknownResults(model)) found.push('unknown results');
  return found;
}

/** Returns whether a read without a result saw one of several versions of another transaction's key. */
function hasUnknownResults({ history: { opKind, opKey, opValue, txnStart }, txnOf, writers }: Model): boolean {
  return txnOf.some((of, t) => {
    const own = new Set<number>();
    for (let op: number = txnStart[of]; op < txnStart[of + 1]; op++) {
      if (opKind[op] === OpKind.Write) own.add(opKey[op]);
      else if (
        opValue[op] === UNKNOWN_VALUE &&
        !own.has(opKey[op]) &&
        writers[opKey[op]]!.some((writer) => writer !== t)
      )
        return true;
    }
    return false;
  });
}

/** Fewest changed reads first, then the nearest versions, then the fewest transactions. */
const byAmountOfChange = (a: Found, b: Found): number =>
  a.changes.length - b.changes.length || distanceOf(a) - distanceOf(b) || a.cycle.length - b.cycle.length;

const distanceOf = ({ changes }: Found): number => changes.reduce((sum, { distance }) => sum + distance, 0);
