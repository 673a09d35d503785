import {
  type Atom,
  type Atoms,
  type History,
  NIL,
  NO_TIME,
  OP_NAMES,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countAtoms,
  countOperations,
  countSessions,
  countTransactions,
  namesOnlyCount,
} from '@isolab/history';
import type { Loss, LossName } from './format.ts';
import { isCutOff } from './recorded.ts';

/**
 * Features that a format can express; an absent feature is one it cannot. The losses of a conversion follow from them.
 */
export interface Capabilities {
  /** OpKinds; reads and writes if absent. */
  readonly operations?: readonly number[];
  /** `writes`: an aborted transaction keeps only its writes, each in a transaction of its own. */
  readonly aborted?: 'no' | 'writes' | 'yes';
  /** Support for unknown outcomes; `aborted`: a transaction of unknown outcome looks like an aborted transaction. */
  readonly unknown?: 'no' | 'aborted' | 'yes';
  readonly emptyTransactions?: boolean;
  readonly emptySessions?: boolean;
  /** Names that the format can hold; `ordinal`, the default: only 0, 1, 2 … or 1, 2, 3 …, which need not be stored. */
  readonly sessionNames?: AtomRange | 'ordinal';
  readonly transactionNames?: AtomRange | 'ordinal';
  readonly keys: AtomRange;
  readonly values: AtomRange;
  /**
   * Spelling of a read of the initial state: a value, null for nil, `no` if it has none, `any` if it keeps its value.
   */
  readonly initial: bigint | null | 'no' | 'any';
  /** Whether nil can be written, and read where it is not the initial state. */
  readonly nilValues?: boolean;
  readonly unknownReads?: boolean;
  readonly times?: boolean;
  /** Whether the format can state the time of the first answer and the time of the COMMIT request. */
  readonly timeBounds?: boolean;
  /** Whether the format can state the drift of clocks. */
  readonly drift?: boolean;
  readonly timestamps?: boolean;
  /** Shows whether the format can state the level of each transaction. */
  readonly levels?: boolean;
  readonly versions?: boolean;
  readonly database?: boolean;
  /** Whether the format can state that a history was cut off. */
  readonly cutOff?: boolean;
}

export type AtomRange = (atom: Atom) => boolean;

const MAX_INT64 = 2n ** 63n - 1n;
export const anyAtom: AtomRange = (atom) => atom !== null;
export const anyInteger: AtomRange = (atom) => typeof atom === 'bigint';
export const naturals: AtomRange = (atom) => typeof atom === 'bigint' && atom >= 0n;
export const unsigned64: AtomRange = (atom) => typeof atom === 'bigint' && atom >= 0n && atom < 2n ** 64n;
export const signed64: AtomRange = (atom) => typeof atom === 'bigint' && atom <= MAX_INT64 && atom >= -MAX_INT64 - 1n;

export function lossesOf(history: History, can: Capabilities): Loss[] {
  const losses: Loss[] = [];
  const lose = addingTo(losses);
  transactionLosses(history, can, lose);
  operationLosses(history, can, lose);
  const unfitKeys = countUnfit(history.keys, 0, can.keys);
  lose('key-names', unfitKeys, RENUMBERED);
  const keepsRanges = can.operations?.includes(OpKind.RangeRead);
  if (keepsRanges && unfitKeys > 0) lose('range-reads', history.ranges.low.length, 'become ranges of other keys');
  lose('value-names', countUnfit(history.values, UNKNOWN_VALUE + 1, can.values), RENUMBERED);
  if (!can.database && history.source.database !== null) lose('database-name', 1, LEFT_OUT);
  if (!can.cutOff && isCutOff(history)) lose('cut-off', 1, 'is left out: the recorded part becomes a complete history');
  return losses;
}

export type Lose = (name: LossName, count: number, fate: string) => void;

/** Returns a function that adds nonempty losses to a list. */
export const addingTo =
  (losses: Loss[]): Lose =>
  (name, count, fate) => {
    if (count > 0) losses.push({ name, count, fate });
  };

