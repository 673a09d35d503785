export { compact } from './shrink/compact.ts';
export type { Part } from './shrink/part.ts';
export {
  type Judgement,
  type ShrinkOptions,
  type ShrinkProgress,
  type ShrinkResult,
  type Violates,
  shrink,
} from './shrink/shrink.ts';
export { type Classification, classifier, classify } from './classify/classify.ts';
export { type AnomalySummary, summarise, survey } from './classify/summarise.ts';
export { printNotation } from './copies/notation.ts';
export { type ExplainOptions, explain } from './story/explain.ts';
export type { Whole } from './story/names.ts';
export type { StageDependency, StageScenario, Stages } from './story/stages.ts';
export { type OrderOptions, storyOfOrder } from './story/order.ts';
export { type FindAnomalies, type Further, type FurtherOptions, findFurther } from './find/further.ts';
export { smallestOf } from './find/smallest.ts';
