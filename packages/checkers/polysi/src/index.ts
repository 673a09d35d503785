export type { Interpretation, Scenario, ScenarioDependency } from './interpret/scenario.ts';
export type { PolysiOptions } from './options.ts';
export { interpretViolation, polysi, polysi as default } from './polysi.ts';
