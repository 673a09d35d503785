import type { Edge } from '@isolab/contract';
import type { Database } from '../state/database.ts';
import type { Outcomes } from '../state/outcomes.ts';
import { NOTHING, Rule, type Wait } from './rule.ts';

/**
 * A transaction comes after its predecessor in the session, and a commit after its begin. The replay follows the
 * chains by `progress`, so this rule only examines optional transactions in between.
 */
export class Session extends Rule {
  readonly holdsUp = 'begin';
  readonly #outcomes: Outcomes | null;

  constructor(database: Database, outcomes: Outcomes | null) {
    super(database);
    this.#outcomes = outcomes;
  }

  blocker(_event: number, t: number): number {
    const other = this.#outcomes === null ? -1 : this.#outcomes.earlierThan(t, this.#isCommitted);
    return other < 0 ? NOTHING : this.database.commitOf(other);
  }

  readonly #isCommitted = (t: number): boolean => this.database.isCommitted(t);

  edges(_wait: Wait, from: number, to: number): readonly Edge[] {
    return from === to ? [] : [{ from, to, reason: { kind: 'session' } }];
  }
}
