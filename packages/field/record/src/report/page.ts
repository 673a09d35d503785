import { type Column, escapeXml, grouped, htmlPage, htmlTable, plural } from '@isolab/story/markup';
import { TooLargeError, drawSvg } from 'isolab';
import { adviceFor } from '../judgement/advice.ts';
import type { JudgedRecording, Trouble } from '../judgement/judge.ts';
import { type Promising, promisingIn } from '../judgement/promises.ts';
import type { Recorded } from '../recording/finish.ts';
import type { Level } from '../sql/planned.ts';
import type { ShapeCount } from '../recording/tally.ts';
import { type Conflicts, conflictsOf, pairOf } from './conflicts.ts';
import type { Danger } from '../judgement/dangers.ts';
import type { Possible } from '../judgement/possible.ts';
import { oneLine, originOf } from '../sql/origin.ts';
import {
  DANGER_TITLES,
  countText,
  dangerText,
  headingOf,
  overlapText,
  partyNames,
  promiseText,
  refusedText,
} from './words.ts';
import type { Program, Programs } from '../judgement/programs.ts';

const MOST_PICTURES = 20;
const MOST_DANGERS = 100;
const MOST_STATEMENTS = 40;

/** Facts about a recording that its page states: names and their texts. */
export type About = Readonly<Record<string, string>>;

/** Returns a page about a recording: actual and possible anomalies, and statements that touch the same rows. */
export async function reportPage(
  recorded: Recorded,
  judged: JudgedRecording,
  possible: Possible,
  about: About = {},
): Promise<string> {
  const { programs, dangers } = possible;
  const promising = await promisingIn(recorded.path);
  const dangerCards = dangers.slice(0, MOST_DANGERS).map((danger) => dangerHtml(danger, promising));
  const conflicts = conflictsOf(programs);
  const heading = headingOf(recorded.transactions, judged, dangers);
  return htmlPage({
    title: heading,
    style: STYLE,
    body: [
      `<header><h1>${escapeXml(heading)}</h1>${summaryOf(recorded, judged, about)}</header>`,
      '<main id="main">',
      section('Anomalies that occurred', judged.troubles.map(troubleHtml), metNote(judged)),
      section('Anomalies that could occur', dangerCards, couldNote(dangers)),
      section('Refused and not retried', [refusedHtml(recorded)], ''),
      `<section><h2>Transactions</h2>${programsHtml(programs)}</section>`,
      `<section><h2>Statements that touch the same rows</h2>${conflictsHtml(conflicts, dangers, judged.troubles)}</section>`,
      `<section><h2>Coverage of the recording</h2>${coverageHtml(recorded)}</section>`,
      '</main>',
      `<footer>Recorded by isolab in ${escapeXml(recorded.path)}.</footer>`,
    ].join('\n'),
  });
}

function summaryOf({ transactions, shapes }: Recorded, judged: JudgedRecording, about: About): string {
  const facts = [
    ...Object.entries(about),
    ['Recorded', `${plural(transactions, 'transaction')}, ${plural(shapes.length, 'kind')} of statements`],
    ['Overlap', overlapText(judged)],
    ...judged.promises.map((promise) => [upper(promise.level), promiseText(promise, judged.database)]),
  ] as const;
  return `<dl class="facts">${facts.map(([name, fact]) => `<dt>${escapeXml(name!)}</dt><dd>${escapeXml(fact!)}</dd>`).join('')}</dl>`;
}

const refusedHtml = ({ refused }: Recorded): string =>
  refused.length === 0
    ? '<p>None.</p>'
    : `<ul>${refused.map((each) => `<li>${escapeXml(refusedText(each))}</li>`).join('')}</ul>`;

const section = (title: string, parts: readonly string[], note: string): string =>
  `<section><h2>${title}</h2>${note === '' ? '' : `<p>${escapeXml(note)}</p>`}${parts.join('\n')}</section>`;

function metNote({ troubles, isComplete }: JudgedRecording): string {
  if (!isComplete) return 'Not everything could be decided; there may be more anomalies.';
  return troubles.length === 0 ? 'None: the recorded transactions are serializable.' : '';
}

