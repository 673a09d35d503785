export { programOnPath } from './find.ts';
export { NEEDS, type NeedName, isolationTester } from './needs.ts';
export { type Skipping, skipUnless, unless } from './unless.ts';
