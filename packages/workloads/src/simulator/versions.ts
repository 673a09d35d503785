import { ABSENT } from './engine.ts';

/** The versions of every key, each with the commit that installed it. Old ones are forgotten. */
export class VersionStore {
  readonly #commits: number[][] = [];
  readonly #values: number[][] = [];

  /** What a key held after a commit. */
  at(key: number, commit: number): number {
    const commits = this.#commits[key];
    if (commits === undefined) return ABSENT;
    let place = commits.length - 1;
    while (place >= 0 && commits[place]! > commit) place--;
    return place < 0 ? ABSENT : this.#values[key]![place]!;
  }

  newest(key: number): number {
    return this.#values[key]?.at(-1) ?? ABSENT;
  }

  /** The commit that installed the newest version; 0 if there is none. */
  changedAt(key: number): number {
    return this.#commits[key]?.at(-1) ?? 0;
  }

  /** Versions that were superseded before the commit `oldest` need not be kept. */
  install(key: number, value: number, commit: number, oldest: number): void {
    const commits = (this.#commits[key] ??= []);
    const values = (this.#values[key] ??= []);
    if (commits.length > 16 && commits[commits.length - 1]! <= oldest) {
      commits.splice(0, commits.length - 1);
      values.splice(0, values.length - 1);
    } else if (commits.length > 64) {
      let superseded = 0;
      while (superseded + 1 < commits.length && commits[superseded + 1]! <= oldest) superseded++;
      commits.splice(0, superseded);
      values.splice(0, superseded);
    }
    commits.push(commit);
    values.push(value);
  }
}
