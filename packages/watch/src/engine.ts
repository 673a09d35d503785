import { type LevelName, type SatisfiedCertificate, implies } from '@isolab/contract';
import { type History, Interner, NO_TIME, OpKind, TxnStatus } from '@isolab/history';
import { type Proof, prove } from './alarm.ts';
import { certificateOf, cutOrder, placedIn } from './cut.ts';
import { decide } from './decide.ts';
import { KeyStates } from './key-states.ts';
import { BEGUN, Lines, OPEN_WHEN_PLACED, PLACED } from './lines.ts';
import { LateOutcomes, type SavedOutcomes, mayHaveOutcomeYet } from './late-outcomes.ts';
import { ListStates } from './list-states.ts';
import { type SavedState, loadState, saveState } from './saved-state.ts';
import { type NewReader, type Snapshot, readSnapshot } from './snapshot.ts';
import { type View, viewOf } from './view.ts';
import type { Judged } from './judged.ts';
import type { Log, Violation } from './violation.ts';

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

export interface SavedEngine {
  readonly levels: readonly LevelName[];
  readonly settled: number;
  readonly believed: number;
  readonly late: number;
  readonly reopened: number;
  readonly settledScans: number;
  readonly isWhole: boolean;
  readonly repeats: boolean;
  readonly lateOutcomes: SavedOutcomes;
  readonly isContradicted: boolean;
  readonly latestBegin: string;
  readonly latestEnd: string;
  /** Of each line that is kept in memory. */
  readonly numbers: readonly number[];
  readonly flags: readonly number[];
  readonly state: SavedState;
}

