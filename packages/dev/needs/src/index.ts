export { programOnPath } from './find.ts';
export { NEEDS, type NeedName, isolationTester } from './needs.ts';
export { exampleHistories, realHistories, realHistory, realPolygraphs } from './real-histories.ts';
export { type Skipping, skipUnless, unless } from './unless.ts';
