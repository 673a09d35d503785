/** The part of logic-solver that passes clauses unchanged to MiniSat. */
declare module 'logic-solver/minisat_wrapper.js' {
  export default class MiniSat {
    readonly _C: { print(text: string): void; printErr(text: string): void };
    ensureVar(variable: number): void;
    /** Returns false once the clauses are unsatisfiable. */
    addClause(literals: readonly number[]): boolean;
    solve(): boolean;
    /** Value of each variable; variables count from 1. */
    getSolution(): readonly (boolean | null)[];
  }
}
