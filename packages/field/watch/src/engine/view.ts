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

/** Part of the unsettled transactions that is to be checked. */
export interface View {
  readonly history: History;
  /** 1 for every transaction that has read a value that no transaction has written yet. */
  readonly isOpen: Uint8Array;
  /** Number of such reads, and the arrival of the first. */
  readonly open: number;
  readonly oldest: number;
  /** Number of reads that have waited long enough, and are believed from now on: they saw forgotten values. */
  readonly overdue: number;
  /** Reads that have waited long enough although nothing was forgotten, by transaction, key and value. */
  readonly unwritten: readonly { readonly t: number; readonly key: number; readonly value: number }[];
  /** Whether a value was written once more. */
  readonly repeats: boolean;
}

export interface Viewing {
  readonly level: LevelName;
  /** Whether a line came before the horizon. */
  readonly isOld: (line: number) => boolean;
  /** Leaves out reads of lines after the horizon: all, or those of open outcome; null for none. */
  readonly without: 'young' | 'open' | null;
  /** Whether nothing was forgotten, so an unwritten value was never there. */
  readonly isWhole: boolean;
  /** Whether nothing comes any more, so an unwritten value never will be there. */
  readonly isEnd: boolean;
}

/**
 * Reads that prove nothing yet. Where values repeat, a second write of a value may come later and explain a read. Where
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
  const believed = new Set<number>(); // lines, from now on
  let t = 0;
  for (const op of [...openReads(history, index), ...snapshot.otherLists].toSorted((a, b) => a - b)) {
    while (history.txnStart[t + 1] <= op) t++;
    const line = lineOf[t];
    if (history.txnStatus[t] === TxnStatus.Aborted || dropped[op] === 1) continue;
    const hasWaited = isOld(line);
    if (hasWaited && isWhole && isEnd) continue; // it is wrong
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
 * Transactions that began before the cut saw the state of then. Later changes of it were examined before; their own
 * writes were not, where writers exclude each other, and may not change before they commit.
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
    const written = new Map<number, boolean>(); // keys, and whether they are lists
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

/** Returns whether a key's initial value is written to it. */
function writesInitial({ opKind, opKey, opValue, keyInitial }: History): boolean {
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.Write && opValue[op] === keyInitial[opKey[op]]) return true;
  return false;
}

const isOfState = (readFrom: number): boolean => readFrom === ReadFrom.Initial || readFrom === ReadFrom.Ambiguous;
