import {
  type History,
  type HistoryBuilder,
  OpKind,
  atomOf,
  buildReadFrom,
  printAtom,
  toRegisters,
} from '@isolab/history';
import { type CheckResult, check, shrink, story } from 'isolab';
import type { Log, Violation } from './violation.ts';
import { Lines } from './lines.ts';
import { isRead, masked, openReads } from './mask.ts';
import type { NewReader } from './snapshot.ts';

/** A violation that lines of the log prove by themselves. */
export interface Proof {
  readonly anomalies: readonly string[];
  readonly sentence: string;
  /** The latest of its lines. */
  readonly line: number;
  readonly history: History;
  readonly result: CheckResult;
}

export interface Evidence {
  readonly name: string;
  readonly log: Log;
  readonly newReader: NewReader;
  readonly header: Uint8Array;
}

/**
 * Proves a violation by a few lines of the log: those that it takes, and those that wrote what they read. Whatever else
 * was recorded, an order of everything would be one of those, too. Null if they do not suffice.
 */
export async function prove(violation: Violation, evidence: Evidence): Promise<Proof | null> {
  const { history, numberOf, level, isWhole } = violation;
  const positioned = { ...history, txnPosition: numberOf };
  const first = await smallest(positioned, level);
  if (first === null) return null;
  const last = isWhole ? first : await smallest(excerptFor(first, violation, evidence), level);
  if (last === null) return null;
  const told = await story(last.history, last.result, { whole: true, commandWords: null });
  return {
    anomalies: told?.anomaly ? [told.anomaly.name] : [...new Set(last.result.anomalies.map(({ name }) => name))],
    sentence: told?.summary ?? last.result.anomalies.map(({ name }) => name).join(', '),
    line: Math.max(...last.history.txnPosition),
    history: last.history,
    result: last.result,
  };
}

/** The lines of the log that a small history is of, and those that wrote what it read. */
function excerptFor({ history }: { readonly history: History }, violation: Violation, evidence: Evidence): History {
  const reads = new Set<string>();
  eachOperation(history, (op, t) => isRead(history.opKind[op]) && reads.add(readAt(history, op, t)));
  const needed = new Set([...history.txnPosition, ...linesRead(history, violation, evidence)]);
  const numbers = [...needed].toSorted((one, other) => one - other);
  return readExcerpt(numbers, reads, evidence);
}

/** The smallest part of a history that violates a level, and the verdict about it; null if it does not. */
async function smallest(history: History, level: Violation['level']) {
  const options = { level, checker: 'weave', allowVacuous: true, allowCutOff: true };
  const result = await check(history, options);
  if (result.levels[level] !== 'violated') return null;
  const shrunk = await shrink(history, result, { signal: AbortSignal.timeout(MOST_SHRINKING) });
  return { ...shrunk, result: await check(shrunk.history, options) };
}

/** The lines that wrote what a small history read: in the state on top of which it is, or all of them where values repeat. */
function linesRead(small: History, { repeats, writersOf }: Violation, evidence: Evidence): number[] {
  const { opKind, opKey } = small;
  const reads = Array.from(opKind.keys()).filter((op) => isRead(opKind[op]));
  const ofState = reads.flatMap((op) => writersOf(opKey[op]));
  return repeats ? [...ofState, ...linesWriting(small, reads, evidence)] : ofState;
}

/** All lines of the log that write what some reads saw. */
function linesWriting(small: History, reads: readonly number[], { log, ...evidence }: Evidence): number[] {
  const found: number[] = [];
  for (const lines of log.chunks()) {
    const wanted = new Set<string>();
    const history = readLines(lines, evidence, ({ keys, values }) => {
      for (const op of reads) {
        if (small.opKind[op] !== OpKind.Read) continue; // elements of lists do not repeat
        const key = keys.atom(atomOf(small.keys, small.opKey[op]));
        wanted.add(`${key} ${values.atom(atomOf(small.values, small.opValue[op]))}`);
      }
    });
    eachOperation(history, (op, t) => {
      if (history.opKind[op] === OpKind.Write && wanted.has(`${history.opKey[op]} ${history.opValue[op]}`))
        found.push(lines.number[history.txnPosition[t] - 2]);
    });
  }
  return found;
}

/**
 * Some lines of the log as a history, of whose reads only those count that are named and that one of the lines wrote: less
 * of a history violates a level only if all of it does.
 */
function readExcerpt(numbers: readonly number[], reads: ReadonlySet<string>, evidence: Evidence): History {
  const lines = new Lines();
  for (const number of numbers) {
    const line = evidence.log.line(number);
    lines.add(line, 0, line.length, number, 0);
  }
  const whole = readLines(lines, evidence);
  const history = { ...whole, txnPosition: whole.txnPosition.map((position) => numbers[position - 2]) };
  const open = new Set(openReads(history, buildReadFrom(history)));
  const dropped = new Uint8Array(history.opKind.length);
  eachOperation(history, (op, t) => {
    if (isRead(history.opKind[op]) && (open.has(op) || !reads.has(readAt(history, op, t)))) dropped[op] = 1;
  });
  return masked(history, { dropped, pins: [] });
}

/** A read by its line, its key and its value. What a list held before is not told apart: its elements do not repeat. */
function readAt({ txnPosition, opKind, opKey, opValue, keys, values }: History, op: number, t: number): string {
  const value = opKind[op] === OpKind.ListRead ? '' : printAtom(atomOf(values, opValue[op]));
  return `${txnPosition[t]} ${printAtom(atomOf(keys, opKey[op]))} ${value}`;
}

function eachOperation({ txnStart }: History, visit: (op: number, t: number) => void): void {
  for (let t = 0; t + 1 < txnStart.length; t++) for (let op = txnStart[t]; op < txnStart[t + 1]; op++) visit(op, t);
}

/** Lines as a history of reads and writes. */
function readLines(
  lines: Lines,
  { name, newReader, header }: Omit<Evidence, 'log'>,
  begin: (builder: HistoryBuilder) => void = () => {},
): History {
  const reader = newReader();
  reader.beginFile({ name, share: () => 0 });
  reader.readLines(header, 0, header.length);
  begin(reader.builder);
  reader.readLines(lines.bytes, 0, lines.size);
  reader.endFile();
  return toRegisters(reader.finish()).history;
}

/** In milliseconds. */
const MOST_SHRINKING = 5000;