function couldNote(dangers: readonly Danger[]): string {
  if (dangers.length === 0)
    return 'None was found among transactions that touched the same rows. Nothing is known about transactions that never touched the same rows in the recording.';
  const left = dangers.length - MOST_DANGERS;
  const more = left > 0 ? ` ${grouped(left)} more are left out.` : '';
  return `These transactions touched the same rows in the recording. Had they run at once, no lock and no level would have kept them apart.${more}`;
}

function troubleHtml(trouble: Trouble, i: number): string {
  const { summary, cost, example, advice, preventedBy } = trouble;
  const who = example.map(({ name, session, line, level, statements }) => ({
    head: `${name}: session ${session}, line ${line}, ${upper(level)}`,
    statements,
  }));
  return card({
    kind: 'met',
    title: countText(trouble),
    text: cost === null ? summary : `${summary} ${cost}.`,
    who,
    more: i < MOST_PICTURES ? pictureOf(trouble, i) : '',
    advice,
    preventedBy,
  });
}

function pictureOf({ story, title }: Trouble, i: number): string {
  try {
    const svg = drawSvg(story, { cycleOnly: true, frame: false, prefix: `t${i}` });
    return `<details${i < 3 ? ' open' : ''}><summary>Picture</summary><div class="scroll" role="region" aria-label="${escapeXml(title)}" tabindex="0">${svg}</div></details>`;
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return '';
  }
}

