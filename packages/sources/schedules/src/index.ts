export { type Case } from './hermitage/cases/case.ts';
export { CASES } from './hermitage/cases/index.ts';
export { type OwnReport, playTransactions } from './hermitage/own/own.ts';
export { type Transactions, fileText } from './hermitage/cases/transactions.ts';
export { readTransactions } from './hermitage/own/read-file.ts';
export { overview, pages } from './hermitage/page/markdown.ts';
export { ownPage, ownRows, ownSentence } from './hermitage/page/own-page.ts';
export { remarks, sentLines, tableRows, transcriptLines } from './hermitage/page/text.ts';
export { checkClaims } from './hermitage/play/claims.ts';
export { LOCK_WAIT_MS } from './hermitage/play/play.ts';
export { differencesFrom, publishedOf } from './hermitage/play/published.ts';
export { type WrongResult, isComparable, playResults } from './hermitage/results/results.ts';
export { type Claiming, type HermitageReport, hermitage } from './hermitage/play/run.ts';
export { PLAIN, type Variation, arrange, missedWrites } from './reproduce/story/arrange.ts';
export { dependenciesOf } from './reproduce/story/dependencies.ts';
export { storyOf } from './reproduce/story/story.ts';
export { variations } from './reproduce/story/variations.ts';
export { expectationsOf } from './reproduce/trials/expected.ts';
export {
  type ReproductionProgress,
  type ReproductionOptions,
  type Reproduction,
  replay,
  reproduce,
} from './reproduce/trials/reproduce.ts';
export { sentence } from './reproduce/trials/sentence.ts';
export type { JudgedTrial } from './reproduce/trials/trial.ts';
export type { Account } from './reproduce/written/account.ts';
export { asData, writeFolder } from './reproduce/written/folder.ts';
export { readSchedule } from './schedule/read-schedule.ts';
export type { Schedule } from './schedule/schedule.ts';
export { scriptOf } from './schedule/script.ts';
