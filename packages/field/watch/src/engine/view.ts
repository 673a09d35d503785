import { type LevelName, definitionOf, implies } from '@isolab/contract';
import {
  EMPTY_LIST,
  type History,
  OpKind,
  ReadFrom,
  type ReadFromIndex,
  TxnStatus,
  buildReadFrom,
} from '@isolab/history';
import { BEGUN, BELIEVED, type Lines } from '../stream/lines.ts';
import { type Pin, isRead, masked, missingIn, openReads } from './mask.ts';
import type { Snapshot } from './snapshot.ts';

/** The part of the unsettled transactions that is checked next. */
export interface View {
  readonly history: History;
  /** 1 for every transaction that has read a value that no transaction has written yet. */
  readonly isOpen: Uint8Array;
  /** Number of such reads, and the arrival time of the first. */
  readonly open: number;
  readonly oldest: number;
  /** Number of reads that have waited long enough and are trusted from now on: they saw forgotten values. */
  readonly overdue: number;
  /** Reads that have waited long enough although nothing was forgotten, by transaction, key and value. */
  readonly unwritten: readonly { readonly t: number; readonly key: number; readonly value: number }[];
  /** Whether a value was written more than once. */
  readonly repeats: boolean;
}

export interface Viewing {
  readonly level: LevelName;
  /** Returns whether a line arrived before the horizon. */
  readonly isOld: (line: number) => boolean;
  /**
   * The reads after the horizon to leave out: all reads, or reads by transactions of unknown outcome; null for none.
   */
  readonly without: 'young' | 'open' | null;
  /** Whether nothing was forgotten, so that an unwritten value never existed. */
  readonly isWhole: boolean;
  /** Whether the stream has ended, so that an unwritten value will never be written. */
  readonly isEnd: boolean;
}

/**
 * Returns the kind of reads that prove nothing yet. If values repeat, a later write of the value may explain a read. If
 * reads of aborted writes are allowed, a read from a transaction does not show that it happened.
 */
export function unsureReads(level: LevelName, repeats: boolean): Viewing['without'] {
  if (repeats) return 'young';
  return definitionOf(level)?.allows.includes('aborted-reads') ? 'open' : null;
}

export function viewOf(snapshot: Snapshot, { flags, came }: Lines, viewing: Viewing): View {
  const { history, lineOf } = snapshot;
  const { level, isOld, without, isWhole, isEnd } = viewing;
  const index = buildReadFrom(history);
  const dropped = new Uint8Array(history.opKind.length);
  const pins = viewBegun(snapshot, index, flags, level, dropped);
  const isOpen = new Uint8Array(lineOf.length);
  let open = 0;
  let oldest = Infinity;
  let overdue = 0;
  const unwritten: { t: number; key: number; value: number }[] = [];
  const believed = new Set<number>();
  let t = 0;
  for (const op of [...openReads(history, index), ...snapshot.otherLists].toSorted((a, b) => a - b)) {
    while (history.txnStart[t + 1] <= op) t++;
    const line = lineOf[t];
    if (history.txnStatus[t] === TxnStatus.Aborted || dropped[op] === 1) continue;
    const hasWaited = isOld(line);
    if (hasWaited && isWhole && isEnd) continue;
    dropped[op] = 1;
    if (flags[line] & BELIEVED) continue;
    if (hasWaited) {
      believed.add(line);
      if (!isWhole) overdue++;
      else for (const value of missingIn(history, index, op)) unwritten.push({ t, key: history.opKey[op], value });
    } else {
      isOpen[t] = 1;
      open++;
      oldest = Math.min(oldest, came[line]);
    }
  }
  for (const line of believed) flags[line] |= BELIEVED;
  const isOpenOutcome = (u: number): boolean => history.txnStatus[u] === TxnStatus.Unknown;
  if (without !== null)
    dropReads(history, (u) => !isOld(lineOf[u]) && (without === 'young' || isOpenOutcome(u)), dropped);
  const isMasked = pins.length > 0 || dropped.includes(1);
  const repeats = index.repeatedWrites > 0 || writesInitial(history);
  return {
    history: isMasked ? masked(history, { dropped, pins }, level === 'linearizable') : history,
    isOpen,
    open,
    oldest,
    overdue,
    unwritten,
    repeats,
  };
}

/**
 * Transactions that began before the cut saw the state at their beginning. Later changes of that state were checked
 * before. Their own writes were not checked; if writers exclude each other, these keys must not change before the
 * transactions commit.
 */
function viewBegun(
  { history, lineOf, otherLists }: Snapshot,
  { readFrom }: ReadFromIndex,
  flags: Uint8Array,
  level: LevelName,
  dropped: Uint8Array,
): Pin[] {
  const pins: Pin[] = [];
  const { txnStart, opKind, opKey, opValue } = history;
  for (let t = 0; t < lineOf.length; t++) {
    if ((flags[lineOf[t]] & BEGUN) === 0) continue;
    const read = new Set<number>();
    const written = new Map<number, boolean>();
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const kind = opKind[op];
      const key = opKey[op];
      if (kind === OpKind.Write || kind === OpKind.Append) written.set(key, kind === OpKind.Append);
      else if (kind === OpKind.ListRead ? opValue[op] === EMPTY_LIST && !otherLists.has(op) : isOfState(readFrom[op]))
        read.add(key);
      else if (kind === OpKind.ListRead || !written.has(key)) dropped[op] = 1;
    }
    if (!implies(level, 'adya-snapshot-isolation')) continue;
    for (const [key, isList] of written) if (!read.has(key)) pins.push({ t, key, isList });
  }
  return pins;
}

function dropReads({ txnStart, opKind }: History, isOf: (t: number) => boolean, dropped: Uint8Array): void {
  for (let t = 0; t + 1 < txnStart.length; t++) {
    if (!isOf(t)) continue;
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (isRead(opKind[op])) dropped[op] = 1;
  }
}

/** Returns whether a transaction writes a key's initial value to it. */
function writesInitial({ opKind, opKey, opValue, keyInitial }: History): boolean {
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.Write && opValue[op] === keyInitial[opKey[op]]) return true;
  return false;
}

const isOfState = (readFrom: number): boolean => readFrom === ReadFrom.Initial || readFrom === ReadFrom.Ambiguous;
