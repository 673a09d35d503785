import type { Edge } from '@isolab/contract';
import { type History, NO_TIME } from '@isolab/history';
import { commitsAfter, returned } from '../../view/times.ts';
import type { Database } from '../database.ts';
import type { Outcomes } from '../outcomes.ts';
import { Timeline } from '../timeline.ts';
import { NOTHING, Rule, type Wait } from './rule.ts';

/** Events follow one another in real time (docs/levels.md). The earliest event that is not placed stands for all. */
export class RealTime extends Rule {
  readonly holdsUp = 'both';
  readonly #history: History;
  readonly #outcomes: Outcomes | null;
  readonly #commits: Timeline;
  readonly #begins: Timeline | null;

  constructor(history: History, database: Database, outcomes: Outcomes | null) {
    super(database);
    const { model, position, shift, versions } = database;
    const { txnBegin, txnEnd } = history;
    this.#history = history;
    this.#outcomes = outcomes;
    const members = Int32Array.from(versions.happened.keys()).filter((t) => versions.happened[t] === 1);
    const commits = members.filter((t) => returned(history, t)).map((t) => (t << shift) | shift);
    this.#commits = new Timeline(commits, (event) => txnEnd![event >> shift], position);
    const begins = members.filter((t) => txnBegin !== null && txnBegin[t] !== NO_TIME).map((t) => t << shift);
    this.#begins = model.split ? new Timeline(begins, (event) => txnBegin![event >> shift], position) : null;
  }

  blocker(event: number, t: number): number {
    const { split, time } = this.database.model;
    if (split && event & 1) {
      const called = this.#outcomes === null ? -1 : this.#outcomes.calledBefore(t, this.#isBegun);
      if (called >= 0) return 2 * called;
      const commit = commitsAfter(this.#history, t);
      if (commit === NO_TIME) return NOTHING;
      const earlier = this.#begins!.firstBefore(commit, event);
      return earlier >= 0 ? earlier : this.#commits.firstBefore(commit, event);
    }
    if (time === 'commits') return NOTHING;
    const { txnBegin } = this.#history;
    const begin = txnBegin === null ? NO_TIME : txnBegin[t];
    return begin === NO_TIME ? NOTHING : this.#commits.firstBefore(begin, event);
  }

  readonly #isBegun = (t: number): boolean => this.database.isBegun(t);

  /** Notes that an event is not placed any more. */
  takeBack(event: number): void {
    this.#commits.remove(event);
    this.#begins?.remove(event);
  }

  edges(_wait: Wait, from: number, to: number): readonly Edge[] {
    return [{ from, to, reason: { kind: 'real-time' } }];
  }
}
