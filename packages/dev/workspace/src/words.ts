/** Checks the English of comments, strings, titles of tests and documents. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Violation } from './violation.ts';
import { readPackages, sourcesIn } from './packages.ts';
import { type Kind, paragraphsIn, textsIn } from './texts.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly expected: string;
  readonly only?: Kind;
  readonly code?: RegExp; // for a comment: the code that it describes
}

const RULES: readonly Rule[] = [
  {
    only: 'comment',
    pattern:
      /^(What|By|Of|Why|Which|Those|Who|Whom|Whose|They|He|That|These|Others|None|So|As|Behind|Else)\b|^(All|One|Another|Any|Some|For) (that|those|of|who|which|one)\b/,
    expected: 'a comment that starts with its noun or a verb, such as "Name of an anomaly."',
  },
  {
    only: 'comment',
    pattern: /^Whether\b/,
    code: /^(export |default |async |static |override )*(function\b|const \w+ =[^;]*?=>|(?!get )[#\w]+(<.*>)?\(.*\).*[{;]\n)/,
    expected: '"Returns whether …"',
  },
  {
    only: 'comment',
    pattern: /^How (many|much|often|long|far|large|wide)\b/,
    expected: 'the quantity: "Number of …", "Time …", "Share of …"',
  },
  { only: 'comment', pattern: /\b(go|goes|went|going) on\b/i, expected: '"continue"' },
  {
    only: 'title',
    pattern:
      /^(is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|must|might|will|would|of|that|what|to|by|whose|who|which|whatever|not|but|and|or|nor|as|accepts|accuses|adds|agrees|arranges|asks|breaks|brings|certifies|chooses|comes|compares|completes|decides|decodes|delays|deletes|differs|draws|drops|encodes|executes|exits|fails|falls|finds|finishes|fits|follows|gets|gives|goes|handles|hides|holds|implies|invents|keeps|knows|leaves|lets|looks|loses|lowers|makes|measures|misses|needs|notices|overlooks|packs|passes|prints|puts|quotes|recognises|refuses|rejects|renumbers|replaces|reproduces|resets|resolves|resumes|returns|satisfies|saves|says|sees|serves|settles|shares|shows|skips|speaks|spells|splits|stays|stops|strikes|survives|switches|takes|tells|threatens|tries|violates|visits|waits|warns|watches|works|agree|ask|begin|bring|come|contradict|decide|end|give|go|grow|happen|hold|keep|know|leave|make|need|overlap|prove|refuse|satisfy|say|see|settle|share|show|stand|stay|take|tell|threaten|violate)\b(?!:)/,
    expected: 'a sentence with a subject, such as "a reader refuses an empty file"',
  },
  {
    only: 'title',
    pattern:
      /^(answers|calls|claims|commits|counts|cuts|ends|exports|judges|labels|links|lists|marks|names|orders|places|points|reads|records|reports|runs|stages|states|writes)\b(?! (and|are|at|by|come|do|does|for|from|has|have|in|is|keep|may|must|of|on|or|that|to|which|with|without)\b|[,:])/,
    expected: 'a sentence with a subject, such as "a reader lists all mistakes"',
  },
  {
    only: 'title',
    pattern: /^(where|unless|when|while|for|after)\b[^,]*$/,
    expected: 'a sentence with a subject, such as "a read is unknown where a connection is lost"',
  },
  {
    pattern: /\b([Nn]obody|[Aa]nybody|[Ss]omebody|[Ee]verybody|[Ww]hoever|whomever)\b/,
    expected: 'the noun: "no transaction", "the caller", "another process"',
  },
  {
    pattern: /\bwhom\b|\bof which (there|it|the|a|no|nothing)\b/i,
    expected: 'the noun again: "N of them", "its writer"',
  },
  { only: 'comment', pattern: /^The same\b/, expected: 'the noun: "The history without times"' },
  ...(['comment', 'title'] as const).map((only): Rule => ({
    only,
    pattern: /(?<!\$)\b(what|whatever|whichever|all that)\b|(?<!(one|two|some|most|either|each|none) )\bof which\b/,
    expected: 'the noun: "the versions that a read saw", "with any outcome", "one of them"',
  })),
  { pattern: /\bso (many|much|often|few)\b/i, expected: 'a named quantity: "N histories", "at this interval"' },
  { pattern: /\b(tell|tells|told|telling)\b/i, expected: '"reports", "prints", "distinguishes" or "shows"' },
  {
    pattern: /\bwhat (there (is|was|are|were)|(is|was) there)\b/i,
    expected: 'the noun: "the current state", "the missing rows"',
  },
  { pattern: /\b(taken|takes \w+|take \w+) for (a|an|the)\b/, expected: '"treats … as"' },
  { pattern: /\bthe ones? that\b/, expected: 'the noun' },
  { pattern: /\bshall\b/i, expected: '"must", or the present tense' },
  { pattern: /\banew\b/i, expected: '"again"' },
  { pattern: /\b(mend|mends|mended|mending)\b/i, expected: '"fix"' },
  { pattern: /\bheld against\b/i, expected: '"compared with"' },
];

/** Phrases that stay although a rule refuses them, with the reason. */
const ALLOWED: readonly { readonly phrase: RegExp; readonly why: string }[] = [
  {
    phrase: /^\| Nobody waits any more|^\| .*begin it anew|^\| Pairs .* of which|^\| What a .* from whom/g,
    why: 'bad examples of CONTRIBUTING.md',
  },
];

