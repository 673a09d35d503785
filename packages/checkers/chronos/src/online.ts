import { type History, OpKind, UNKNOWN_VALUE, transactionOf } from '@isolab/history';
import { KeyReads } from './key-reads.ts';
import { KeyVersions } from './key-versions.ts';
import type { Violations } from './violations.ts';

export interface AionOptions {
  /**
   * Whether a transaction sees the versions committed when it started, instead of those committed when it committed.
   */
  readonly isSnapshot: boolean;
  /** Time that a transaction may wait for transactions that it read from. */
  readonly timeoutMs: number;
  /** Number of transactions in memory that triggers garbage collection. */
  readonly mostInMemory: number;
}

/**
 * Algorithm 3 of the paper: transactions arrive in any order that respects their sessions. An unexplained external read
 * counts as wrong only once its transaction has expired. Until then a late transaction may reverse the verdict, which
 * is a flip-flop.
 */
export class Aion {
  /** Number of times that the verdict of a read flipped, by operation. */
  readonly flips: Uint8Array;
  /** Time from the transaction's arrival to the last flip of the verdict, by operation. */
  readonly rectifiedMs: Float64Array;
  /**
   * Number of late arrivals: a writer after the time-out of its reader, or a transaction older than collected versions.
   */
  late = 0;
  collections = 0;
  readonly #history: History;
  readonly #options: AionOptions;
  readonly #violations: Violations;
  readonly #start: Float64Array;
  readonly #commit: Float64Array;
  readonly #versions: KeyVersions[];
  readonly #reads: KeyReads[];
  readonly #isWrong: Uint8Array; // by operation: a read that is currently unexplained
  readonly #hasExpired: Uint8Array; // by transaction
  readonly #came: Float64Array; // by transaction
  readonly #latest: Int32Array; // by session: the transaction that arrived last
  readonly #toucher: Int32Array; // by key: the transaction that touched it last
  readonly #waiting: number[] = []; // unexpired transactions, in order of arrival
  #firstWaiting = 0;
  #inMemory = 0;
  #collectAt: number;
  #collectedTo = -Infinity;

