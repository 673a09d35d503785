import { type LevelName, type SatisfiedCertificate, implies } from '@isolab/contract';
import { type ReadFromIndex, type History, NO_TIME, OpKind, ReadFrom, TxnStatus, buildReadFrom } from '@isolab/history';
import { type Proof, prove } from './alarm.ts';
import { cutOrder } from './cut.ts';
import { decide } from './decide.ts';
import { KeyStates } from './key-states.ts';
import { Lines } from './lines.ts';
import { type Mask, masked, openReads } from './mask.ts';
import { type NewReader, type Snapshot, readSnapshot } from './snapshot.ts';

/** What was ever recorded, for when what is kept in memory does not suffice. */
export interface Log {
  readonly transactions: number;
  /** All lines in the order in which they came, some at a time. */
  chunks(): Iterable<Lines>;
  /** The line with this number, with its line feed. */
  line(number: number): Uint8Array;
}

export interface EngineOptions {
  readonly name: string;
  /** Levels of which each implies the next. */
  readonly levels: readonly LevelName[];
  readonly header: Uint8Array;
  readonly newReader: NewReader;
  readonly log: Log;
  readonly horizon: Horizon;
  /** A log with more transactions than this is not checked again from the beginning. */
  readonly mostReopened: number;
  readonly timeMs: number;
  /** Whether a value may be written to a key more than once; `auto`: as soon as one was. */
  readonly values: 'auto' | 'repeated';
}

/** What comes is earlier than nothing that came so many transactions, or so long, before it. */
export interface Horizon {
  readonly transactions: number;
  readonly ms: number;
}

/** Why what was recorded violates a level. */
export interface Violation {
  readonly level: LevelName;
  /** What the verdict is about, on top of a state, and the line of the stream of each of its transactions. */
  readonly history: History;
  readonly numberOf: Float64Array;
  /** The line that wrote the value with which a key begins; NaN where nothing did. */
  readonly writerOf: (key: number) => number;
  /** Whether values repeat, so that others may have written what was read. */
  readonly repeats: boolean;
  /** Whether nothing came before, so that the state is the initial one. */
  readonly isWhole: boolean;
}

/** What is known after some lines. */
export interface Judged {
  readonly alarms: readonly { readonly level: LevelName; readonly proof: Proof }[];
  /** The strongest level that stands; null once none does. */
  readonly stands: LevelName | null;
  /** Levels of which nobody knows any more whether they hold. */
  readonly undecided: readonly LevelName[];
}

const BEGUN = 1;
const BELIEVED = 2;