/** Judges lines at the strongest of its levels that still stands, and forgets what is settled. */
export class Engine {
  readonly state = new KeyStates();
  readonly lists = new ListStates();
  /** All that were ever seen. */
  readonly sessions = new Interner();
  readonly lines = new Lines();
  settled = 0;
  believed = 0;
  late = 0;
  reopened = 0;
  /** Scans of tables, of which only the rows that they returned were looked at. */
  scans = 0;
  #settledScans = 0;
  openReads = 0;
  /** When the transaction came whose read has waited longest for its writer. */
  oldestOpen = Infinity;
  readonly #options: EngineOptions;
  #levels: readonly LevelName[];
  #last = 0; // number of the latest line
  #isWhole = true; // nothing was settled, so that the state is that at the beginning
  #repeats: boolean;
  readonly #lateOutcomes = new LateOutcomes();
  /** An outcome came late that says otherwise than was taken for granted. */
  #isContradicted = false;
  #latestEnd: bigint = NO_TIME;
  #latestBegin: bigint = NO_TIME;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#levels = options.levels;
    this.#repeats = options.values === 'repeated';
  }

  /** All that is needed to go on from here, lines apart, which the log has. */
  async save(): Promise<SavedEngine> {
    const { settled, believed, late, reopened, lines } = this;
    return {
      levels: this.#levels,
      settled,
      believed,
      late,
      reopened,
      settledScans: this.#settledScans,
      isWhole: this.#isWhole,
      repeats: this.#repeats,
      lateOutcomes: this.#lateOutcomes.save(),
      isContradicted: this.#isContradicted,
      latestBegin: String(this.#latestBegin),
      latestEnd: String(this.#latestEnd),
      numbers: Array.from(lines.number.subarray(0, lines.count)),
      flags: Array.from(lines.flags.subarray(0, lines.count)),
      state: await saveState(this.state, this.lists),
    };
  }

  restore(saved: SavedEngine, now: number): void {
    const { levels, settled, believed, late, reopened, numbers, flags } = saved;
    Object.assign(this, { settled, believed, late, reopened });
    this.#levels = levels;
    this.scans = this.#settledScans = saved.settledScans;
    this.#isWhole = saved.isWhole;
    this.#repeats = saved.repeats;
    this.#lateOutcomes.restore(saved.lateOutcomes);
    this.#isContradicted = saved.isContradicted;
    this.#latestBegin = BigInt(saved.latestBegin);
    this.#latestEnd = BigInt(saved.latestEnd);
    for (const [i, number] of numbers.entries()) {
      const line = this.#options.log.line(number);
      this.lines.add(line, 0, line.length, number, now, flags[i]);
      this.#last = number;
    }
    loadState(saved.state, this.#options.newReader, this.state, this.lists);
  }

  add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    if (this.#levels.length === 0) return;
    this.#last = number;
    const late = this.#lateOutcomes.take(bytes.subarray(from, to));
    if (late === null) {
      this.lines.add(bytes, from, to, number, now);
      return;
    }
    if (late.isContradiction) this.#isContradicted = true;
    else if (late.end !== null) this.#passEnd(late.end);
  }

  /** A settled transaction turns out to have ended before another began, or to have committed after it. */
  #passEnd(end: bigint): void {
    const isSplit = this.#levels.some((level) => implies(level, 'generalized-snapshot-isolation'));
    if (isSplit || end < this.#latestBegin) this.#isContradicted = true;
    if (end > this.#latestEnd) this.#latestEnd = end;
  }

  /** Judges all that came. At the end nothing is waited for. */
  async judge(now: number, isEnd = false): Promise<Judged> {
    const alarms: { readonly level: LevelName; readonly proof: Proof }[] = [];
    const undecided: { readonly level: LevelName; readonly why: string }[] = [];
    while (this.#levels.length > 0) {
      const found = await this.#judgeAt(this.#levels[0]!, now, isEnd);
      if (found === null) break;
      if (found === AGAIN) continue;
      if ('why' in found) undecided.push({ level: this.#levels[0]!, why: found.why });
      else alarms.push({ level: this.#levels[0]!, proof: found });
      this.#levels = this.#levels.slice(1);
    }
    if (this.#levels.length === 0) this.lines.clear();
    return { alarms, undecided };
  }

  async #judgeAt(
    level: LevelName,
    now: number,
    isEnd: boolean,
  ): Promise<Proof | { readonly why: string } | typeof AGAIN | null> {
    const { newReader, header, name, timeMs } = this.#options;
    if (this.#isContradicted) {
      this.#isContradicted = false;
      if (!this.#reopen(now)) this.late++;
    }
    const snapshot = readSnapshot(newReader, header, this.lines, this.state, this.lists, name);
    for (let session = 0; session < snapshot.sessions.size; session++) snapshot.sessions.copyTo(session, this.sessions);
    this.scans = this.#settledScans + (snapshot.scansOf?.reduce((sum, scans) => sum + scans, 0) ?? 0);
    const isOld = this.#age(now, isEnd);
    const view = this.#view(snapshot, level, isOld, now);
    if (view === null) return AGAIN;
    const verdict = decide(view.history, level, timeMs);
    if (verdict.status === 'satisfied') {
      const order = certificateOf(verdict.certificate!, snapshot);
      if (this.#countLate(snapshot, level, placedIn(order, snapshot.lineOf.length)) > 0 && this.#reopen(now))
        return AGAIN;
      this.#settle(snapshot, order, (t) => isOld(snapshot.lineOf[t]) && view.isOpen[t] === 0, isOld);
      return null;
    }
    if (verdict.status === 'unknown') return { why: verdict.detail ?? verdict.reason };
    // What was written once more may come later, and explain a read: only those count that have waited long enough.
    const mayWait = this.#repeats && !isEnd;
    const waited = mayWait ? this.#view(snapshot, level, isOld, now, true)! : view;
    const certain = mayWait ? decide(waited.history, level, timeMs) : verdict;
    if (certain.status !== 'violated') return null;
    const proof = await prove(this.#violation(level, waited.history, snapshot), this.#options);
    if (proof !== null) return proof;
    if (this.#reopen(now)) return AGAIN;
    return { why: 'what was forgotten is needed to prove a violation, and the log is too long to be read again' };
  }

  #violation(level: LevelName, history: History, { lineOf, stateKey }: Snapshot): Violation {
    const numberOf = Float64Array.from(lineOf, (line) => this.lines.number[line]!);
    const writersOf = (key: number): readonly number[] => {
      const writer = this.state.writerOf(stateKey[key]);
      return Number.isNaN(writer) ? this.lists.linesOf(stateKey[key]) : [writer];
    };
    return { level, history, numberOf, writersOf, repeats: this.#repeats, isWhole: this.#isWhole };
  }

  /** Whether a line came before the horizon. */
  #age(now: number, isEnd: boolean): (line: number) => boolean {
    const { transactions, ms } = this.#options.horizon;
    const { number, came } = this.lines;
    const last = this.#last;
    return (line) => isEnd || number[line]! + transactions <= last || came[line]! + ms <= now;
  }

  /** What is to be checked; null if everything has to be looked at again first. */
  #view(
    snapshot: Snapshot,
    level: LevelName,
    isOld: (line: number) => boolean,
    now: number,
    onlyOldReads = false,
  ): View | null {
    const view = viewOf(snapshot, this.lines, { level, isOld, onlyOldReads, isWhole: this.#isWhole });
    this.believed += view.overdue;
    if (view.overdue > 0 && this.#reopen(now)) return null;
    this.#repeats ||= view.repeats;
    this.openReads = view.open;
    this.oldestOpen = view.oldest;
    return view;
  }

  /** Counts those that found their place only now, and must come before one that is settled, in real time. */
  #countLate({ history, lineOf }: Snapshot, level: LevelName, isPlaced: Uint8Array): number {
    const isSplit = implies(level, 'generalized-snapshot-isolation');
    if (this.#isWhole || !(isSplit || level === 'strict-serializable' || level === 'linearizable')) return 0;
    const { txnBegin, txnEnd, txnStatus } = history;
    let late = 0;
    for (let t = 0; t < lineOf.length; t++) {
      if (isPlaced[t] === 0) continue;
      const flags = this.lines.flags[lineOf[t]]!;
      const isNew = (flags & PLACED) === 0;
      const isAnswered = (flags & OPEN_WHEN_PLACED) !== 0 && txnStatus[t] !== TxnStatus.Unknown;
      if (!isNew && !isAnswered) continue;
      const end = txnEnd?.[t] ?? NO_TIME;
      const begin = txnBegin?.[t] ?? NO_TIME;
      const first = begin === NO_TIME ? end : begin;
      const hadEnded = end !== NO_TIME && end < this.#latestBegin;
      const hadBegun = isNew && isSplit && first !== NO_TIME && first < this.#latestEnd;
      if (hadEnded || hadBegun) late++;
    }
    this.late += late;
    return late;
  }

  /** Takes everything up again from the log; false if there is too much of it. */
  #reopen(now: number): boolean {
    const { log, mostReopened } = this.#options;
    if (this.#isWhole || log.transactions > mostReopened) return false;
    this.reopened++;
    this.lines.clear();
    for (const { bytes, start, number, count } of log.chunks())
      for (let i = 0; i < count && number[i] <= this.#last; i++)
        this.lines.add(bytes, start[i], start[i + 1], number[i], now);
    this.state.clear();
    this.lists.clear();
    this.#lateOutcomes.clear();
    this.believed = 0;
    this.settled = 0;
    this.#settledScans = 0;
    this.#isWhole = true;
    this.late = 0;
    this.#latestBegin = this.#latestEnd = NO_TIME;
    return true;
  }

  #settle(
    snapshot: Snapshot,
    certificate: SatisfiedCertificate,
    maySettle: (t: number) => boolean,
    isOld: (line: number) => boolean,
  ): void {
    const { lineOf, txnOf, scansOf } = snapshot;
    const cut = cutOrder(certificate, maySettle);
    this.#fold(snapshot, cut.settled);
    const kept = new Uint8Array(this.lines.count).fill(1);
    const isPlaced = placedIn(certificate, lineOf.length);
    const isGone = new Uint8Array(lineOf.length);
    for (const t of cut.settled) isGone[t] = 1;
    for (let t = 0; t < lineOf.length; t++) {
      if (isPlaced[t] === 1) this.#flagPlaced(snapshot, t);
      else if (isOld(lineOf[t])) isGone[t] = 1;
      if (isGone[t] === 0) continue;
      this.#settledScans += scansOf?.[t] ?? 0;
      this.#isWhole = false;
      if (mayHaveOutcomeYet(snapshot.history, t))
        this.#lateOutcomes.expect(this.lines.line(lineOf[t]), isPlaced[t] === 1);
    }
    for (let line = 0; line < kept.length; line++) if (txnOf[line] >= 0 && isGone[txnOf[line]] === 1) kept[line] = 0;
    for (const t of cut.begun) {
      this.lines.flags[lineOf[t]] |= BEGUN;
      this.#passBegin(snapshot.history, t);
    }
    if (cut.begun.length > 0) this.#isWhole = false;
    this.settled += cut.settled.length;
    this.lines.keep(kept);
  }

  #flagPlaced({ history, lineOf }: Snapshot, t: number): void {
    const { flags } = this.lines;
    const line = lineOf[t]!;
    flags[line] |= PLACED;
    if (history.txnStatus[t] === TxnStatus.Unknown) flags[line] |= OPEN_WHEN_PLACED;
    else flags[line] &= ~OPEN_WHEN_PLACED;
  }

  /** The state after transactions that follow one another. */
  #fold({ history, stateKey, values, lineOf }: Snapshot, settled: readonly number[]): void {
    const { txnStart, opKind, opKey, opValue, txnEnd } = history;
    const isSet = new Uint8Array(stateKey.length);
    for (const t of settled)
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++)
        if (opKind[op] === OpKind.Append)
          this.lists.append(stateKey[opKey[op]], values, opValue[op], this.lines.number[lineOf[t]]);
    for (let i = settled.length - 1; i >= 0; i--) {
      const t = settled[i]!;
      const line = this.lines.number[lineOf[t]];
      for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
        if (opKind[op] !== OpKind.Write || isSet[opKey[op]] === 1) continue;
        isSet[opKey[op]] = 1;
        this.state.set(stateKey[opKey[op]], values, opValue[op], line);
      }
      this.#passBegin(history, t);
      if (txnEnd !== null && txnEnd[t]! > this.#latestEnd) this.#latestEnd = txnEnd[t]!;
    }
  }

  #passBegin({ txnBegin }: History, t: number): void {
    if (txnBegin !== null && txnBegin[t] > this.#latestBegin) this.#latestBegin = txnBegin[t];
  }
}

const AGAIN = 'again';
