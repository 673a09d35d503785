export type * from './language/ast.ts';
export {
  BUILT_IN,
  LEVEL_RECORDS,
  TIMED,
  builtInLevel,
  builtInText,
  readLevel,
  statedLevel,
} from './language/built-in.ts';
export { LevelError } from './language/error.ts';
export { CORE_LEVELS, type LevelText, levelsModule } from './language/generate.ts';
export type * from './language/names.ts';
export { didYouMean } from './language/nearest.ts';
export {
  type Constraint,
  type Problem,
  deniesPaths,
  deniesSources,
  derivedOrder,
  partsOf,
  problemOf,
  speaksOfOrder,
  tellsItems,
  unsupportedIn,
} from './normal-form/constraints.ts';
export { sameLevel } from './normal-form/same.ts';
export {
  type BaseLetter,
  type CompoundLetter,
  type Letter,
  NOTHING,
  type Term,
  isDynamic,
  isDynamicTerm,
  isLetter,
  letterTerm,
  lettersOf,
  sequenceOf,
  sortsOf,
  sortsOfRelation,
  unionOf,
} from './normal-form/terms.ts';
export { STATABLE, STATED } from './language/stated.ts';
export { parseLevel } from './language/parse.ts';
export { type NegativeUse, negativeUses } from './language/polarity.ts';
export { printAxiom, printExpression, printLevel } from './language/print.ts';
export type { LevelRecord } from './generated/record.ts';
export {
  BASE_RELATIONS,
  type RelationType,
  isBaseRelation,
  levelSelectedBy,
  typeOfRelation,
} from './language/relations.ts';
export { type Library, comparesTimes, relationsIn, resolveLevel } from './language/resolve.ts';
