export type * from './ast.ts';
export { BUILT_IN, LEVEL_RECORDS, builtInLevel, builtInText, readLevel } from './built-in.ts';
export { LevelError } from './error.ts';
export { CORE_LEVELS, type LevelText, levelsModule } from './generate.ts';
export type * from './names.ts';
export { orNearest } from './nearest.ts';
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
  letterTerm,
  lettersOf,
  sequenceOf,
  sortsOf,
  sortsOfRelation,
  unionOf,
} from './normal-form/terms.ts';
export { parseLevel } from './parse.ts';
export { type NegativeUse, negativeUses } from './polarity.ts';
export { printAxiom, printExpression, printLevel } from './print.ts';
export type { LevelRecord } from './record.ts';
export { BASE_RELATIONS, type RelationType } from './relations.ts';
export { type Library, relationsIn, resolveLevel } from './resolve.ts';
