export { type Case } from './case.ts';
export { CASES } from './cases/index.ts';
export { checkClaims } from './claims.ts';
export { overview, pages } from './page/markdown.ts';
export { remarks, tableRows, transcriptLines } from './page/text.ts';
export { differencesFrom, publishedOf } from './published.ts';
export { type Claiming, LOCK_WAIT_MS, type Report, hermitage } from './run.ts';
