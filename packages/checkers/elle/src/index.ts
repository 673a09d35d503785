export { consistencyModels } from './consistency-models.ts';
export { coverage } from './coverage.ts';
export { elle, elle as default } from './elle.ts';
export { explainer } from './explain.ts';
export { RULES } from './levels.ts';
export { type ElleOptions } from './options.ts';
export { type Assumptions } from './registers.ts';
