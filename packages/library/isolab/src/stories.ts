/** Stories as text and pictures, and verdicts as test cases of JUnit. */
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
export { escapeMarkdown, escapeXml, htmlPage } from '@isolab/story/markup';
