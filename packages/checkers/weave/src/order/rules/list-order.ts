import type { Edge } from '@isolab/contract';
import type { ListOrder as Lists } from '../../problem/list-order.ts';
import type { Database } from '../state/database.ts';
import { NOTHING, Rule, type Visit, type Wait } from './rule.ts';

/** Appends follow one another in the order that a list shows. `data` is a read of that list. */
export class ListOrder extends Rule {
  readonly holdsUp = 'decider';
  readonly #lists: Lists;

  constructor(database: Database, lists: Lists) {
    super(database);
    this.#lists = lists;
  }

  blocker(_event: number, t: number): number {
    const { start, from, read } = this.#lists;
    for (let i = start[t], end = start[t + 1]; i < end; i++) {
      if (this.database.isCommitted(from[i])) continue;
      this.data = read[i];
      return this.database.commitOf(from[i]);
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    const { start, from, read } = this.#lists;
    for (let i = start[t]; i < start[t + 1]; i++) visit(this.database.commitOf(from[i]), read[i], -1);
  }

  edges({ data }: Wait, from: number, to: number): readonly Edge[] {
    return [{ from, to, reason: { kind: 'version', read: data } }];
  }
}
