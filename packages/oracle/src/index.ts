export { ALL_LEVELS, decide, levelsSatisfied } from './decide.ts';
export { decideByVisibility } from './visibility.ts';
