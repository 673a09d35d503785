/** The registry of levels, their definitions, and histories that distinguish them. */
export {
  type BuiltInLevel,
  KNOWN_LEVELS,
  MISLEADING_NAMES,
  decidedAs,
  definitionOf,
  eachLevel,
  implies,
  levelInWords,
  levelsIn,
} from '@isolab/contract';
export {
  EXHAUSTIVE,
  type LatticePlace,
  RANDOM,
  compareLevels,
  latticeSvg,
  levelDemands,
  placeOf,
  searchInWords,
} from '@isolab/lattice';
export {
  BUILT_IN,
  type LevelDefinition,
  builtInLevel,
  builtInText,
  printAxiom,
  readLevel,
  unsupportedIn,
} from '@isolab/levels';
