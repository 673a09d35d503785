export { EXHAUSTIVE, RANDOM, compareLevels, smallHistories, searchInWords } from './compare.ts';
export { levelDemands } from './conformance.ts';
export { type ExhaustiveBounds, countExhaustive, exhaustiveHistories } from './exhaustive.ts';
export { UNSEPARATED, WITNESSES } from './generated/witnesses.ts';
export { sizeOf } from './size.ts';
export { nextStronger, nextWeaker } from './order.ts';
export { type LatticePlace, placeOf } from './place.ts';