function transactionLosses(history: History, can: Capabilities, lose: Lose): void {
  const { txnStatus, txnStart, sessionStart, txnNames, sessionNames } = history;
  const counts = { aborted: 0, abortedMore: 0, unknown: 0, empty: 0, emptySessions: 0 };
  for (let t = 0; t < countTransactions(history); t++) {
    const length = txnStart[t + 1]! - txnStart[t]!;
    if (length === 0) counts.empty++;
    if (txnStatus[t] === TxnStatus.Unknown) counts.unknown++;
    if (txnStatus[t] !== TxnStatus.Aborted) continue;
    counts.aborted++;
    if (length !== 1 || history.opKind[txnStart[t]!] !== OpKind.Write) counts.abortedMore++;
  }
  for (let s = 0; s < countSessions(history); s++) if (sessionStart[s] === sessionStart[s + 1]) counts.emptySessions++;

  if ((can.aborted ?? 'no') === 'no') lose('aborted-transactions', counts.aborted, LEFT_OUT);
  if (can.aborted === 'writes')
    lose('aborted-transactions', counts.abortedMore, 'keep only their writes, each in a separate transaction');
  if ((can.unknown ?? 'no') === 'no') lose('unknown-outcomes', counts.unknown, LEFT_OUT);
  if (can.unknown === 'aborted') lose('unknown-outcomes', counts.unknown, 'become aborted');
  if (!can.emptyTransactions) lose('empty-transactions', counts.empty, LEFT_OUT);
  if (!can.emptySessions) lose('empty-sessions', counts.emptySessions, LEFT_OUT);
  lose('session-names', countUnfitNames(sessionNames, can.sessionNames), RENUMBERED);
  if (txnNames) lose('transaction-names', countUnfitNames(txnNames, can.transactionNames), RENUMBERED);
  const { txnBegin, txnBegun, txnCommitting, txnEnd } = history;
  if (!can.times) lose('times', countTimes(txnBegin, txnBegun, txnCommitting, txnEnd), LEFT_OUT);
  else lose('time-bounds', countTimeBounds(history, can), 'become wider');
  if (!can.levels) lose('levels', countLevels(history), LEFT_OUT);
  if (!can.timestamps) lose('timestamps', countTimes(history.txnStartTs, history.txnCommitTs), LEFT_OUT);
  if (!can.versions) lose('versions', countTimes(history.opVersion), LEFT_OUT);
}

function operationLosses(history: History, can: Capabilities, lose: Lose): void {
  const { opKind, opKey, opValue, values, exchanges, ranges } = history;
  const { readFrom, rowReadFrom } = buildReadFrom(history);
  const allowed = new Set<number>(can.operations ?? [OpKind.Read, OpKind.Write]);
  const left = Array.from(OP_NAMES, () => 0);
  let nils = 0; // nils that the format cannot hold
  let unknownReads = 0;
  let initialReads = 0;
  const initialValue = spelledAsInitial(values, can);
  let mistakable = 0; // reads that would become, or cease to be, reads of the initial state
  const readsInitial = new Set<number>(); // keys with a read of an initial state other than that value
  const writesInitial = new Set<number>(); // keys to which that value is written
  const read = (key: number, value: number, from: number): void => {
    if (value === UNKNOWN_VALUE) unknownReads++;
    else if (from === ReadFrom.Initial) {
      initialReads++;
      if (value !== initialValue) readsInitial.add(key);
    } else if (value === NIL && !can.nilValues) nils++;
    else if (value === initialValue && history.keyInitial[key] !== initialValue) mistakable++;
    // Such a read may be of the initial state, but would look like a read of the other transaction's write.
    else if (from === ReadFrom.Ambiguous && value === history.keyInitial[key] && value !== initialValue) mistakable++;
  };
  const write = (key: number, value: number): void => {
    if (value === NIL && !can.nilValues) nils++;
    if (value === initialValue) writesInitial.add(key);
  };
  for (let op = 0; op < countOperations(history); op++) {
    const kind = opKind[op]!;
    const value = opValue[op]!;
    const key = opKey[op]!;
    if (!allowed.has(kind)) left[kind]!++;
    else if (kind === OpKind.Read) read(key, value, readFrom[op]!);
    else if (kind === OpKind.ListRead) {
      if (value === UNKNOWN_LIST) unknownReads++;
    } else if (kind === OpKind.RangeRead) {
      for (let row = ranges.rowStart[value]!; row < ranges.rowStart[value + 1]!; row++) {
        read(ranges.rowKey[row]!, ranges.rowValue[row]!, rowReadFrom[row]!);
      }
    } else if (kind === OpKind.Write || kind === OpKind.Append) write(key, value);
    else if (kind === OpKind.Scan) continue;
    else {
      read(key, exchanges.observed[value]!, readFrom[op]!);
      write(key, exchanges.written[value]!);
    }
  }
  for (const [kind, name] of KIND_LOSSES) lose(name, left[kind]!, LEFT_OUT);
  lose('inserts-and-deletes', left[OpKind.Insert]! + left[OpKind.Delete]!, LEFT_OUT);
  lose('lists', left[OpKind.ListRead]!, LEFT_OUT);
  if (!can.unknownReads) lose('unknown-reads', unknownReads, LEFT_OUT);
  lose('nil-reads', nils, LEFT_OUT);
  if (can.initial === 'no') lose('initial-values', initialReads + mistakable, LEFT_OUT);
  else if (can.initial !== 'any') lose('initial-values', mistakable + overlap(writesInitial, readsInitial), MISTAKABLE);
}

