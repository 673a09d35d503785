import { Formula } from '../formula/formula.ts';
import type { EdgeVariable } from './constraints.ts';

/** A formula that discards its clauses and counts the bytes of the file that would hold them. */
export class DimacsSize extends Formula {
  #bytes = 0;

  constructor(tick: (steps: number) => void = () => {}) {
    super({ maxClauses: Infinity, maxBytes: Infinity }, tick);
  }

  /** Size of a file in DIMACS format: a header, and one line per clause. */
  get fileBytes(): number {
    return `p cnf ${this.numVariables} ${this.numClauses}\n`.length + this.#bytes;
  }

  override reserve(): void {
    // No memory is needed.
  }

  override clause1(a: number): void {
    this.#add(widthOf(a));
  }

  override clause2(a: number, b: number): void {
    this.#add(widthOf(a) + widthOf(b));
  }

  override clause3(a: number, b: number, c: number): void {
    this.#add(widthOf(a) + widthOf(b) + widthOf(c));
  }

  override clause(literals: readonly number[]): void {
    this.#add(literals.reduce((sum, literal) => sum + widthOf(literal), 0));
  }

  /**
   * Counts the n(n − 1)² clauses of `addComposition` by rows: each literal is counted once for each clause that
   * contains it.
   */
  addComposition(first: EdgeVariable, second: EdgeVariable, whole: EdgeVariable, n: number): void {
    const clauses = n * (n - 1) ** 2;
    let bytes = END * clauses;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        if (i !== j) bytes += (n - 1) * (widthOf(-first(i, j)) + widthOf(-second(i, j)));
        bytes += (i === j ? n - 1 : n - 2) * widthOf(whole(i, j));
      }
    }
    this.numClauses += clauses;
    this.#bytes += bytes;
  }

  #add(width: number): void {
    this.numClauses++;
    this.#bytes += width + END;
  }
}

/** `0` and the end of the line. */
const END = 2;

/** The number of characters of a literal and the space after it. */
function widthOf(literal: number): number {
  let width = literal < 0 ? 3 : 2;
  for (let rest = Math.abs(literal); rest >= 10; rest = Math.floor(rest / 10)) width++;
  return width;
}
