/** Stories as text and pictures, stories of a few transactions, and verdicts as test cases of JUnit. */
export { storiesAmong } from './findings.ts';
export {
  JUNIT_FOOT,
  type JunitCase,
  type JunitSuite,
  answerRows,
  drawDot,
  drawSvg,
  hiddenNote,
  junitHead,
  junitSuite,
  junitXml,
  placeInLattice,
  standingOf,
  storyMarkdown,
  struckLines,
  viewHtml,
} from '@isolab/story';
export { escapeMarkdown, escapeXml, htmlPage, jsonForScript } from '@isolab/story/markup';
