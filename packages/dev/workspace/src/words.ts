/** Checks the English of comments: a comment starts with its noun or a verb, and every reference has a noun as its head. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import type { Violation } from './architecture.ts';
import { readPackages, sourcesIn } from './packages.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly expected: string;
}

const RULES: readonly Rule[] = [
  {
    pattern:
      /^(What|By|Of|Why|Which|Those|Who|Whom|Whose|They|He|That|These|Others|None|So|As|Behind|Else)\b|^(All|One|Another|Any|Some|For) (that|those|of|who|which|one)\b/,
    expected: 'a comment that starts with its noun or a verb, such as "Name of an anomaly."',
  },
  {
    pattern: /\b([Nn]obody|[Aa]nybody|[Ss]omebody|[Ee]verybody|[Ww]hoever|whomever)\b/,
    expected: 'the noun: "no transaction", "the caller", "another process"',
  },
  {
    pattern: /\bwhom\b|\bof which (there|it|the|a|no|nothing)\b/i,
    expected: 'the noun again: "N of them", "its writer"',
  },
  { pattern: /\bso (many|much|often|few)\b/, expected: 'a named quantity: "N histories", "at this interval"' },
  { pattern: /\b(tell|tells|told|telling)\b/i, expected: '"reports", "prints", "distinguishes" or "shows"' },
  {
    pattern: /\bwhat (there (is|was|are|were)|(is|was) there)\b/i,
    expected: 'the noun: "the current state", "the missing rows"',
  },
  { pattern: /\b(taken|takes \w+|take \w+) for (a|an|the)\b/, expected: '"treats … as"' },
  { pattern: /\bthe ones? that\b/, expected: 'the noun' },
  { pattern: /\bshall\b/, expected: '"must", or the present tense' },
];

/** Violations in the comments of all sources. */
export function checkWords(root: string): Violation[] {
  return readPackages(root)
    .filter(({ folder }) => folder.startsWith('packages/'))
    .flatMap(({ folder }) => sourcesIn(root, `${folder}/src`))
    .filter((file) => !file.includes('/generated/'))
    .flatMap((file) => wordsOf(file, readFileSync(path.join(root, file), 'utf8')));
}

export function wordsOf(file: string, text: string): Violation[] {
  return commentsIn(file, text).flatMap(({ body, line }) => {
    const words = body.replaceAll(/`[^`]*`/g, '``');
    const rule = RULES.find(({ pattern }) => pattern.test(words));
    if (rule === undefined) return [];
    return [{ file, line, found: `the comment ${JSON.stringify(shortened(body))}`, expected: rule.expected }];
  });
}

interface Comment {
  readonly body: string;
  readonly line: number;
}

/** Comments as one line of text each; consecutive line comments are one comment. */
function commentsIn(file: string, text: string): Comment[] {
  const found: { type: string; start: number; end: number; body: string }[] = [];
  for (const { type, start, end, value } of parseSync(file, text).comments) {
    const last = found.at(-1);
    const follows = last?.type === 'Line' && type === 'Line' && /^\r?\n[ \t]*$/.test(text.slice(last.end, start));
    if (follows && isAlone(text, last.start)) Object.assign(last, { end, body: `${last.body} ${value.trim()}` });
    else found.push({ type, start, end, body: bodyOf(value) });
  }
  return found
    .filter(({ body }) => !DIRECTIVE.test(body))
    .map(({ start, body }) => ({ body, line: text.slice(0, start).split('\n').length }));
}

/** Comments for programs. */
const DIRECTIVE = /^(@|eslint|oxlint|knip|#__)/;

const isAlone = (text: string, at: number): boolean => /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at) + 1, at));

const bodyOf = (value: string): string =>
  value
    .replace(/^\*+/, '')
    .replaceAll(/\n[ \t]*\*? ?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);

const LONGEST_SUBJECT = 72;

/** Latest commits whose subjects are looked at. */
const MOST_SUBJECTS = 30;

/** Violations by the subjects of the latest commits; none outside a clone. */
export function checkSubjects(root: string): Violation[] {
  const args = ['log', `-${MOST_SUBJECTS}`, '--format=%h %s'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? subjectsIn(stdout) : [];
}

/** Violations in lines of a commit and its subject each. */
export const subjectsIn = (log: string): Violation[] =>
  log.split('\n').flatMap((line) => {
    const [commit = '', subject = ''] = /^(\S+) (.*)$/.exec(line)?.slice(1) ?? [];
    if (subject.length <= LONGEST_SUBJECT) return [];
    const found = `a subject of ${subject.length} characters`;
    return [{ file: `commit ${commit}`, line: 1, found, expected: `at most ${LONGEST_SUBJECT} characters` }];
  });
