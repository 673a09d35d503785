export { ALL_LEVELS, type OracleVerdict, decide, levelsSatisfied } from './decide.ts';
export { decideByVisibility } from './visibility.ts';
