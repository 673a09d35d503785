export type * from './results.ts';
export { figureSvg } from './chart/figure.ts';
export { isPublished } from './published.ts';
export { tableCsv, tableMarkdown } from './chart/tables.ts';
export { evaluateClaims } from './claims.ts';
export { type Link, experimentPage } from './report/experiment-page.ts';
export { type ReportEntry, indexPage, summaryPage } from './report/index-page.ts';
export { summaryMarkdown } from './report/summary-markdown.ts';
export { leaderboardPage } from './report/leaderboard-page.ts';