/** Judges lines at the strongest of its levels that still stands, and forgets what is settled. */
export class Engine {
  readonly state = new KeyStates();
  readonly lines = new Lines();
  settled = 0;
  believed = 0;
  late = 0;
  reopened = 0;
  openReads = 0;
  /** When the transaction came whose read has waited longest for its writer. */
  oldestOpen = Infinity;
  readonly #options: EngineOptions;
  #levels: readonly LevelName[];
  #last = 0; // number of the latest line
  #fresh = 0; // index of the first line that was not judged
  #isWhole = true; // nothing was settled, so that the state is that at the beginning
  #repeats: boolean;
  #latestEnd: bigint = NO_TIME;
  #latestBegin: bigint = NO_TIME;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#levels = options.levels;
    this.#repeats = options.values === 'repeated';
  }

  add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    if (this.#levels.length === 0) return;
    this.lines.add(bytes, from, to, number, now);
    this.#last = number;
  }

  /** Judges all that came. At the end nothing is waited for. */
  async judge(now: number, isEnd = false): Promise<Judged> {
    const alarms: { readonly level: LevelName; readonly proof: Proof }[] = [];
    const undecided: LevelName[] = [];
    while (this.#levels.length > 0) {
      const found = await this.#judgeAt(this.#levels[0]!, now, isEnd);
      if (found === null) break;
      if (found === AGAIN) continue;
      if (found === UNDECIDED) undecided.push(this.#levels[0]!);
      else alarms.push({ level: this.#levels[0]!, proof: found });
      this.#levels = this.#levels.slice(1);
    }
    if (this.#levels.length === 0) this.lines.clear();
    this.#fresh = this.lines.count;
    return { alarms, stands: this.#levels[0] ?? null, undecided };
  }

  async #judgeAt(
    level: LevelName,
    now: number,
    isEnd: boolean,
  ): Promise<Proof | typeof AGAIN | typeof UNDECIDED | null> {
    const { newReader, header, name, timeMs } = this.#options;
    const snapshot = readSnapshot(newReader, header, this.lines, this.state, name);
    if (this.#hasLate(snapshot, level)) {
      this.late++;
      if (this.#reopen()) return AGAIN;
    }
    const isOld = this.#age(now, isEnd);
    const view = this.#view(snapshot, level, isOld);
    if (view === null) return AGAIN;
    const verdict = decide(view.history, level, timeMs);
    if (verdict.status === 'satisfied') {
      this.#settle(
        snapshot,
        level,
        verdict.certificate!,
        (t) => isOld(snapshot.lineOf[t]) && view.isOpen[t] === 0,
        isOld,
      );
      return null;
    }
    if (verdict.status === 'unknown') return UNDECIDED;
    // What was written once more may come later, and explain a read: only those count that have waited long enough.
    const mayWait = this.#repeats && !isEnd;
    const waited = mayWait ? this.#view(snapshot, level, isOld, true)! : view;
    const certain = mayWait ? decide(waited.history, level, timeMs) : verdict;
    if (certain.status !== 'violated') return null;
    const proof = await prove(this.#violation(level, waited.history, snapshot), this.#options);
    if (proof !== null) return proof;
    if (this.#reopen()) return AGAIN;
    return UNDECIDED;
  }

  #violation(level: LevelName, history: History, { lineOf, stateKey }: Snapshot): Violation {
    const numberOf = Float64Array.from(lineOf, (line) => this.lines.number[line]!);
    const writerOf = (key: number): number => this.state.writerOf(stateKey[key]);
    return { level, history, numberOf, writerOf, repeats: this.#repeats, isWhole: this.#isWhole };
  }

  /** Whether a line came before the horizon. */
  #age(now: number, isEnd: boolean): (line: number) => boolean {
    const { transactions, ms } = this.#options.horizon;
    const { number, came } = this.lines;
    const last = this.#last;
    return (line) => isEnd || number[line]! + transactions <= last || came[line]! + ms <= now;
  }

  /** What is to be checked; null if everything has to be looked at again first. */
  #view(snapshot: Snapshot, level: LevelName, isOld: (line: number) => boolean, onlyOldReads = false): View | null {
    const { history, lineOf } = snapshot;
    const index = buildReadFrom(history);
    const isOpen = new Uint8Array(lineOf.length);
    const dropped = new Uint8Array(history.opKind.length);
    let drops = 0;
    const drop = (op: number): void => {
      dropped[op] = 1;
      drops++;
    };
    const pins = this.#viewBegun(snapshot, index, level, drop);
    const { flags, came } = this.lines;
    let open = 0;
    let oldest = Infinity;
    let t = 0;
    let overdue = false;
    for (const op of openReads(history, index)) {
      while (history.txnStart[t + 1] <= op) t++;
      if (history.txnStatus[t] === TxnStatus.Aborted) continue;
      const line = lineOf[t];
      if (dropped[op] === 1) continue;
      if (flags[line]! & BELIEVED) drop(op);
      else if (!isOld(line)) {
        drop(op);
        isOpen[t] = 1;
        open++;
        oldest = Math.min(oldest, came[line]!);
      } else if (!this.#isWhole) {
        overdue = true;
        flags[line]! |= BELIEVED;
        this.believed++;
        drop(op);
      }
    }
    if (overdue && this.#reopen()) return null;
    this.#repeats ||= index.repeatedWrites > 0 || writesInitial(history);
    if (onlyOldReads)
      for (let u = 0; u < lineOf.length; u++)
        if (!isOld(lineOf[u]))
          for (let op = history.txnStart[u]; op < history.txnStart[u + 1]; op++)
            if (history.opKind[op] === OpKind.Read && dropped[op] === 0) drop(op);
    this.openReads = open;
    this.oldestOpen = oldest;
    const mask: Mask | null = drops > 0 || pins.length > 0 ? { dropped, pins } : null;
    return { history: masked(history, mask), isOpen };
  }

  /** Transactions that began before the cut saw the state of then: what of it has changed since was looked at before. */
  #viewBegun(
    { history, lineOf }: Snapshot,
    { readFrom }: ReadFromIndex,
    level: LevelName,
    drop: (op: number) => void,
  ): number[] {
    const pins: number[] = [];
    const { txnStart, opKind, opKey } = history;
    for (let t = 0; t < lineOf.length; t++) {
      if ((this.lines.flags[lineOf[t]]! & BEGUN) === 0) continue;
      const read = new Set<number>();
      const written = new Set<number>();
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (opKind[op] === OpKind.Write) written.add(opKey[op]);
        else if (!written.has(opKey[op])) {
          if (readFrom[op] === ReadFrom.Initial || readFrom[op] === ReadFrom.Ambiguous) read.add(opKey[op]);
          else drop(op);
        }
      }
      if (level === 'prefix') continue;
      for (const key of written) if (!read.has(key)) pins.push(t, key);
    }
    return pins;
  }

  /** Whether a new transaction must come before one that is settled, in real time. */
  #hasLate({ history, lineOf }: Snapshot, level: LevelName): boolean {
    if (
      this.#isWhole ||
      (!implies(level, 'generalized-snapshot-isolation') && level !== 'strict-serializable' && level !== 'linearizable')
    )
      return false;
    const isSplit = implies(level, 'generalized-snapshot-isolation');
    const { txnBegin, txnEnd, txnStatus } = history;
    const times = isSplit ? txnBegin : txnEnd;
    if (times === null) return false;
    const latest = isSplit ? this.#latestEnd : this.#latestBegin;
    for (let t = 0; t < lineOf.length; t++) {
      if (lineOf[t] < this.#fresh || txnStatus[t] === TxnStatus.Aborted || times[t] === NO_TIME) continue;
      if (times[t]! < latest) return true;
    }
    return false;
  }

  /** Takes everything up again from the log; false if there is too much of it. */
  #reopen(): boolean {
    const { log, mostReopened } = this.#options;
    if (this.#isWhole || log.transactions > mostReopened) return false;
    this.reopened++;
    this.lines.clear();
    for (const { bytes, start, number, came, count } of log.chunks())
      for (let i = 0; i < count; i++) this.lines.add(bytes, start[i], start[i + 1], number[i], came[i]);
    this.state.clear();
    this.believed = 0;
    this.settled = 0;
    this.#isWhole = true;
    this.#fresh = 0;
    this.#latestBegin = this.#latestEnd = NO_TIME;
    return true;
  }

  #settle(
    snapshot: Snapshot,
    level: LevelName,
    certificate: SatisfiedCertificate,
    maySettle: (t: number) => boolean,
    isOld: (line: number) => boolean,
  ): void {
    const { history, lineOf } = snapshot;
    const byArrival = (): number[] => Array.from(lineOf.keys()).toSorted((a, b) => lineOf[a] - lineOf[b]);
    const cut = cutOrder(
      certificate.kind === 'inspection'
        ? { kind: 'commit-order', order: byArrival().filter((t) => history.txnStatus[t] === TxnStatus.Committed) }
        : certificate,
      maySettle,
    );
    void level;
    this.#fold(snapshot, cut.settled);
    const kept = new Uint8Array(this.lines.count).fill(1);
    const isPlaced = new Uint8Array(lineOf.length);
    for (const t of certificate.kind === 'event-order'
      ? certificate.events
      : certificate.kind === 'commit-order'
        ? certificate.order
        : [])
      isPlaced[certificate.kind === 'event-order' ? t >> 1 : t] = 1;
    for (const t of cut.settled) kept[lineOf[t]] = 0;
    for (let t = 0; t < lineOf.length; t++)
      if (isPlaced[t] === 0 && history.txnStatus[t] !== TxnStatus.Committed && isOld(lineOf[t])) {
        kept[lineOf[t]] = 0;
        this.#isWhole = false;
      }
    for (const t of cut.begun) this.lines.flags[lineOf[t]]! |= BEGUN;
    if (cut.settled.length > 0 || cut.begun.length > 0) this.#isWhole = false;
    this.settled += cut.settled.length;
    this.lines.keep(kept);
  }

  /** The state after transactions that follow one another. */
  #fold({ history, stateKey, values, lineOf }: Snapshot, settled: readonly number[]): void {
    const { txnStart, opKind, opKey, opValue, txnBegin, txnEnd } = history;
    const isSet = new Uint8Array(stateKey.length);
    for (let i = settled.length - 1; i >= 0; i--) {
      const t = settled[i]!;
      for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
        if (opKind[op] !== OpKind.Write || isSet[opKey[op]] === 1) continue;
        isSet[opKey[op]] = 1;
        this.state.set(stateKey[opKey[op]], values, opValue[op], this.lines.number[lineOf[t]]);
      }
      if (txnBegin !== null && txnBegin[t]! > this.#latestBegin) this.#latestBegin = txnBegin[t]!;
      if (txnEnd !== null && txnEnd[t]! > this.#latestEnd) this.#latestEnd = txnEnd[t]!;
    }
  }
}

/** Whether a key's initial value is written to it. */
function writesInitial({ opKind, opKey, opValue, keyInitial }: History): boolean {
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.Write && opValue[op] === keyInitial[opKey[op]]) return true;
  return false;
}

interface View {
  readonly history: History;
  /** 1 for every transaction that has read what nobody has written yet. */
  readonly isOpen: Uint8Array;
}

const AGAIN = 'again';
const UNDECIDED = 'undecided';
