// JUnit XML in the dialect that GitHub, GitLab and Jenkins all read, with a suite per history and a test case per
// level.

import { escapeXml } from './markup/index.ts';

export interface JunitSuite {
  /** Path of the history. */
  readonly name: string;
  readonly cases: readonly JunitCase[];
  /** Time of the run, in ISO 8601. */
  readonly timestamp?: string;
}

export interface JunitCase {
  readonly name: string;
  readonly checker: string;
  readonly verdict: 'satisfied' | 'violated' | 'unknown' | 'error';
  /** Whether the level is not required. If it is not satisfied, it is then reported as skipped instead of failed. */
  readonly isInformation?: boolean;
  readonly ms?: number;
  /** The violation, or the reason for an unknown verdict, in one line. */
  readonly message?: string;
  /** The whole explanation, or the evidence for a satisfied level. */
  readonly text?: string;
}

/** An unknown verdict is an error, so that it does not turn a build green. */
export function junitXml(suites: readonly JunitSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  return [junitHead(totals(cases)), ...suites.map(junitSuite), JUNIT_FOOT, ''].join('\n');
}

/** The text before the suites. Totals are omitted if the caller does not know them in advance. */
export const junitHead = (attributes = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="isolab"${attributes}>`;
export const JUNIT_FOOT = '</testsuites>';

export const junitSuite = (suite: JunitSuite): string => suiteLines(suite).join('\n');

function suiteLines({ name, cases, timestamp }: JunitSuite): string[] {
  const when = timestamp === undefined ? '' : ` timestamp="${escapeXml(timestamp)}"`;
  return [
    `  <testsuite name="${attribute(name)}"${totals(cases)}${when}>`,
    ...cases.map((testCase) => caseLine(name, testCase)),
    '  </testsuite>',
  ];
}

function caseLine(
  suite: string,
  { name, checker, verdict, isInformation = false, ms, message, text }: JunitCase,
): string {
  const head = `    <testcase name="${attribute(name)}" classname="${attribute(suite)}.${attribute(checker)}" time="${seconds(ms)}"`;
  const element = elementOf({ verdict, isInformation });
  if (element === '')
    return text === undefined
      ? `${head}/>`
      : `${head}>\n      <system-out>${escapeXml(text)}</system-out>\n    </testcase>`;
  const said = attribute(element === 'skipped' ? `${verdict}: ${message ?? ''}` : (message ?? verdict));
  const type = element === 'skipped' ? '' : ` type="${verdict}"`;
  const body = `<${element} message="${said}"${type}>${escapeXml(text ?? '')}</${element}>`;
  return `${head}>\n      ${body}\n    </testcase>`;
}

type Element = 'failure' | 'error' | 'skipped' | '';

function elementOf({ verdict, isInformation = false }: Pick<JunitCase, 'verdict' | 'isInformation'>): Element {
  if (verdict === 'satisfied') return '';
  if (isInformation) return 'skipped';
  return verdict === 'violated' ? 'failure' : 'error';
}

const totals = (cases: readonly JunitCase[]): string => {
  const count = (element: Element): number => cases.filter((each) => elementOf(each) === element).length;
  const ms = cases.reduce((sum, testCase) => sum + (testCase.ms ?? 0), 0);
  return ` tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}" time="${seconds(ms)}"`;
};

const seconds = (ms = 0): string => (ms / 1000).toFixed(3);

/** Encodes line breaks, which would be read as spaces in attributes. */
const attribute = (text: string): string => escapeXml(text).replaceAll('\n', '&#10;').replaceAll('\r', '&#13;');