/** Violations in the texts of all packages and documents. */
export function checkWords(root: string): Violation[] {
  const folders = readPackages(root).map(({ folder }) => folder);
  const code = folders
    .flatMap((folder) => [...sourcesIn(root, `${folder}/src`), ...sourcesIn(root, `${folder}/test`)])
    .filter((file) => !file.includes('/generated/'));
  const docs = existsSync(path.join(root, 'docs')) ? readdirSync(path.join(root, 'docs')) : [];
  const pages = ['README.md', 'CONTRIBUTING.md', ...folders.map((folder) => `${folder}/README.md`)]
    .filter((file) => existsSync(path.join(root, file)))
    .concat(docs.map((name) => `docs/${name}`).filter((file) => file.endsWith('.md')));
  return [...code, ...pages].flatMap((file) => violationsOf(file, readFileSync(path.join(root, file), 'utf8')));
}

export function violationsOf(file: string, text: string): Violation[] {
  const texts = file.endsWith('.md') ? paragraphsIn(text) : textsIn(file, text);
  return texts.flatMap(({ kind, body, line, code = '' }) => {
    let words = body.replaceAll(kind === 'paragraph' ? /`[^`]*`|"[^"]*"/g : /`[^`]*`/g, '``');
    for (const { phrase } of ALLOWED) words = words.replaceAll(phrase, '…');
    const rule = RULES.find(
      (one) => (one.only ?? kind) === kind && one.pattern.test(words) && (one.code?.test(code) ?? true),
    );
    if (rule === undefined) return [];
    return [{ file, line, found: `the ${kind} ${JSON.stringify(shortened(body))}`, expected: rule.expected }];
  });
}

const shortened = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 60)}…`);

const LONGEST_SUBJECT = 72;

/** Number of latest commits to check. */
const MOST_SUBJECTS = 30;

/** Violations in the subjects of the latest commits; none outside a clone. */
export function checkSubjects(root: string): Violation[] {
  const args = ['log', `-${MOST_SUBJECTS}`, '--format=%h %s'];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? subjectsIn(stdout) : [];
}

/** Violations in a log with a commit and its subject per line. */
export const subjectsIn = (log: string): Violation[] =>
  log.split('\n').flatMap((line) => {
    const [commit = '', subject = ''] = /^(\S+) (.*)$/.exec(line)?.slice(1) ?? [];
    if (subject.length <= LONGEST_SUBJECT) return [];
    const found = `a subject of ${subject.length} characters`;
    return [{ file: `commit ${commit}`, line: 1, found, expected: `at most ${LONGEST_SUBJECT} characters` }];
  });
