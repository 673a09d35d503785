import { type LevelName, type SatisfiedCertificate, type Verdict, implies } from '@isolab/contract';
import { type History, TxnStatus } from '@isolab/history';
import { type Proof, judgeUnwritten, prove } from './alarm.ts';
import { Contests } from './contests.ts';
import { certificateOf, cutOrder, placedIn } from './cut.ts';
import { decide } from './decide.ts';
import type { EngineOptions, Judged, SavedEngine } from './engine-options.ts';
import { BEGUN, BELIEVED, Lines } from '../stream/lines.ts';
import { settleInitialRows } from './initial-rows.ts';
import { LateOutcomes, mayHaveOutcomeYet } from './late-outcomes.ts';
import { FullChecks, isCheckedInFull } from './full-checks.ts';
import { Settled } from './settled.ts';
import { loadState, saveState } from './saved-state.ts';
import { type Snapshot, readSnapshot } from './snapshot.ts';
import { UnwrittenReads } from './unwritten.ts';
import { type View, type Viewing, unsureReads, viewOf } from './view.ts';
import { type Violation, whyNotReopened } from './violation.ts';

/** Judges lines at the strongest level of the chain that is not yet violated, and forgets settled lines. */
export class Engine {
  readonly lines = new Lines();
  settled = 0;
  believed = 0;
  late = 0;
  reopened = 0;
  /** Number of writers that arrived after their readers by more than the horizon. */
  lateWriters = 0;
  readonly unwritten = new UnwrittenReads();
  scans = 0; // only the returned rows of these scans were examined
  #settledScans = 0;
  openReads = 0;
  /** Arrival time of the transaction whose read has waited longest for its writer. */
  oldestOpen = Infinity;
  readonly #options: EngineOptions;
  levels: readonly LevelName[];
  #last = 0;
  #isWhole = true; // nothing was settled, so the state is the initial state
  #repeats: boolean;
  readonly #lateOutcomes = new LateOutcomes();
  /** Whether a late outcome contradicted the assumed outcome. */
  #isContradicted = false;
  readonly left = new Settled();
  readonly #contests = new Contests();
  /** The schedule of full checks, for a level that is judged by them. */
  readonly fullChecks: FullChecks | null;
  /**
   * Whether checking all lines again could reveal something that was missed, and the length of the log at which to do
   * so.
   */
  #isRecheckOwed = false;
  #recheckFrom = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.levels = options.levels;
    this.#repeats = options.values === 'repeated';
    const [level] = options.levels;
    this.fullChecks = level !== undefined && isCheckedInFull(level) ? new FullChecks(level) : null;
  }

  /** Returns the state from which the engine can continue, without the lines, which the log has. */
  async save(): Promise<SavedEngine> {
    const { settled, believed, late, reopened, lateWriters, lines } = this;
    return {
      last: this.#last,
      levels: this.levels,
      settled,
      believed,
      late,
      reopened,
      lateWriters,
      settledScans: this.#settledScans,
      unwritten: this.unwritten.all,
      recheckFrom: this.#recheckFrom,
      isRecheckOwed: this.#isRecheckOwed,
      premises: this.#contests.save(),
      isWhole: this.#isWhole,
      repeats: this.#repeats,
      lateOutcomes: this.#lateOutcomes.save(),
      isContradicted: this.#isContradicted,
      realTime: this.left.realTime.save(),
      numbers: Array.from(lines.number.subarray(0, lines.count)),
      flags: Array.from(lines.flags.subarray(0, lines.count)),
      state: await saveState(this.left),
    };
  }

  restore(saved: SavedEngine, now: number): void {
    const { levels, settled, believed, late, reopened, lateWriters, numbers, flags } = saved;
    Object.assign(this, { settled, believed, late, reopened, lateWriters });
    this.levels = levels;
    this.#last = saved.last;
    this.scans = this.#settledScans = saved.settledScans;
    this.#isWhole = saved.isWhole;
    this.#repeats = saved.repeats;
    this.#lateOutcomes.restore(saved.lateOutcomes);
    this.#isContradicted = saved.isContradicted;
    this.left.realTime.restore(saved.realTime);
    this.unwritten.restore(saved.unwritten);
    this.#recheckFrom = saved.recheckFrom;
    this.#isRecheckOwed = saved.isRecheckOwed;
    this.#contests.restore(saved.premises, now);
    for (const [i, number] of numbers.entries()) {
      const line = this.#options.log.line(number);
      this.lines.add(line, 0, line.length, number, now, flags[i]);
    }
    loadState(saved.state, this.#options.newReader, this.left);
  }

  add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    this.#last = number;
    this.#contests.add(bytes, from, to, number, now);
    if (this.levels.length === 0) return;
    const late = this.#lateOutcomes.take(bytes.subarray(from, to));
    if (late === null) {
      this.lines.add(bytes, from, to, number, now);
      return;
    }
    if (late.isContradiction) this.#isContradicted = true;
    else if (late.end !== null) this.#passEnd(late.end);
  }

  /** Checks whether a settled transaction turns out to have ended before another one began or committed. */
  #passEnd(end: bigint): void {
    const isSplit = this.levels.some((level) => implies(level, 'generalized-snapshot-isolation'));
    if (isSplit || this.left.realTime.hasBegunAfter(end)) this.#isContradicted = true;
  }

  /** Judges all received lines. At the end of the stream, reads no longer wait for their writers. */
  async judge(now: number, isEnd = false): Promise<Judged> {
    const alarms: { readonly level: LevelName; readonly proof: Proof }[] = [];
    const undecided: { readonly level: LevelName; readonly why: string }[] = [];
    const contests = this.#contests.judge(this.#options, (line, came) => this.#isPast(line, came, now));
    if (isEnd && (this.#isRecheckOwed || this.unwritten.size > 0)) this.#reopen(now);
    // If no line was forgotten, these reads are now judged like all others.
    if (isEnd && this.#isWhole) this.unwritten.clear();
    const isDue = (): boolean => isEnd || this.fullChecks === null || this.fullChecks.isDue(now, this.lines.count);
    while (this.levels.length > 0 && isDue()) {
      const found = await this.#judgeAt(this.levels[0]!, now, isEnd);
      if (found === null) break;
      if (found === AGAIN) continue;
      if ('why' in found) undecided.push({ level: this.levels[0]!, why: found.why });
      else alarms.push({ level: this.levels[0]!, proof: found });
      if ('history' in found && !this.#repeats && !isEnd)
        this.#contests.expect(this.levels[0]!, found.history, this.#last, now);
      this.levels = this.levels.slice(1);
    }
    if (this.levels.length === 0) this.lines.clear();
    return { alarms, undecided, contests };
  }

  async #judgeAt(
    level: LevelName,
    now: number,
    isEnd: boolean,
  ): Promise<Proof | { why: string } | typeof AGAIN | null> {
    const { newReader, header, name, mostReopened } = this.#options;
    if (this.#isContradicted) {
      this.#isContradicted = false;
      if (!this.#reopen(now)) this.late++;
    }
    const snapshot = readSnapshot(newReader, header, this.lines, this.left, name);
    this.left.see(snapshot.sessions);
    this.scans = this.#settledScans + (snapshot.scansOf?.reduce((sum, scans) => sum + scans, 0) ?? 0);
    if (this.#hasLateWriters(snapshot, now)) return AGAIN;
    if (isEnd && this.unwritten.size > 0 && !this.#isWhole)
      return judgeUnwritten(this.unwritten.all, level, this.#options);
    const { number, came } = this.lines;
    const isOld = (line: number): boolean => isEnd || this.#isPast(number[line], came[line], now);
    const view = this.#view(snapshot, { level, isOld, isEnd }, now);
    if (view === null) return AGAIN;
    if (this.fullChecks !== null && this.lines.count > mostReopened)
      return { why: `the level needs all lines of the stream, which are more than ${mostReopened}` };
    const without = isEnd ? null : unsureReads(level, this.#repeats);
    // Until something can be settled, only an alarm matters; an alarm ignores reads that a later writer may explain.
    const maySettle = this.fullChecks !== null || without !== 'young' || snapshot.lineOf.some(isOld);
    const verdict = maySettle ? await this.#decide(view.history, level, now) : null;
    if (verdict?.status === 'satisfied') {
      if (this.fullChecks !== null) return null;
      const order = certificateOf(verdict.certificate!, snapshot);
      if (this.#countLate(snapshot, level, placedIn(order, snapshot.lineOf.length)) > 0 && this.#recheck(now, isEnd))
        return AGAIN;
      this.#settle(snapshot, order, (t) => isOld(snapshot.lineOf[t]) && view.isOpen[t] === 0, isOld);
      return null;
    }
    // An unknown outcome may be known by the next full check.
    if (verdict?.status === 'unknown' && verdict.reason === 'unsupported' && this.fullChecks !== null && !isEnd)
      return null;
    if (verdict?.status === 'unknown') return { why: verdict.detail ?? verdict.reason };
    const waited = without ? this.#view(snapshot, { level, isOld, isEnd }, now, without)! : view;
    if ((without ? await this.#decide(waited.history, level, now) : verdict!).status !== 'violated') return null;
    const proof = await prove(this.#violation(level, waited.history, snapshot), this.#options);
    if (proof !== null) return proof;
    if (this.#reopen(now)) return AGAIN;
    return { why: `proving the violation needs forgotten transactions, and ${whyNotReopened(this.#options.log)}` };
  }

  #decide(history: History, level: LevelName, now: number): Verdict | Promise<Verdict> {
    const { timeMs } = this.#options;
    if (this.fullChecks === null) return decide(history, level, timeMs);
    return this.fullChecks.run(history, this.lines.count, now, timeMs);
  }

  #violation(level: LevelName, history: History, { lineOf, stateKey }: Snapshot): Violation {
    const numberOf = Float64Array.from(lineOf, (line) => this.lines.number[line]!);
    const writersOf = (key: number): readonly number[] => {
      const writer = this.left.state.writerOf(stateKey[key]);
      return Number.isNaN(writer) ? this.left.lists.linesOf(stateKey[key]) : [writer];
    };
    return { level, history, numberOf, writersOf, repeats: this.#repeats, isWhole: this.#isWhole };
  }

  /** Returns whether the horizon has passed a line that arrived at the given time. */
  #isPast(number: number, came: number, now: number): boolean {
    const { transactions, ms } = this.#options.horizon;
    return number + transactions <= this.#last || came + ms <= now;
  }

  /** Returns whether everything is examined again because a writer arrived later than the horizon. */
  #hasLateWriters({ history, lineOf }: Snapshot, now: number): boolean {
    const found = this.unwritten.find(history, (t) => this.lines.number[lineOf[t]]!);
    if (found === 0) return false;
    this.lateWriters += found;
    if (!this.#isWhole) {
      if (this.#recheck(now, false)) return true;
      if (!this.#isRecheckOwed) this.believed += this.unwritten.takeWritten().length;
      return false;
    }
    const readers = new Set(this.unwritten.takeWritten().map(({ line }) => line));
    for (let line = 0; line < this.lines.count; line++)
      if (readers.has(this.lines.number[line])) this.lines.flags[line] &= ~BELIEVED;
    return false;
  }

  /** Returns the view to check; null if everything has to be examined again first. */
  #view(
    snapshot: Snapshot,
    viewing: Pick<Viewing, 'level' | 'isOld' | 'isEnd'>,
    now: number,
    without: Viewing['without'] = null,
  ): View | null {
    const view = viewOf(snapshot, this.lines, { ...viewing, without, isWhole: this.#isWhole });
    this.believed += view.overdue;
    if (view.overdue > 0 && this.#recheck(now, viewing.isEnd)) return null;
    for (const { t, ...of } of view.unwritten) {
      const isOfOpen = snapshot.history.txnStatus[t] === TxnStatus.Unknown;
      const line = this.lines.number[snapshot.lineOf[t]];
      this.unwritten.add(snapshot.history, { line, ...of, after: this.#last, isOfOpen });
    }
    this.#repeats ||= view.repeats;
    this.openReads = view.open;
    this.oldestOpen = view.oldest;
    return view;
  }

  /** Counts the transactions that were ordered only now but must precede a settled transaction in real time. */
  #countLate({ history, lineOf }: Snapshot, level: LevelName, isPlaced: Uint8Array): number {
    if (this.#isWhole) return 0;
    const late = this.left.realTime.countLate(history, level, isPlaced, (t) => this.lines.flags[lineOf[t]]);
    this.late += late;
    return late;
  }

  /**
   * Checks everything again from the log if that is worth its cost: each time, the log must be twice as long as the
   * time before; at the end, the rest is examined.
   */
  #recheck(now: number, isEnd: boolean): boolean {
    const { log, mostReopened } = this.#options;
    if (isEnd || log.transactions >= this.#recheckFrom) return this.#reopen(now);
    this.#isRecheckOwed = log.isWhole && log.transactions <= mostReopened;
    return false;
  }

  /** The first line that is not settled; infinite if all lines are. */
  get firstKept(): number {
    return this.lines.count === 0 ? Infinity : this.lines.number[0];
  }

  /** Settled lines that may be needed for an alarm. */
  get evidence(): number[] {
    return [...this.unwritten.all.map(({ line }) => line), ...this.left.lines];
  }

  /** Loads everything again from the log; false if the log is too long. */
  #reopen(now: number): boolean {
    const { log, mostReopened } = this.#options;
    if (this.#isWhole || !log.isWhole || log.transactions > mostReopened) return false;
    this.reopened++;
    this.#recheckFrom = 2 * log.transactions;
    this.#isRecheckOwed = false;
    this.unwritten.clear();
    this.lines.clear();
    for (const { bytes, start, number, count } of log.chunks())
      for (let i = 0; i < count && number[i] <= this.#last; i++)
        this.lines.add(bytes, start[i], start[i + 1], number[i], now);
    this.left.clear();
    this.#lateOutcomes.clear();
    this.believed = 0;
    this.settled = 0;
    this.#settledScans = 0;
    this.#isWhole = true;
    this.late = 0;
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
    this.left.fold(snapshot, cut.settled, (t) => this.lines.number[lineOf[t]]);
    const kept = new Uint8Array(this.lines.count).fill(1);
    settleInitialRows(this.lines, kept, this.#options, this.left);
    const isPlaced = placedIn(certificate, lineOf.length);
    const isGone = new Uint8Array(lineOf.length);
    for (const t of cut.settled) isGone[t] = 1;
    for (let t = 0; t < lineOf.length; t++) {
      this.lines.flagPlaced(lineOf[t], isPlaced[t] === 1, snapshot.history.txnStatus[t] === TxnStatus.Unknown);
      if (isPlaced[t] === 0 && isOld(lineOf[t])) isGone[t] = 1;
      if (isGone[t] === 0) continue;
      this.#settledScans += scansOf?.[t] ?? 0;
      this.#isWhole = false;
      if (mayHaveOutcomeYet(snapshot.history, t))
        this.#lateOutcomes.expect(this.lines.line(lineOf[t]), isPlaced[t] === 1);
    }
    for (let line = 0; line < kept.length; line++) if (txnOf[line] >= 0 && isGone[txnOf[line]] === 1) kept[line] = 0;
    for (const t of cut.begun) {
      this.lines.flags[lineOf[t]] |= BEGUN;
      this.left.realTime.passBegin(snapshot.history, t);
    }
    if (cut.begun.length > 0) this.#isWhole = false;
    this.settled += cut.settled.length;
    this.lines.keep(kept);
  }
}

const AGAIN = 'again';
