import type { Edge } from '@isolab/contract';
import { type History, NO_TIME, TimeBounds, type TransactionId } from '@isolab/history';
import type { Database } from '../state/database.ts';
import type { Outcomes } from '../state/outcomes.ts';
import { Timeline } from '../state/timeline.ts';
import { NOTHING, Rule, type Wait } from './rule.ts';

/** Events follow one another in real time (docs/levels.md). An event waits only for the earliest unplaced event. */
export class RealTime extends Rule {
  readonly holdsUp = 'both';
  readonly #bounds: TimeBounds;
  readonly #outcomes: Outcomes | null;
  readonly #commits: Timeline;
  readonly #begins: Timeline | null;

  constructor(history: History, database: Database, outcomes: Outcomes | null) {
    super(database);
    const { model, position, shift, versions } = database;
    const bounds = new TimeBounds(history);
    this.#bounds = bounds;
    this.#outcomes = outcomes;
    const members = Int32Array.from(versions.happened.keys()).filter((t) => versions.happened[t] === 1);
    const commits = members.filter((t) => bounds.hasReturned(t as TransactionId)).map((t) => (t << shift) | shift);
    this.#commits = new Timeline(commits, (event) => bounds.latestCommit((event >> shift) as TransactionId), position);
    const begins = members.filter((t) => bounds.latestBegin(t as TransactionId) !== NO_TIME).map((t) => t << shift);
    this.#begins = model.split
      ? new Timeline(begins, (event) => bounds.latestBegin((event >> shift) as TransactionId), position)
      : null;
  }

  blocker(event: number, t: TransactionId): number {
    const { split, time } = this.database.model;
    if (split && event & 1) {
      const begun = this.#outcomes === null ? -1 : this.#outcomes.begunBefore(t, this.#isBegun);
      if (begun >= 0) return 2 * begun;
      const commit = this.#bounds.earliestCommit(t);
      if (commit === NO_TIME) return NOTHING;
      const earlier = this.#begins!.firstBefore(commit, event);
      return earlier >= 0 ? earlier : this.#commits.firstBefore(commit, event);
    }
    if (time === 'commits') return NOTHING;
    const begin = this.#bounds.earliestBegin(t);
    return begin === NO_TIME ? NOTHING : this.#commits.firstBefore(begin, event);
  }

  readonly #isBegun = (t: number): boolean => this.database.isBegun(t);

  takeBack(event: number): void {
    this.#commits.remove(event);
    this.#begins?.remove(event);
  }

  edges(_wait: Wait, from: number, to: number): readonly Edge[] {
    return [{ from, to, reason: { kind: 'real-time' } }];
  }
}