function dangerHtml(danger: Danger, promising: Promising): string {
  const { name, parties, others, preventedBy: level } = danger;
  const preventedBy = name === 'lost-update' ? promising.preventsLostUpdates : level;
  const names = partyNames(danger);
  const more = others.map((program) => program.name);
  return card({
    kind: 'could',
    title: DANGER_TITLES[name],
    text: `${dangerText(danger)}${more.length > 0 ? ` ${listed(more)} could take the place of ${names.at(-1)}.` : ''}`,
    who: parties.map(({ program, line, statements }, i) => ({
      head: `${names[i]}: ${upper(program.level)}, for example line ${line}`,
      statements,
    })),
    more: '',
    advice: adviceFor({
      name,
      preventedBy,
      parties: parties.map(({ program, statements }) => ({ name: program.name, statements })),
      frameworks: null,
      refusal: promising.refusal,
    }),
    preventedBy,
  });
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

interface Card {
  readonly kind: 'met' | 'could';
  readonly title: string;
  readonly text: string;
  readonly who: readonly { readonly head: string; readonly statements: readonly string[] }[];
  readonly more: string;
  readonly advice: readonly string[];
  readonly preventedBy: Level;
}

const card = ({ kind, title, text, who, more, advice, preventedBy }: Card): string => `<article class="card ${kind}">
<h3>${escapeXml(title)} <span class="faint">${preventedBy === 'serializable' ? 'not at SERIALIZABLE' : 'not at REPEATABLE READ and above'}</span></h3>
<p>${escapeXml(text)}</p>
<div class="who">${who.map(({ head, statements }) => `<div><h4>${escapeXml(head)}</h4>${statementsHtml(statements)}</div>`).join('')}</div>
${more}
<p>To prevent it:</p><ul>${advice.map((each) => `<li>${escapeXml(each)}</li>`).join('')}</ul>
</article>`;

const statementsHtml = (statements: readonly string[]): string =>
  `<ol class="statements">${statements.map((sql) => `<li>${statementHtml(sql)}</li>`).join('')}</ol>`;

function statementHtml(statement: string): string {
  const { place } = originOf(statement);
  const from = place === null ? '' : ` <span class="faint">${escapeXml(place)}</span>`;
  return `<code>${escapeXml(oneLine(statement))}</code>${from}`;
}

const upper = (level: string): string => level.toUpperCase();

function programsHtml({ programs, leftOut }: Programs): string {
  const columns: Column<Program>[] = [
    { head: 'Transaction', cell: ({ name }) => name },
    { head: 'Runs', cell: ({ count }) => grouped(count), isNumber: true },
    { head: 'Level', cell: ({ level }) => upper(level) },
    { head: 'Statements', cell: ({ statements }) => statementsHtml(statements) },
    { head: 'First at', cell: ({ runs }) => `line ${runs[0]!.line}` },
  ];
  const note = leftOut > 0 ? `<p class="faint">${plural(leftOut, 'transaction')} of rarer kinds are left out.</p>` : '';
  return `${htmlTable('Kinds of transactions, by the statements that touched rows', columns, programs)}${note}`;
}

function conflictsHtml(conflicts: Conflicts, dangers: readonly Danger[], troubles: readonly Trouble[]): string {
  const statements = conflicts.statements.slice(0, MOST_STATEMENTS);
  if (statements.length === 0) return '<p>None.</p>';
  const met = pairsOf(troubles.map(({ example }) => example));
  const could = pairsOf(dangers.map(({ parties }) => parties));
  const classOf = (a: string, b: string): string => {
    const pair = pairOf(a, b);
    return met.has(pair) ? 'met' : could.has(pair) ? 'could' : '';
  };
  const columns: Column<number>[] = [
    { head: '', cell: (i) => `S${i + 1}`, isNumber: true },
    { head: 'Statement', cell: (i) => `<code>${escapeXml(oneLine(statements[i]!))}</code>` },
    ...statements.map((b, j): Column<number> => ({
      head: `S${j + 1}`,
      cell: (i) => {
        const rows = j > i ? 0 : conflicts.rowsOf(statements[i]!, b);
        return rows === 0 ? '' : `<span class="${classOf(statements[i]!, b)}">${grouped(rows)}</span>`;
      },
      isNumber: true,
    })),
  ];
  const left = conflicts.statements.length - statements.length;
  const note = left > 0 ? `<p class="faint">${plural(left, 'statement')} with fewer shared rows are left out.</p>` : '';
  return `<p>The number of rows that two statements of different transactions both touched, where at least one of the statements writes. <span class="met">Red</span>: part of an anomaly that occurred. <span class="could">Yellow</span>: part of an anomaly that could occur.</p>
${htmlTable('Rows that two statements touched', columns, [...statements.keys()])}${note}`;
}

function pairsOf(groups: readonly (readonly { readonly statements: readonly string[] }[])[]): Set<string> {
  const pairs = new Set<string>();
  for (const group of groups)
    for (const [i, one] of group.entries())
      for (const other of group.slice(i + 1))
        for (const a of one.statements) for (const b of other.statements) pairs.add(pairOf(a, b));
  return pairs;
}

function coverageHtml({ shapes, withoutScans, outsiders }: Recorded): string {
  const opaque = shapes.filter((shape) => shape.opaque !== null);
  const columns: Column<ShapeCount>[] = [
    { head: 'Calls', cell: ({ calls }) => grouped(calls), isNumber: true },
    { head: 'Not followed', cell: (shape) => escapeXml(shape.opaque!) },
    { head: 'Statement', cell: ({ shape }) => `<code>${escapeXml(oneLine(shape))}</code>` },
  ];
  return [
    opaque.length === 0
      ? '<p>Every statement was followed.</p>'
      : htmlTable('Statements that could not be followed, or only in part', columns, opaque),
    withoutScans.length === 0
      ? ''
      : `<p>Non-matching rows were skipped in: ${escapeXml(withoutScans.join(', '))} (too many rows, or changed by other clients).</p>`,
    outsiders === 0 ? '' : `<p>${plural(outsiders, 'version')} came from writers that did not use the proxy.</p>`,
  ].join('\n');
}

const STYLE = `
main{max-width:78rem}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.4rem 0}
dl.facts dt{color:var(--faint)}
dl.facts dd{margin:0;min-width:0}
.card{border:1px solid var(--line);border-left:4px solid var(--warn);border-radius:8px;padding:.2rem 1rem .4rem;margin:.8rem 0}
article.met{border-left-color:var(--bad)}
.card h3 .faint{font-weight:400;font-size:.88rem}
.card h4{margin:.3rem 0;font-size:.92rem}
.card ul{margin-top:0}
.who{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:.2rem 1.2rem}
.who>div{min-width:0}
.statements{margin:.2rem 0;padding-left:1.4rem}
code{overflow-wrap:anywhere}
td ol.statements{min-width:16rem}
span.met,span.could{display:inline-block;padding:0 .35rem;border-radius:4px}
span.met{background:var(--bad-soft);color:var(--bad)}
span.could{background:var(--mark)}
svg{max-width:none}
`;
