import {
  type History,
  type HistoryBuilder,
  NO_TIME,
  OpKind,
  TxnStatus,
  UNKNOWN_LIST,
  atomOf,
  buildReadFrom,
  listElements,
  printAtom,
  toRegisters,
} from '@isolab/history';
import { type CheckResult, check, shrink, story } from 'isolab';
import { type Log, type Violation, whyNotReopened } from './violation.ts';
import { holdsOfParts, judging } from './full-checks.ts';
import { Lines, isOutcome, sessionIn } from '../stream/lines.ts';
import { isRead, masked, openReads } from './mask.ts';
import { returnedRows } from './returned-rows.ts';
import { type NewReader, readerBehind } from './snapshot.ts';
import type { UnwrittenRead } from './unwritten.ts';

/** A violation that a few lines of the log prove on their own. */
export interface Proof {
  readonly anomalies: readonly string[];
  readonly sentence: string;
  /** The last of the lines. */
  readonly line: number;
  readonly history: History;
  readonly result: CheckResult;
}

export interface AlarmEvidence {
  readonly name: string;
  readonly log: Log;
  readonly newReader: NewReader;
  readonly header: Uint8Array;
}

/**
 * Proves a violation from a few lines of the log: the necessary lines, and the writers of their reads. An order of all
 * lines would also order these lines, so nothing else in the log can disprove the violation. Returns null if the lines
 * are not enough.
 */
export async function prove(violation: Violation, evidence: AlarmEvidence): Promise<Proof | null> {
  const { history, numberOf, level, isWhole } = violation;
  // A deleted line may have written a value that was read.
  if (violation.repeats && !isWhole && !evidence.log.isWhole) return null;
  const positioned = { ...history, txnPosition: numberOf };
  const first = await smallest(positioned, level);
  if (first === null) return null;
  const last = isWhole ? first : await smallest(excerptFor(first, violation, evidence), level);
  return last === null ? null : await told(last);
}

/** Handles reads of values that no line wrote, if the log is too long to be read again. */
export async function judgeUnwritten(
  reads: readonly UnwrittenRead[],
  level: Violation['level'],
  evidence: AlarmEvidence,
): Promise<Proof | { readonly why: string }> {
  for (const read of reads) {
    const proof = read.writtenAt > 0 ? null : await proveUnwritten(read, level, evidence);
    if (proof !== null) return proof;
  }
  return { why: `a read value has no writer within the horizon, and ${whyNotReopened(evidence.log)}` };
}

/**
 * Proves, at the end of the stream, that a line read a value that no line wrote. Returns null if the reading
 * transaction need not have happened.
 */
async function proveUnwritten(
  { line, key, value }: UnwrittenRead,
  level: Violation['level'],
  evidence: AlarmEvidence,
): Promise<Proof | null> {
  const bytes = evidence.log.line(line);
  const lines = new Lines();
  lines.add(bytes, 0, bytes.length, line, 0);
  const read = readLines(lines, evidence);
  const history = { ...read, txnPosition: read.txnPosition.map(() => line) };
  const { keys, values, lists, opKind, opKey, opValue } = history;
  const isOf = (op: number): boolean =>
    printAtom(atomOf(keys, opKey[op])) === key &&
    (opKind[op] === OpKind.Read
      ? printAtom(atomOf(values, opValue[op])) === value
      : opKind[op] === OpKind.ListRead &&
        listElements(lists, opValue[op]).some((element) => printAtom(atomOf(values, element)) === value));
  const dropped = Uint8Array.from(opKind, (kind, op) => (isRead(kind) && !isOf(op) ? 1 : 0));
  const last = await smallest(masked(history, { dropped, pins: [] }), level);
  return last === null ? null : await told(last);
}

async function told({ history, result }: Pick<Proof, 'history' | 'result'>): Promise<Proof> {
  const text = await story(history, result, { whole: true, commandWords: null });
  const names = [...new Set(result.anomalies.map(({ name }) => name))];
  return {
    anomalies: text?.anomaly ? [text.anomaly.name] : names,
    sentence: text?.summary ?? names.join(', '),
    line: Math.max(...history.txnPosition),
    history,
    result,
  };
}

/** Reads the log lines of a small history and of the writers of its reads as a history. */
function excerptFor({ reads }: { readonly reads: History }, violation: Violation, evidence: AlarmEvidence): History {
  const wanted = new Set<string>();
  eachOperation(reads, (op, t) => isRead(reads.opKind[op]) && wanted.add(readAt(reads, op, t)));
  const statuses = statusesOf(reads, violation, evidence);
  return readExcerpt(statuses, wanted, evidence);
}

/**
 * Finds the smallest part of a history that violates a level, in full and reduced to its reads, and the verdict about
 * it; null if the history satisfies the level.
 */
async function smallest(history: History, level: Violation['level']) {
  const options = judging(level);
  const result = await check(history, options);
  if (result.verdict !== 'violated') return null;
  if (!holdsOfParts(level)) return { history, reads: history, result };
  const { history: part, reads } = await shrink(history, result, { signal: AbortSignal.timeout(MOST_SHRINKING) });
  return { history: part, reads, result: await check(part, options) };
}

/**
 * Returns the lines of a small history and of its sources, with the outcomes of their transactions: after a cut, the
 * lines that wrote the state, whose transactions happened; if values repeat, all candidate writers.
 */
