/** The part of logic-solver that hands clauses to MiniSat as they are. */
declare module 'logic-solver/minisat_wrapper.js' {
  export default class MiniSat {
    readonly _C: { print(text: string): void; printErr(text: string): void };
    ensureVar(variable: number): void;
    /** False once there is no way to satisfy all clauses. */
    addClause(literals: readonly number[]): boolean;
    solve(): boolean;
    /** Value of each variable; variables count from 1. */
    getSolution(): readonly (boolean | null)[];
  }
}
