import type { Random } from '../workload/random.ts';
import { type Attempt, type SimulatedEngine, type Extend, type Timestamps, ownWrite } from './engine.ts';
import type { Faults } from './faults.ts';
import type { SnapshotRules } from './levels.ts';
import { Pivots } from './pivots.ts';
import { VersionStore } from './versions.ts';

interface SnapshotAttempt extends Attempt {
  /** Last commit in the snapshot. */
  readonly snapshot: number;
  readonly faults: {
    readonly readsDirty: boolean;
    readonly readsNewest: boolean;
    readonly leaksWrites: boolean;
    readonly splitsWrites: boolean;
  };
}

/** Writes that become visible later than the rest of their commit. */
interface Late {
  readonly due: number;
  readonly key: number;
  readonly value: number | readonly number[];
}

/** A database with one copy of the data and a sequence of commits. */
export class SnapshotEngine implements SimulatedEngine<SnapshotAttempt> {
  readonly #store = new VersionStore();
  readonly #rules: SnapshotRules;
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #extend: Extend;
  readonly #seen: number[]; // by session: the last commit that it has seen or made
  readonly #active = new Set<SnapshotAttempt>();
  #late: Late[] = [];
  #now = 0; // number of commits
  #ticks = 0;

  readonly #pivots: Pivots | null;

  constructor(rules: SnapshotRules, faults: Faults, sessions: number, random: Random, extend: Extend) {
    this.#rules = rules;
    this.#pivots = rules.abortsPivots ? new Pivots() : null;
    this.#faults = faults;
    this.#random = random;
    this.#extend = extend;
    this.#seen = Array.from({ length: sessions }, () => 0);
  }

  begin(session: number): SnapshotAttempt {
    const attempt = {
      session,
      writtenKeys: [],
      written: [],
      readKeys: [],
      snapshot: this.#snapshotFor(session),
      faults: {
        readsDirty: this.#strikes('dirty-read'),
        readsNewest: this.#strikes('non-repeatable-read'),
        leaksWrites: this.#strikes('intermediate-write'),
        splitsWrites: this.#strikes('fractured-write'),
      },
    };
    this.#active.add(attempt);
    return attempt;
  }

  read(attempt: SnapshotAttempt, key: number): number {
    if (attempt.faults.readsDirty) {
      const value = this.#uncommitted(attempt, key);
      if (value !== null) return value;
    }
    attempt.readKeys.push(key);
    if (!this.#rules.repeatable || attempt.faults.readsNewest) return this.#store.newest(key);
    return this.#store.at(key, attempt.snapshot);
  }

  newest(key: number): number {
    return this.#store.newest(key);
  }

  wrote(attempt: SnapshotAttempt, key: number): void {
    const value = attempt.faults.leaksWrites ? attempt.written[ownWrite(attempt, key)]! : null;
    if (typeof value === 'number') this.#install(key, value, ++this.#now);
  }

  commit(attempt: SnapshotAttempt): boolean {
    const { session, writtenKeys, readKeys, snapshot } = attempt;
    this.#active.delete(attempt);
    const isValid = (keys: readonly number[]): boolean => keys.every((key) => this.#store.changedAt(key) <= snapshot);
    const forgetsWriters = this.#strikes('lost-update');
    const forgetsReads = this.#strikes('write-skew') || attempt.faults.readsNewest || attempt.faults.readsDirty;
    if (writtenKeys.length > 0 && !attempt.faults.leaksWrites) {
      if (this.#rules.firstCommitterWins && !forgetsWriters && !isValid(writtenKeys)) return false;
      if (this.#rules.validatesReads && !forgetsReads && !isValid(readKeys)) return false;
    }
    const candidate = { snapshot, now: this.#now, reads: readKeys, writes: writtenKeys };
    if (this.#pivots?.admits(candidate, Math.min(snapshot, this.#oldestSnapshot())) === false) return false;
    this.#seen[session] = Math.max(this.#seen[session]!, snapshot);
    if (writtenKeys.length === 0) return true;
    this.#installAll(attempt);
    this.#seen[session] = this.#now;
    return true;
  }

  /** Commits have even timestamps, and snapshots lie between them. */
  stated({ snapshot, writtenKeys }: SnapshotAttempt): Timestamps {
    const start = 2 * snapshot + 1;
    return { start, commit: writtenKeys.length === 0 ? start : 2 * this.#now };
  }

  abort(attempt: SnapshotAttempt): void {
    this.#active.delete(attempt);
    if (this.#strikes('aborted-write')) this.#installAll(attempt);
  }

  tick(): void {
    this.#ticks++;
    if (this.#late.length === 0 || this.#late[0]!.due > this.#ticks) return;
    const { key, value } = this.#late.shift()!;
    this.#install(key, value, ++this.#now);
  }

  #strikes(fault: keyof Faults): boolean {
    const probability = this.#faults[fault];
    return probability !== undefined && this.#random.chance(probability);
  }

  #snapshotFor(session: number): number {
    const seen = this.#seen[session]!;
    const { maxLag } = this.#rules;
    if (this.#strikes('stale-snapshot')) return Math.max(0, seen - 1 - this.#random.below(4));
    if (this.#strikes('stale-read')) return Math.max(seen, this.#now - 1 - this.#random.below(4));
    // Most snapshots are current; a few lag behind.
    if (maxLag === 0 || this.#random.chance(0.5)) return this.#now;
    return Math.max(seen, this.#now - this.#random.below(maxLag + 1));
  }

  /** Returns the uncommitted write of another transaction to a key. */
  #uncommitted(attempt: SnapshotAttempt, key: number): number | null {
    for (const other of this.#active) {
      const place = other === attempt ? -1 : ownWrite(other, key);
      if (place < 0) continue;
      const value = other.written[place]!;
      return typeof value === 'number' ? value : this.#extend(key, this.#store.newest(key), value);
    }
    return null;
  }

  #installAll({ writtenKeys, written, faults, snapshot }: SnapshotAttempt): void {
    const loses = this.#strikes('lost-increment');
    const commit = ++this.#now;
    const late = faults.splitsWrites ? Math.floor(writtenKeys.length / 2) : 0;
    for (let i = 0; i < writtenKeys.length - late; i++)
      this.#install(writtenKeys[i]!, written[i]!, commit, loses ? snapshot : commit);
    const due = this.#ticks + 40;
    for (let i = writtenKeys.length - late; i < writtenKeys.length; i++)
      this.#late.push({ due, key: writtenKeys[i]!, value: written[i]! });
  }

  #install(key: number, value: number | readonly number[], commit: number, base = commit): void {
    const version = typeof value === 'number' ? value : this.#extend(key, this.#store.at(key, base), value);
    this.#store.install(key, version, commit, this.#oldestSnapshot());
  }

  #oldestSnapshot(): number {
    let oldest = this.#now - Math.max(this.#rules.maxLag, 8);
    for (const { snapshot } of this.#active) if (snapshot < oldest) oldest = snapshot;
    if (this.#faults['stale-snapshot'] !== undefined)
      for (const seen of this.#seen) oldest = Math.min(oldest, seen - 8);
    return oldest;
  }
}
