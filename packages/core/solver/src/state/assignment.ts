import { grown } from '@isolab/graph';
import type { Literal } from './literals.ts';

/** Reason for a variable's value: none (decision, assumption or fact), a clause, or a cycle that it would close. */
export const NO_REASON = 0;
// A positive reason is a clause's place in the arena; a negative one is ~e for the edge e that would close a cycle.

/** The true literals in order, cut into decision levels, which after chronological backtracking may be mixed. */
export class Assignment {
  numVariables = 0;
  values: Int8Array = new Int8Array(0); // of a literal: 1 true, −1 false, 0 open
  level: Int32Array = new Int32Array(0); // of an assigned variable
  reason: Int32Array = new Int32Array(0); // of an assigned variable
  trail: Int32Array = new Int32Array(0); // the true literals
  size = 0; // of the trail
  head = 0; // the clauses have heard of the trail up to here
  levelStart: Int32Array = new Int32Array(16); // where on the trail level i + 1 begins
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

  /** Makes an open literal true; on a level below the current one, if it follows from that level. */
  assign(literal: Literal, reason: number, level: number = this.decisionLevel): void {
    const variable = literal >> 1;
    this.values[literal] = 1;
    this.values[literal ^ 1] = -1;
    this.level[variable] = level;
    this.reason[variable] = reason;
    this.trail[this.size++] = literal;
  }

  /** Takes back literals of higher levels, calling `release`. Lower ones after them stay, to be propagated again. */
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

  /** Returns whether a literal is true, and will stay so. */
  isFact(literal: Literal): boolean {
    return this.values[literal] > 0 && this.level[literal >> 1] === 0;
  }
}
