/**
 * A dependency between two transactions in a stage. Transactions have their numbers in the history; −1 is the initial
 * transaction.
 */
export interface StageDependency {
  readonly from: number;
  readonly to: number;
  readonly type: 'SO' | 'WR' | 'WW' | 'RW';
  /** −1 for session order. */
  readonly key: number;
  /** Whether the dependency must hold, or holds only if a constraint takes one side. */
  readonly certain: boolean;
}

export interface StageScenario {
  /** In ascending order. */
  readonly transactions: readonly number[];
  readonly dependencies: readonly StageDependency[];
}

/**
 * Derivation of a violation from the cycle that a checker found, in the four stages of PolySI's Interpret (figures 5,
 * 12 and 13).
 */
export interface Stages {
  readonly raw: StageScenario;
  readonly restored: StageScenario;
  readonly resolved: StageScenario;
  readonly finalized: StageScenario;
}
