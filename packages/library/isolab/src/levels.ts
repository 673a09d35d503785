/** Definitions of levels, and histories that distinguish levels. */
export {
  EXHAUSTIVE,
  type LatticePlace,
  RANDOM,
  compareLevels,
  levelDemands,
  placeOf,
  searchInWords,
} from '@isolab/lattice';
export { latticeSvg } from '@isolab/story';
export { definitionOf } from '@isolab/contract';
export {
  BUILT_IN,
  type LevelDefinition,
  builtInLevel,
  builtInText,
  printAxiom,
  readLevel,
  unsupportedIn,
} from '@isolab/levels';
export { type Explained, explainable, explained } from './explained/explained.ts';
export { VERDICT_WORDS } from './explained/verdict-words.ts';
