export { type RuledOut, consistencyModels } from './consistency-models.ts';
export { type Coverage, coverage } from './coverage.ts';
export { elle, elle as default } from './elle.ts';
export { explainer } from './explain.ts';
export { RULES, type LevelRule } from './levels.ts';
export { type ElleOptions } from './options.ts';
export { type Assumptions } from './registers.ts';
