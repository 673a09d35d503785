import type { Random } from '../workload/random.ts';
import type { Attempt, SimulatedEngine } from './engine.ts';
import type { Faults } from './faults.ts';
import type { ReplicaRules } from './levels.ts';
import { VersionStore } from './versions.ts';

interface ReplicaAttempt extends Attempt {
  readonly replica: number;
  /** Number of commits that its replica had applied when it began, per originating replica and in total. */
  readonly seen: readonly number[];
  readonly snapshot: number;
}

interface Message {
  readonly from: number;
  /** Position among the commits of its replica. */
  readonly number: number;
  readonly dependencies: readonly number[];
  /** Position in the total order of commits (Lamport clock, then replica). */
  readonly stamp: number;
  readonly keys: readonly number[];
  readonly values: readonly number[];
}

interface Replica {
  readonly store: VersionStore;
  readonly stamps: Map<number, number>; // per key, of its current version
  readonly applied: number[];
  readonly snapshots: Map<ReplicaAttempt, number>;
  commits: number;
  clock: number;
  arriving: { readonly due: number; readonly message: Message }[];
}

/**
 * A database with several copies that exchange commits. Of two versions of a key, the version with the later stamp
 * wins.
 */
export class ReplicaEngine implements SimulatedEngine<ReplicaAttempt> {
  readonly #rules: ReplicaRules;
  readonly #faults: Faults;
  readonly #random: Random;
  readonly #replicas: readonly Replica[];
  readonly #lastWriter = new Map<number, { readonly from: number; readonly number: number }>(); // by key
  #ticks = 0;

  constructor(rules: ReplicaRules, faults: Faults, sessions: number, random: Random) {
    this.#rules = rules;
    this.#faults = faults;
    this.#random = random;
    const count = Math.max(2, Math.min(MOST_REPLICAS, sessions));
    this.#replicas = Array.from({ length: count }, () => ({
      store: new VersionStore(),
      stamps: new Map(),
      applied: Array.from({ length: count }, () => 0),
      snapshots: new Map(),
      commits: 0,
      clock: 0,
      arriving: [],
    }));
  }

  begin(session: number): ReplicaAttempt {
    const moves = this.#faults['lost-session'] ?? 0;
    const offset = moves > 0 && this.#random.chance(moves) ? 1 + this.#random.below(this.#replicas.length - 1) : 0;
    const replica = (session + offset) % this.#replicas.length;
    const { applied, commits, snapshots } = this.#replicas[replica]!;
    const attempt = {
      session,
      writtenKeys: [],
      written: [],
      readKeys: [],
      replica,
      seen: [...applied],
      snapshot: commits,
    };
    snapshots.set(attempt, commits);
    return attempt;
  }

  read({ replica, snapshot }: ReplicaAttempt, key: number): number {
    return this.#replicas[replica]!.store.at(key, snapshot);
  }

  wrote(): void {}

  commit(attempt: ReplicaAttempt): boolean {
    const { replica, writtenKeys, written, seen } = attempt;
    const home = this.#replicas[replica]!;
    home.snapshots.delete(attempt);
    if (writtenKeys.length === 0) return true;
    if (this.#rules.firstCommitterWins) {
      for (const key of writtenKeys) {
        const writer = this.#lastWriter.get(key);
        if (writer && writer.number > seen[writer.from]!) return false;
      }
    }
    const number = home.applied[replica]! + 1;
    const message = {
      from: replica,
      number,
      dependencies: [...home.applied],
      stamp: ++home.clock * this.#replicas.length + replica,
      keys: writtenKeys,
      values: written as number[],
    };
    if (this.#rules.firstCommitterWins)
      for (const key of writtenKeys) this.#lastWriter.set(key, { from: replica, number });
    this.#apply(home, message);
    for (const other of this.#replicas) {
      if (other !== home) other.arriving.push({ due: this.#ticks + this.#way(), message });
    }
    return true;
  }

  abort(attempt: ReplicaAttempt): void {
    this.#replicas[attempt.replica]!.snapshots.delete(attempt);
  }

  tick(): void {
    this.#ticks++;
    const replica = this.#replicas[this.#ticks % this.#replicas.length]!;
    const place = replica.arriving.findIndex(
      ({ due, message }) => due <= this.#ticks && this.#mayApply(replica, message),
    );
    if (place < 0) return;
    const { message } = replica.arriving[place]!;
    replica.arriving.splice(place, 1);
    this.#apply(replica, message);
  }

  /** Returns the delay of a message: usually short, sometimes long. */
  #way(): number {
    return Math.floor(LONGEST_WAY * this.#random.fraction() ** 4);
  }

  #mayApply({ applied }: Replica, { from, number, dependencies }: Message): boolean {
    if (!this.#rules.causalDelivery) return true;
    if (applied[from] !== number - 1) return false;
    return dependencies.every((needed, r) => r === from || applied[r]! >= needed);
  }

  #apply(replica: Replica, { from, stamp, keys, values }: Message): void {
    replica.commits++;
    replica.applied[from]!++;
    replica.clock = Math.max(replica.clock, Math.floor(stamp / this.#replicas.length));
    const oldest = Math.min(replica.commits, ...replica.snapshots.values());
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      if ((replica.stamps.get(key) ?? -1) > stamp) continue;
      replica.stamps.set(key, stamp);
      replica.store.install(key, values[i]!, replica.commits, oldest);
    }
  }
}

const MOST_REPLICAS = 4;
const LONGEST_WAY = 60;