  constructor(
    history: History,
    times: { readonly start: Float64Array; readonly commit: Float64Array },
    options: AionOptions,
    violations: Violations,
  ) {
    this.#history = history;
    this.#options = options;
    this.#violations = violations;
    this.#collectAt = options.mostInMemory;
    [this.#start, this.#commit] = [times.start, times.commit];
    const keys = history.keyInitial.length;
    const operations = history.opKind.length;
    this.#versions = Array.from({ length: keys }, () => new KeyVersions());
    this.#reads = Array.from({ length: keys }, () => new KeyReads());
    this.flips = new Uint8Array(operations);
    this.rectifiedMs = new Float64Array(operations);
    this.#isWrong = new Uint8Array(operations);
    this.#hasExpired = new Uint8Array(history.txnStatus.length);
    this.#came = new Float64Array(history.txnStatus.length);
    this.#latest = new Int32Array(history.sessionStart.length).fill(-1);
    this.#toucher = new Int32Array(keys).fill(-1);
  }

  receive(t: number, now: number): void {
    this.#expire(now);
    const { txnStart, opKind, opKey } = this.#history;
    const snapshot = this.#snapshotOf(t);
    this.#came[t] = now;
    if (snapshot < this.#collectedTo) this.late++;
    this.#checkSession(t, snapshot);
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const key = opKey[op];
      if (opKind[op] === OpKind.Read && this.#toucher[key] !== t) this.#checkRead(op, key, snapshot);
      this.#toucher[key] = t;
    }
    for (let op = txnStart[t + 1] - 1; op >= txnStart[t]; op--) {
      const key = opKey[op];
      if (opKind[op] !== OpKind.Write || this.#toucher[key] === ~t) continue;
      this.#toucher[key] = ~t; // other transactions see its last write of the key
      this.#addVersion(t, op, key, now);
    }
    this.#waiting.push(t);
    this.#inMemory++;
    if (this.#inMemory > this.#collectAt) this.#collect();
  }

  finish(): void {
    this.#expire(Infinity);
  }

  #snapshotOf(t: number): number {
    return this.#options.isSnapshot ? this.#start[t] : this.#commit[t];
  }

  #checkSession(t: number, snapshot: number): void {
    const session = this.#history.txnSession[t];
    const before = this.#latest[session];
    if (before >= 0 && (t < before || snapshot < this.#commit[before])) this.#violations.session(before, t);
    this.#latest[session] = t;
  }

  /** Step 1: compares an external read with the frontier of its snapshot. */
  #checkRead(op: number, key: number, snapshot: number): void {
    const value = this.#history.opValue[op];
    if (value === UNKNOWN_VALUE) return;
    const versions = this.#versions[key];
    const seen = versions.before(snapshot, this.#options.isSnapshot) - 1;
    this.#isWrong[op] = value === (seen < 0 ? this.#history.keyInitial[key] : versions.value[seen]) ? 0 : 1;
    this.#reads[key].insert(snapshot, op);
  }

  /** Steps 2 and 3: compares a write with concurrent writes, and with the reads that should see it. */
  #addVersion(t: number, op: number, key: number, now: number): void {
    const { isSnapshot } = this.#options;
    const versions = this.#versions[key];
    const start = this.#start[t];
    const commit = this.#commit[t];
    if (isSnapshot)
      for (let other = versions.before(start, true); other < versions.count; other++)
        if (versions.start[other] < commit) this.#violations.conflict(op, versions.op[other]);
    let at = versions.before(commit, false);
    while (at < versions.count && versions.commit[at] === commit && versions.op[at] < op) at++; // as in Chronos
    versions.insert(at, start, commit, this.#history.opValue[op], op);
    const next = at + 1 < versions.count ? versions.commit[at + 1] : Infinity;
    const reads = this.#reads[key];
    for (let i = reads.from(commit, isSnapshot); i < reads.count; i++) {
      if (isSnapshot ? reads.time[i] >= next : reads.time[i] > next) break;
      this.#judgeAgain(reads.op[i], this.#history.opValue[op], now);
    }
  }

  #judgeAgain(read: number, expected: number, now: number): void {
    const t = transactionOf(this.#history, read);
    const isWrong = this.#history.opValue[read] === expected ? 0 : 1;
    if (isWrong === this.#isWrong[read]) return;
    if (this.#hasExpired[t] === 1) {
      this.late++;
      return;
    }
    this.#isWrong[read] = isWrong;
    if (this.flips[read] < MOST_FLIPS) this.flips[read]++;
    this.rectifiedMs[read] = now - this.#came[t];
  }

  /** Expires transactions whose time is over: their wrong reads are final. */
  #expire(now: number): void {
    const { txnStart } = this.#history;
    const { timeoutMs } = this.#options;
    for (; this.#firstWaiting < this.#waiting.length; this.#firstWaiting++) {
      const t = this.#waiting[this.#firstWaiting];
      if (this.#came[t] + timeoutMs > now) return;
      this.#hasExpired[t] = 1;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (this.#isWrong[op] === 1) this.#violations.external(op);
    }
  }

  /** Forgets versions that no unexpired transaction can see, and reads of expired transactions. */
  #collect(): void {
    this.collections++;
    this.#waiting.splice(0, this.#firstWaiting);
    this.#firstWaiting = 0;
    let oldest = Infinity;
    for (const t of this.#waiting) oldest = Math.min(oldest, this.#snapshotOf(t), this.#start[t]);
    if (oldest === Infinity) return;
    this.#collectedTo = Math.max(this.#collectedTo, oldest);
    const hasTime = (op: number): boolean => this.#hasExpired[transactionOf(this.#history, op)] === 0;
    for (const [key, versions] of this.#versions.entries()) {
      versions.drop(versions.before(oldest, true) - 1);
      this.#reads[key].keep(oldest, hasTime);
    }
    this.#inMemory = this.#waiting.length;
    // While most transactions are unexpired, another immediate collection would free nothing.
    this.#collectAt = Math.max(this.#options.mostInMemory, 2 * this.#inMemory);
  }
}

const MOST_FLIPS = 255;
