export { PLAIN, type Variation, arrange, missedWrites } from './arrange.ts';
export type { Observed } from './conductor.ts';
export { type Dependency, dependenciesOf } from './dependencies.ts';
export { type Progress, type ReproduceOptions, type Reproduction, type Tally, reproduce } from './reproduce.ts';
export type { Action, Reply, Schedule, ScheduledTransaction, Step } from './schedule.ts';
export { type Story, type StoryOperation, type StoryTransaction, storyOf } from './story.ts';
export { type Judged, type Trial, runTrial } from './trial.ts';
export { variations } from './variations.ts';