/**
 * Returns the value that a format uses for the initial state. Renumbered integers do not contain it, because they start
 * at 1.
 */
function spelledAsInitial(values: Atoms, can: Capabilities): number {
  if (can.initial === null) return NIL;
  if (typeof can.initial !== 'bigint' || countUnfit(values, UNKNOWN_VALUE + 1, can.values) > 0) return -1;
  return idOf(values, can.initial);
}

const overlap = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => [...a].filter((x) => b.has(x)).length;

const countTimeBounds = ({ txnBegun, txnCommitting, source }: History, can: Capabilities): number =>
  (can.timeBounds ? 0 : countTimes(txnBegun, txnCommitting)) + (can.drift || source.drift === 0 ? 0 : 1);

function countTimes(...columns: readonly (BigInt64Array | null)[]): number {
  let count = 0;
  for (const column of columns) if (column) for (let i = 0; i < column.length; i++) if (column[i] !== NO_TIME) count++;
  return count;
}

const countLevels = ({ txnLevels }: History): number => txnLevels?.of.filter((level) => level > 0).length ?? 0;

function countUnfit(atoms: Atoms, first: number, fits: AtomRange): number {
  let count = 0;
  for (let id = first; id < countAtoms(atoms); id++) if (!fits(atomOf(atoms, id))) count++;
  return count;
}

function countUnfitNames(names: Atoms, range: AtomRange | 'ordinal' = 'ordinal'): number {
  if (namesOnlyCount(names)) return 0;
  return range === 'ordinal' ? countAtoms(names) : countUnfit(names, 0, range);
}

export function idOf(atoms: Atoms, atom: bigint): number {
  for (let id = 0; id < countAtoms(atoms); id++) if (atomOf(atoms, id) === atom) return id;
  return -1;
}

/** Returns how a writer spells atoms: unchanged if all fit its format, otherwise as numbers counted from `first`. */
export function spelling(atoms: Atoms, fits: AtomRange, first: bigint, from = 0): (id: number) => bigint {
  const renumber = countUnfit(atoms, from, fits) > 0;
  return renumber ? (id) => first + BigInt(id - from) : (id) => atomOf(atoms, id) as bigint;
}

const KIND_LOSSES: readonly (readonly [kind: number, name: LossName])[] = [
  [OpKind.Append, 'appends'],
  [OpKind.CompareAndSet, 'compare-and-sets'],
  [OpKind.RangeRead, 'range-reads'],
  [OpKind.Scan, 'scans'],
];
const LEFT_OUT = 'are left out';
const MISTAKABLE = 'become ambiguous: a write and the initial state look the same';
const RENUMBERED = 'are renumbered';
