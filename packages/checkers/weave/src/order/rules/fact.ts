import type { Edge } from '@isolab/contract';
import type { Known } from '../../facts/known.ts';
import type { Database } from '../state/database.ts';
import { NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/** A fact found by saturation holds from the start. `data` is the number of the fact. */
export class Fact extends Rule {
  readonly holdsUp = 'decider';
  readonly #known: Known;

  constructor(database: Database, known: Known) {
    super(database);
    this.#known = known;
  }

  blocker(_event: number, t: number): number {
    const { factStart, factFrom } = this.#known;
    const { position, shift } = this.database;
    for (let fact = factStart[t], end = factStart[t + 1]; fact < end; fact++) {
      const commit = (factFrom[fact] << shift) | shift;
      if (position[commit] >= 0) continue;
      this.data = fact;
      return commit;
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    const { factStart, factFrom } = this.#known;
    for (let fact = factStart[t]; fact < factStart[t + 1]; fact++)
      visit(this.database.commitOf(factFrom[fact]), fact, -1);
  }

  edges({ data }: Wait, _from: number, to: number, _order: Edge | null, tell: EdgeTeller): readonly Edge[] {
    return [tell.fact(this.#known, data, to)];
  }
}
