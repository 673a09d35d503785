export { ALL_LEVELS, decide, levelsSatisfied } from './decide.ts';
export { decideByVisibility } from './visibility.ts';
export { decideDefinition } from './definition/decide.ts';
export { decideOperations } from './operations.ts';