function statusesOf(small: History, violation: Violation, evidence: AlarmEvidence): ReadonlyMap<number, number> {
  const { opKind, opKey, txnPosition, txnStatus } = small;
  const reads = Array.from(opKind.keys()).filter((op) => isRead(opKind[op]));
  const statuses = new Map(violation.repeats ? writing(small, reads, evidence) : []);
  for (const op of reads) for (const line of violation.writersOf(opKey[op])) statuses.set(line, TxnStatus.Committed);
  for (let t = 0; t < txnStatus.length; t++) statuses.set(txnPosition[t], txnStatus[t]);
  return statuses;
}

/** Finds all lines of the log that write values of some reads, with the outcomes of their transactions. */
function writing(small: History, reads: readonly number[], { log, ...evidence }: AlarmEvidence): [number, number][] {
  const found: [number, number][] = [];
  for (const chunk of log.chunks()) {
    const wanted = new Set<string>();
    const { history, lines } = readWithoutStrayOutcomes(chunk, evidence, ({ keys, values }) => {
      for (const op of reads) {
        const key = keys.atom(atomOf(small.keys, small.opKey[op]));
        for (const value of shownBy(small, op)) wanted.add(`${key} ${values.atom(atomOf(small.values, value))}`);
      }
    });
    eachOperation(history, (op, t) => {
      const isWrite = history.opKind[op] === OpKind.Write || history.opKind[op] === OpKind.Append;
      if (isWrite && wanted.has(`${history.opKey[op]} ${history.opValue[op]}`))
        found.push([lines.number[history.txnPosition[t] - 2], history.txnStatus[t]]);
    });
  }
  return found;
}

/** Returns the value that a read saw, or the elements of a list. */
function shownBy({ opKind, opValue, lists }: History, op: number): Iterable<number> {
  if (opKind[op] === OpKind.Read) return [opValue[op]];
  return opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST ? listElements(lists, opValue[op]) : [];
}

/**
 * Reads some lines of the log as a history, keeping only the listed reads whose value one of the lines wrote: a part of
 * a history violates a level only if the whole history does.
 */
function readExcerpt(
  statuses: ReadonlyMap<number, number>,
  reads: ReadonlySet<string>,
  evidence: AlarmEvidence,
): History {
  const numbers = [...statuses.keys()].toSorted((a, b) => a - b);
  const lines = new Lines();
  for (const number of numbers) {
    const line = evidence.log.line(number);
    lines.add(line, 0, line.length, number, 0);
  }
  const whole = readLines(lines, evidence);
  const txnPosition = whole.txnPosition.map((position) => numbers[position - 2]);
  const txnStatus = Uint8Array.from(txnPosition, (line) => statuses.get(line)!);
  // A transaction of unknown outcome that must have happened may have committed long after its client gave up.
  const txnEnd = whole.txnEnd?.map((end, t) => (whole.txnStatus[t] === TxnStatus.Unknown ? NO_TIME : end)) ?? null;
  const history = { ...whole, txnPosition, txnStatus, txnEnd };
  const open = new Set(openReads(history, buildReadFrom(history)));
  const dropped = new Uint8Array(history.opKind.length);
  eachOperation(history, (op, t) => {
    if (isRead(history.opKind[op]) && (open.has(op) || !reads.has(readAt(history, op, t)))) dropped[op] = 1;
  });
  return masked(history, { dropped, pins: [] });
}

/**
 * Identifies a read by its line, key and value. The earlier content of a list is not part of the identifier, because
 * list elements do not repeat.
 */
function readAt({ txnPosition, opKind, opKey, opValue, keys, values }: History, op: number, t: number): string {
  const value = opKind[op] === OpKind.ListRead ? '' : printAtom(atomOf(values, opValue[op]));
  return `${txnPosition[t]} ${printAtom(atomOf(keys, opKey[op]))} ${value}`;
}

function eachOperation({ txnStart }: History, visit: (op: number, t: number) => void): void {
  for (let t = 0; t + 1 < txnStart.length; t++) for (let op = txnStart[t]; op < txnStart[t + 1]; op++) visit(op, t);
}

/**
 * Reads a part of the stream as a history, without outcomes of transactions in an earlier part: those transactions stay
 * unknown, which only weakens a proof. A position in the history is the line's number plus 2.
 */
export function readWithoutStrayOutcomes(
  lines: Lines,
  evidence: Omit<AlarmEvidence, 'log'>,
  begin?: (builder: HistoryBuilder) => void,
): { readonly history: History; readonly lines: Lines } {
  const kept = withoutStrayOutcomes(lines);
  return { history: readLines(kept, evidence, begin), lines: kept };
}

function withoutStrayOutcomes(lines: Lines): Lines {
  const sessions = new Set<string>();
  const kept = new Lines();
  for (let i = 0; i < lines.count; i++) {
    const line = lines.line(i);
    if (!isOutcome(line, 0)) sessions.add(sessionIn(line));
    else if (!sessions.has(sessionIn(line))) continue;
    kept.add(line, 0, line.length, lines.number[i], 0);
  }
  return kept;
}

function readLines(
  lines: Lines,
  { name, newReader, header }: Omit<AlarmEvidence, 'log'>,
  begin: (builder: HistoryBuilder) => void = () => {},
): History {
  const reader = readerBehind(newReader, header, name);
  begin(reader.builder);
  reader.readLines(lines.bytes, 0, lines.size);
  reader.endFile();
  return toRegisters(returnedRows(reader.finish()).history).history;
}

/** In milliseconds. */
const MOST_SHRINKING = 5000;
