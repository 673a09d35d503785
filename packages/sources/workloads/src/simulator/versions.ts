import { ABSENT } from './engine.ts';

/** Superseded versions of a key, each with the commit that installed it. */
interface Superseded {
  readonly commits: number[];
  readonly values: number[];
}

/**
 * The versions of every key, each with the commit that installed it. Old versions are discarded. The newest versions
 * are in typed arrays, because most of ten million keys have only one version.
 */
export class VersionStore {
  #commit = new Float64Array(1024); // by key: 0 where it has no version
  #value = new Float64Array(1024);
  readonly #superseded = new Map<number, Superseded>();

  /** Returns the content of a key after a commit. */
  at(key: number, commit: number): number {
    const newest = this.changedAt(key);
    if (newest <= commit) return newest === 0 ? ABSENT : this.#value[key]!;
    const old = this.#superseded.get(key);
    if (old === undefined) return ABSENT;
    let place = old.commits.length - 1;
    while (place >= 0 && old.commits[place]! > commit) place--;
    return place < 0 ? ABSENT : old.values[place]!;
  }

  newest(key: number): number {
    return this.changedAt(key) === 0 ? ABSENT : this.#value[key]!;
  }

  /** Returns the commit that installed the newest version; 0 if there is no version. */
  changedAt(key: number): number {
    return key < this.#commit.length ? this.#commit[key]! : 0;
  }

  /** Installs a version. Discards versions that were superseded before the commit `oldest`. */
  install(key: number, value: number, commit: number, oldest: number): void {
    if (key >= this.#commit.length) this.#grow(key);
    const before = this.#commit[key]!;
    if (before > 0) this.#supersede(key, before, this.#value[key]!, oldest);
    this.#commit[key] = commit;
    this.#value[key] = value;
  }

  #supersede(key: number, commit: number, value: number, oldest: number): void {
    let old = this.#superseded.get(key);
    if (old === undefined) this.#superseded.set(key, (old = { commits: [], values: [] }));
    const { commits, values } = old;
    if (commits.length >= 16 && commit <= oldest) {
      commits.length = values.length = 0;
    } else if (commits.length >= 64) {
      let forgotten = 0;
      while (forgotten + 1 < commits.length && commits[forgotten + 1]! <= oldest) forgotten++;
      commits.splice(0, forgotten);
      values.splice(0, forgotten);
    }
    commits.push(commit);
    values.push(value);
  }

  #grow(key: number): void {
    const length = Math.max(key + 1, 2 * this.#commit.length);
    const commit = new Float64Array(length);
    const value = new Float64Array(length);
    commit.set(this.#commit);
    value.set(this.#value);
    this.#commit = commit;
    this.#value = value;
  }
}
