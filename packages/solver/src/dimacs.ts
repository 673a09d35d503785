import { IntList } from './int-list.ts';
import { fromDimacs, type Literal, toDimacs } from './literals.ts';
import type { Solver } from './solver.ts';

/** A formula in conjunctive normal form: of every clause one literal must be true. */
export interface Cnf {
  readonly numVariables: number;
  readonly clauses: readonly ArrayLike<Literal>[];
}

export class DimacsError extends Error {
  readonly code = 'dimacs';
  readonly line: number;

  constructor(line: number, found: string, expected: string) {
    super(`Line ${line}: found ${found}, expected ${expected}`);
    this.name = 'DimacsError';
    this.line = line;
  }
}

/**
 * Reads `p cnf <variables> <clauses>` and the clauses after it, each ended by 0 and over as many lines as it likes. Lines
 * that begin with c are comments; a line with % ends the formula, as in the files of SATLIB.
 */
export function parseDimacs(text: string): Cnf {
  return new DimacsReader(text).read();
}

/** The formula in the format of DIMACS, after comments. */
export function printDimacs({ numVariables, clauses }: Cnf, comments: readonly string[] = []): string {
  const lines = comments.flatMap((comment) => comment.split('\n').map((line) => `c ${line}`.trimEnd()));
  lines.push(`p cnf ${numVariables} ${clauses.length}`);
  for (const clause of clauses) {
    let line = '';
    for (let i = 0; i < clause.length; i++) line += `${toDimacs(clause[i])} `;
    lines.push(`${line}0`);
  }
  return `${lines.join('\n')}\n`;
}

/** Adds the variables and clauses of a formula to a solver without variables. Returns what the last `addClause` did. */
export function addCnf(solver: Solver, { numVariables, clauses }: Cnf): boolean {
  if (solver.numVariables !== 0) {
    throw new Error(`Got a solver with ${solver.numVariables} variables, expected one without`);
  }
  for (let v = 0; v < numVariables; v++) solver.newVariable();
  return clauses.every((clause) => solver.addClause(clause));
}

const LINE_FEED = 10;
const SPACE = 32;

class DimacsReader {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Cnf {
    this.#skipComments();
    for (const word of ['p', 'cnf']) {
      const found = this.#word();
      if (found !== word) this.#fail(quoted(found), "'p cnf <variables> <clauses>'");
    }
    const numVariables = this.#count('the number of variables');
    const numClauses = this.#count('the number of clauses');
    const clauses = this.#clauses(numVariables, numClauses);
    if (clauses.length < numClauses) this.#fail(`the end after ${clauses.length} clauses`, `${numClauses} clauses`);
    return { numVariables, clauses };
  }

  #clauses(numVariables: number, numClauses: number): Int32Array[] {
    const clauses: Int32Array[] = [];
    const clause = new IntList();
    for (;;) {
      this.#skipComments();
      const word = this.#word();
      if (word === '' || word === '%') {
        if (clause.size > 0) this.#fail(quoted(word), '0 to end the clause');
        return clauses;
      }
      const number = /^-?\d+$/.test(word) ? Number(word) : NaN;
      if (!(Math.abs(number) <= numVariables))
        this.#fail(quoted(word), `a literal between -${numVariables} and ${numVariables}`);
      if (number !== 0) {
        clause.push(fromDimacs(number));
        continue;
      }
      if (clauses.length === numClauses) this.#fail('one more clause', `the end after ${numClauses} clauses`);
      clauses.push(clause.items.slice(0, clause.size));
      clause.size = 0;
    }
  }

  #count(what: string): number {
    const word = this.#word();
    if (!/^\d{1,9}$/.test(word)) this.#fail(quoted(word), what);
    return Number(word);
  }

  /** The next word on this line or a later one; empty at the end. */
  #word(): string {
    this.#skipBlanks();
    const begin = this.#at;
    while (this.#at < this.#text.length && this.#text.charCodeAt(this.#at) > SPACE) this.#at++;
    return this.#text.slice(begin, this.#at);
  }

  #skipBlanks(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code > SPACE) return;
      if (code === LINE_FEED) this.#line++;
    }
  }

  /** A comment is a line that begins with c. */
  #skipComments(): void {
    for (this.#skipBlanks(); this.#text[this.#at] === 'c'; this.#skipBlanks()) {
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#text.length : end;
    }
  }

  #fail(found: string, expected: string): never {
    throw new DimacsError(this.#line, found, expected);
  }
}

function quoted(word: string): string {
  return word === '' ? 'the end' : `'${word}'`;
}
