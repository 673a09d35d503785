/** A dependency between two transactions in a stage; numbers are those of the history, −1 the initial transaction. */
export interface StageDependency {
  readonly from: number;
  readonly to: number;
  readonly type: 'SO' | 'WR' | 'WW' | 'RW';
  /** −1 for session order. */
  readonly key: number;
  /** Whether it must hold, or holds only if a constraint takes one side. */
  readonly certain: boolean;
}

export interface StageScenario {
  /** In ascending order. */
  readonly transactions: readonly number[];
  readonly dependencies: readonly StageDependency[];
}

/** How a checker came from the cycle that it found to the violation, in the four stages of PolySI's Interpret (figures 5, 12 and 13). */
export interface Stages {
  readonly raw: StageScenario;
  readonly restored: StageScenario;
  readonly resolved: StageScenario;
  readonly finalized: StageScenario;
}
