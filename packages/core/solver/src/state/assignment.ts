/** The true literals in order, divided into decision levels, which may be mixed after chronological backtracking. */
import { grown } from '@isolab/graph';
import type { Literal } from './literals.ts';

/** Reasons for the value of a variable: none (a decision, assumption or fact), a clause, or a cycle. */
export const NO_REASON = 0;
// A positive reason is the reference of a clause; a negative reason is ~e for an edge e that would close a cycle.

export class Assignment {
  numVariables = 0;
  values: Int8Array = new Int8Array(0); // by literal: 1 true, −1 false, 0 open
  level: Int32Array = new Int32Array(0); // by variable, if assigned
  reason: Int32Array = new Int32Array(0); // by variable, if assigned
  trail: Int32Array = new Int32Array(0); // the true literals
  size = 0; // length of the trail
  head = 0; // length of the part of the trail that the clauses have processed
  levelStart: Int32Array = new Int32Array(16); // start of level i + 1 on the trail
  decisionLevel = 0;

  addVariable(): number {
    const variable = this.numVariables++;
    this.values = grown(this.values, 2 * this.numVariables);
    this.level = grown(this.level, this.numVariables);
    this.reason = grown(this.reason, this.numVariables);
    this.trail = grown(this.trail, this.numVariables);
    return variable;
  }

  newLevel(): void {
    this.levelStart = grown(this.levelStart, this.decisionLevel + 1);
    this.levelStart[this.decisionLevel++] = this.size;
  }

  /** Makes an open literal true, on a lower level than the current one if it follows from that level. */
  assign(literal: Literal, reason: number, level: number = this.decisionLevel): void {
    const variable = literal >> 1;
    this.values[literal] = 1;
    this.values[literal ^ 1] = -1;
    this.level[variable] = level;
    this.reason[variable] = reason;
    this.trail[this.size++] = literal;
  }

  /**
   * Unassigns literals of higher levels and calls `release` for them. Lower literals after them stay, to be propagated
   * again.
   */
  backtrack(level: number, release: (literal: Literal) => void): void {
    const { values, trail } = this;
    const start = this.levelStart[level];
    let kept = start;
    for (let at = start; at < this.size; at++) {
      const literal = trail[at];
      if (this.level[literal >> 1] <= level) {
        trail[kept++] = literal;
        continue;
      }
      values[literal] = values[literal ^ 1] = 0;
      release(literal);
    }
    this.size = kept;
    this.head = start;
    this.decisionLevel = level;
  }

  /** Returns whether a literal is true forever. */
  isFact(literal: Literal): boolean {
    return this.values[literal] > 0 && this.level[literal >> 1] === 0;
  }
}
