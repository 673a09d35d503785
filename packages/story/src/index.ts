export type * from './story.ts';
export { type DotOptions, drawDot } from './draw/dot.ts';
export { MAX_TRANSACTIONS, TooLargeError } from './draw/limits.ts';
export { type DrawOptions, drawSvg, hiddenNote } from './draw/svg.ts';
export { type JunitCase, type JunitSuite, JUNIT_FOOT, junitHead, junitSuite, junitXml } from './junit.ts';
export { struckLines } from './struck.ts';
export { answerRows, standingOf } from './standing.ts';
export { type MarkdownOptions, storyMarkdown } from './story-markdown.ts';
export { MAX_PAGE, viewHtml } from './view/view-html.ts';
