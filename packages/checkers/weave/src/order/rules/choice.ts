import type { Edge } from '@isolab/contract';
import type { Choices } from '../state/choices.ts';
import type { Database } from '../state/database.ts';
import type { Outcomes } from '../state/outcomes.ts';
import { NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/** Two writers come in the order that was chosen, or that follows from clauses. `data` is the variable. */
export class Choice extends Rule {
  readonly holdsUp = 'decider';
  readonly #choices: Choices;
  readonly #outcomes: Outcomes | null;

  constructor(database: Database, choices: Choices, outcomes: Outcomes | null) {
    super(database);
    this.#choices = choices;
    this.#outcomes = outcomes;
  }

  blocker(_event: number, t: number): number {
    if (this.#choices.isNamed[t] === 0) return NOTHING;
    for (const variable of this.#choices.variablesOf(t)) {
      const first = this.#firstOf(variable, t);
      if (first === t || this.#outcomes?.isIn(first) === false || this.database.isCommitted(first)) continue;
      this.data = variable;
      return this.database.commitOf(first);
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    if (this.#choices.isNamed[t] === 0) return;
    for (const variable of this.#choices.variablesOf(t)) {
      const first = this.#firstOf(variable, t);
      if (first !== t) visit(this.database.commitOf(first), variable, -1);
    }
  }

  /** Returns the transaction of a pair that currently comes first; `t` itself while nothing is chosen. */
  #firstOf(variable: number, t: number): number {
    const literal = this.#choices.trueLiteral(variable);
    return literal < 0 ? t : this.#choices.firstOf(literal);
  }

  override stillWaits(): boolean {
    return false;
  }

  override restsOnOrder(): boolean {
    return true;
  }

  override order({ data }: Wait): number {
    return this.#choices.trueLiteral(data);
  }

  edges(_wait: Wait, _from: number, _to: number, order: Edge | null, _tell: EdgeTeller): readonly Edge[] {
    return [order!];
  }
}
