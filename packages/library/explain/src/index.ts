export type { Judgement } from './shrink/result.ts';
export { type ShrinkLimits, isShrunkLowered, shrink } from './shrink/shrink.ts';
export { classifier } from './classify/classify.ts';
export { survey } from './classify/summarise.ts';
export { withTables } from './rows/with-tables.ts';
export { explain } from './story/explain.ts';
export { storyOfOrder, storyWithoutOrder } from './story/order.ts';
export { type Further, findFurther } from './find/further.ts';
export { smallestOf } from './find/smallest.ts';
