export { ALL_LEVELS, decide, levelsSatisfied } from './decide.ts';
export { decideByVisibility } from './visibility.ts';
export { type DefinitionVerdict, decideDefinition } from './definition/decide.ts';
export { decideOperations } from './operations.ts';
