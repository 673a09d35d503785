// The page of a story: the picture with prose beside it, in one self-contained file.

import { visibleText } from '@isolab/history';
import { aboutEdge, hiddenNote } from '../draw/svg.ts';
import { EDGE_KINDS, EDGE_STYLES, colourOf } from '../draw/style.ts';
import { drawCourse } from '../draw/course.ts';
import { TooLargeError, refuseTooLarge } from '../draw/limits.ts';
import { labelOf } from '../draw/route.ts';
import { elided, escapeXml, htmlPage, htmlTable, jsonForScript, plural } from '../markup/index.ts';
import type { Story, StoryEdge, StoryEnd, StorySentence, StoryTimeline, StoryWitness } from '../story/story.ts';
import { answerRows, standingOf } from '../story/standing.ts';
import { forBothWidths } from './both-widths.ts';
import { checkedSection } from './checked.ts';
import { storyMarkdown } from './story-markdown.ts';
import { VIEW_SCRIPT } from './view-script.ts';
import { VIEW_STYLE } from './view-style.ts';

/** Larger pages are refused, because they could not be attached to a bug report, and browsers would be slow. */
const MAX_PAGE = 2_000_000;

/**
 * Writes a story as a single HTML page with its picture. The page does not load or send anything. The checks of a
 * satisfied history are always shown. If an order is too large to draw, the page omits it and says so.
 */
export function viewHtml(story: Story): string {
  if (story.transactions.length === 0) return plainPage(story);
  try {
    return pageWithPicture(story);
  } catch (error) {
    if (!(error instanceof TooLargeError) || story.checked === undefined) throw error;
    const why = {
      text: `The order is not drawn: ${error.message.replace(/; shrink the history first$/, '')}.`,
      edges: [],
    };
    return plainPage({ ...story, prose: [why] });
  }
}

/** Page with all content except the picture. */
const plainPage = (story: Story): string =>
  htmlPage({
    title: `${story.title}: ${story.level}`,
    style: VIEW_STYLE,
    body: [
      header(story),
      '<main id="main">',
      ...story.prose.map(({ text }) => `<p>${escapeXml(text)}</p>`),
      story.checked === undefined ? '' : checkedSection(story.checked),
      drawCourse(story.course),
      '</main>',
      footer(story, ''),
    ].join('\n'),
  });

function pageWithPicture(story: Story): string {
  refuseTooLarge(story);
  const names = new Names(story);
  const whole = forBothWidths(story, { refuted: true, stages: true, prefix: 'w' });
  const cycle = story.edges.some(({ part }) => part === 'cycle')
    ? forBothWidths(story, { cycleOnly: true, prefix: 'c' })
    : '';
  const page = htmlPage({
    title: `${story.title}: ${story.level}`,
    style: VIEW_STYLE,
    script: VIEW_SCRIPT,
    body: [
      header(story),
      '<main id="main">',
      toolbar(story, cycle !== ''),
      '<div class="split">',
      `<section aria-label="Picture"><div id="whole" class="picture" role="region" aria-label="All transactions of the story" tabindex="0">${whole}</div>`,
      cycle === ''
        ? ''
        : `<div id="cycle" class="picture" role="region" aria-label="The cycle only" tabindex="0" hidden>${cycle}</div>`,
      cycle === '' ? '' : CYCLE_STEPS,
      legend(story),
      hiddenNote(story) === '' ? '</section>' : `<p class="faint">${escapeXml(hiddenNote(story))}</p></section>`,
      `<section aria-label="Explanation"><h2>${story.verdict === 'violated' ? 'What went wrong' : 'Why it holds'}</h2>`,
      prose(story, names),
      story.witness === undefined ? '' : witness(story.witness),
      '</section></div>',
      timelines(story, names),
      story.checked === undefined ? '' : checkedSection(story.checked),
      drawCourse(story.course),
      tables(story, names),
      '</main>',
      footer(story, KEYS),
      `<script type="application/json" id="data">${jsonForScript(dataOf(story, names))}</script>`,
    ].join('\n'),
  });
  if (page.length > MAX_PAGE) {
    const megabytes = (page.length / 1e6).toFixed(1);
    throw new TooLargeError(`the page would take ${megabytes} MB (limit: 2 MB); shrink the history first`);
  }
  return page;
}

/** Steps through the cycle, one edge at a time; the script shows them. */
const CYCLE_STEPS =
  '<div id="cycle-steps" class="scrubber" role="group" aria-label="The cycle, step by step" hidden><button type="button" data-cycle="-1" aria-label="Previous edge">◀</button><button type="button" data-cycle="1" aria-label="Next edge">▶</button><button type="button" id="play" aria-pressed="false">Play</button><p id="cycle-note" class="note" role="status"></p></div>';

/** Indices of the story's elements, by which the parts of the page refer to one another. */
class Names {
  readonly edges: ReadonlyMap<string, number>;
  readonly transactions: ReadonlyMap<string, number>;
  readonly operations: ReadonlyMap<string, string>; // text, by id
  readonly #owner: ReadonlyMap<string, number>; // transaction of an operation
  readonly #story: Story;

  constructor(story: Story) {
    this.#story = story;
    this.edges = new Map(story.edges.map(({ id }, i) => [id, i]));
    this.transactions = new Map(story.transactions.map(({ id }, i) => [id, i]));
    this.operations = new Map(
      story.transactions.flatMap(({ operations }) => operations.map(({ id, text }) => [id, text] as const)),
    );
    this.#owner = new Map(
      story.transactions.flatMap(({ operations }, t) => operations.map(({ id }) => [id, t] as const)),
    );
  }

  /** Writes a list of edges for the page's attributes, without ids that the story does not have. */
  edgeList = (ids: readonly string[]): string =>
    ids.flatMap((id) => (this.edges.has(id) ? [this.edges.get(id)!] : [])).join(' ');

  ownerList = (operations: readonly string[]): string =>
    operations.flatMap((id) => (this.#owner.has(id) ? [this.#owner.get(id)!] : [])).join(' ');

  edge = (id: string): StoryEdge | undefined => this.#story.edges[this.edges.get(id) ?? -1];

  /** Ends of an edge: "T1→T2". */
  way = ({ from, to }: StoryEdge): string =>
    [from, to].map(({ transaction }) => elided(this.end({ transaction }), 14)).join('→');

  end = ({ transaction, operation }: StoryEnd): string => {
    const label = this.#story.transactions[this.transactions.get(transaction) ?? -1]?.label ?? transaction;
    const text = operation === undefined ? undefined : this.operations.get(operation);
    return text === undefined ? label : `${label}: ${text}`;
  };
}

function header(story: Story): string {
  const { title, verdict, level, anomaly, summary, meaning, restsOn } = story;
  const faint = (text: string | undefined): string =>
    text === undefined ? '' : `\n<p class="faint">${escapeXml(text)}</p>`;
  const list = (name: string, words: readonly string[]): string =>
    words.length === 0
      ? ''
      : `<li><span class="faint">${name}</span> ${words.map((word) => `<code>${escapeXml(word)}</code>`).join(', ')}</li>`;
  return `<header><h1>${escapeXml(title)} <span class="verdict ${verdict === 'violated' ? 'bad' : 'good'}">${escapeXml(level)} ${verdict}</span></h1>
<p>${escapeXml(summary)}</p>${faint(meaning)}${faint(restsOn)}
<ul class="names">${list('called', anomaly === null ? [] : [anomaly.name, ...anomaly.aliases])}${standingOf(story)
    .map(([label, levels]) => list(label, levels))
    .join('')}${answerRows(story)
    .map(([label, words]) => `<li><span class="faint">${label}</span> ${escapeXml(words)}</li>`)
    .join('')}</ul></header>`;
}

function toolbar({ transactions, stages = [], timelines: keys = [], copies }: Story, hasCycle: boolean): string {
  const context = transactions.filter(({ role }) => role === 'context').length;
  const toggle = (id: string, text: string, on: boolean): string =>
    `<button type="button" id="${id}" aria-pressed="${on}">${escapeXml(text)}</button>`;
  const options = stages.map(({ name }, i) => `<option value="${i}">${escapeXml(name)}</option>`).join('');
  return `<div class="toolbar" role="toolbar" aria-label="View">${[
    hasCycle ? toggle('cycle-only', 'Cycle only', false) : '',
    context > 0 && context < transactions.length ? toggle('context', `Context (${context})`, true) : '',
    keys.length > 0 ? toggle('timelines-button', 'Key timeline', true) : '',
    options === '' ? '' : `<label>Stage <select id="stage"><option value="">all</option>${options}</select></label>`,
    '<span class="space"></span>',
    copies?.notation === undefined ? '' : '<button type="button" data-copy="notation">Copy as notation</button>',
    '<button type="button" data-copy="markdown">Copy as Markdown for an issue</button>',
    copies?.history === undefined
      ? ''
      : '<button type="button" data-copy="history">Copy history file</button><button type="button" data-save="history">Save history file</button>',
  ].join('')}</div>
<p class="note faint" role="status"><span id="stage-note"></span> <span id="said"></span></p>`;
}

function legend({ edges }: Story): string {
  const used = new Set(edges.map(({ kind }) => kind));
  const items = EDGE_KINDS.filter((kind) => used.has(kind)).map((kind) => {
    const { short, name, gloss, dash, width } = EDGE_STYLES[kind];
    const line = `<svg width="34" height="10" aria-hidden="true"><g class="edge ${kind}"><path class="line" d="M1,5H33" fill="none" stroke="${colourOf(kind, 'light')}" stroke-width="${width}"${dash === undefined ? '' : ` stroke-dasharray="${dash}"`}/></g></svg>`;
    return `<li>${line}<b>${escapeXml(short)}</b> ${escapeXml(`${name}: ${gloss}`)}</li>`;
  });
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** Each edge is derived at its first mention. */
function prose(story: Story, names: Names): string {
  const derived = new Set<string>();
  const item = ({ text, edges, operations = [] }: StorySentence): string => {
    const found = edges.flatMap((id) => names.edge(id) ?? []);
    const fresh = found.filter(({ id }) => !derived.has(id));
    for (const { id } of fresh) derived.add(id);
    const owners = names.ownerList(operations);
    const attributes = `data-edges="${names.edgeList(edges)}"${owners === '' ? '' : ` data-transactions="${owners}"`}`;
    const reasons = fresh.map((edge) => derivation(names, edge, new Set())).join('');
    return `<li tabindex="0" ${attributes}>${escapeXml(text)}${chips(names, found)}${reasons}</li>`;
  };
  return `<ol class="prose">${story.prose.map(item).join('\n')}</ol>`;
}

const chips = (names: Names, edges: readonly StoryEdge[]): string =>
  edges.length === 0 ? '' : `<div class="chips">${edges.map((edge) => chip(names, edge)).join('')}</div>`;

const chip = (names: Names, edge: StoryEdge): string =>
  `<button type="button" class="chip" data-edges="${names.edges.get(edge.id)!}" title="${escapeXml(aboutEdge(edge))}">${edge.number === undefined ? '' : `${edge.number}. `}${escapeXml(labelOf(edge))} <span class="faint">${escapeXml(names.way(edge))}</span></button>`;

/** Explains why an edge holds, if necessary through derived edges. `above` contains the edges under derivation. */
function derivation(names: Names, edge: StoryEdge, above: ReadonlySet<string>): string {
  if (edge.derivation === undefined || above.has(edge.id)) return '';
  const { text, because, refuted } = edge.derivation;
  const inside = new Set([...above, edge.id]);
  const edgesOf = (ids: readonly string[]): StoryEdge[] => ids.flatMap((id) => names.edge(id) ?? []);
  const deeper =
    above.size >= 3
      ? ''
      : edgesOf([...because, ...(refuted?.edges ?? [])])
          .map((next) => derivation(names, next, inside))
          .join('');
  const alternative =
    refuted === undefined
      ? ''
      : `<div class="refuted"><b class="bad">Otherwise:</b> ${escapeXml(refuted.text)}${chips(names, edgesOf(refuted.edges))}</div>`;
  const expands = names.edgeList([edge.id, ...because, ...(refuted?.edges ?? [])]);
  return `<details class="why" data-expands="${expands}"><summary>Why ${escapeXml(`${labelOf(edge)} ${names.way(edge)}`)}?</summary><p>${escapeXml(edge.sentence)} ${escapeXml(text)}</p>${chips(names, edgesOf(because))}${alternative}${deeper}</details>`;
}

function timelines({ timelines: keys = [] }: Story, names: Names): string {
  if (keys.length === 0) return '';
  const one = ({ key, versions, note }: StoryTimeline): string => {
    const items = versions.map(({ value, writer, readers, edge }) => {
      const owners = [...(writer ? [writer] : []), ...readers]
        .flatMap(({ transaction }) => names.transactions.get(transaction) ?? [])
        .join(' ');
      const attributes = `data-edges="${edge === undefined ? '' : names.edgeList([edge])}" data-transactions="${owners}"`;
      const by = writer === null ? 'initial state' : `written by ${names.end({ transaction: writer.transaction })}`;
      const read = readers.map(({ transaction }) => names.end({ transaction })).join(', ');
      return `<li tabindex="0" ${attributes}><span class="value">${escapeXml(value)}</span><br>${escapeXml(by)}${read === '' ? '' : `<br><span class="faint">read by ${escapeXml(read)}</span>`}</li>`;
    });
    return `<div class="timeline"><h3><code>${escapeXml(key)}</code></h3>${note === undefined ? '' : `<p class="faint">${escapeXml(note)}</p>`}<ol>${items.join('')}</ol></div>`;
  };
  return `<section id="timelines"><h2>${keys.length === 1 ? 'Versions of the key' : `Versions of ${plural(keys.length, 'key')}`}</h2>${keys.map(one).join('\n')}</section>`;
}

function witness({ text, initial, steps }: StoryWitness): string {
  const keys = new Set([...initial, ...steps.flatMap(({ changes }) => changes)].map(({ key }) => key));
  const rows = [...keys]
    .map((key) => `<tr><th scope="row"><code>${escapeXml(key)}</code></th><td data-key="${escapeXml(key)}"></td></tr>`)
    .join('');
  return `<h2>Witness order</h2><p>${escapeXml(text)}</p>
<div class="scrubber"><button type="button" data-move="-1" aria-label="Step back">◀</button><input type="range" id="step" min="0" max="${steps.length}" value="0" aria-label="Step of the witness order"><button type="button" data-move="1" aria-label="Step forward">▶</button></div>
<p id="step-note" class="note" role="status"></p>
<div class="scroll" role="region" aria-label="State of the database" tabindex="0"><table class="state" id="state"><caption class="faint">The database after this step</caption><thead><tr><th scope="col">key</th><th scope="col">value</th></tr></thead><tbody>${rows}</tbody></table></div>
<details><summary>All steps</summary><ol>${steps.map((step) => `<li>${escapeXml(step.text)}</li>`).join('')}</ol></details>`;
}

/** Lists all content of the picture with complete values, for readers who do not see it. */
function tables({ transactions, edges, sessions }: Story, names: Names): string {
  const labels = new Map(sessions.map(({ id, label }) => [id, label]));
  const operations = transactions.flatMap((transaction) =>
    transaction.operations.map((operation) => ({ transaction, operation })),
  );
  const operationTable = htmlTable(
    'Operations, in full',
    [
      { head: 'transaction', cell: ({ transaction }) => escapeXml(`${transaction.label} (${transaction.status})`) },
      {
        head: 'session',
        cell: ({ transaction: { session } }) => escapeXml(session === null ? '' : (labels.get(session) ?? session)),
      },
      { head: 'operation', cell: ({ operation }) => `<code>${escapeXml(operation.full ?? operation.text)}</code>` },
      { head: 'place', cell: ({ transaction, operation }) => escapeXml(operation.place ?? transaction.place ?? '') },
    ],
    operations,
  );
  const edgeTable = htmlTable(
    'Edges',
    [
      { head: 'cycle', cell: ({ number }) => (number === undefined ? '' : String(number)), isNumber: true },
      {
        head: 'kind',
        cell: (edge) =>
          escapeXml(
            EDGE_STYLES[edge.kind].name +
              (edge.part === 'refuted' ? ' (refuted)' : edge.onlyInStages === true ? ' (of a stage)' : ''),
          ),
      },
      { head: 'from', cell: ({ from }) => escapeXml(names.end(from)) },
      { head: 'to', cell: ({ to }) => escapeXml(names.end(to)) },
      { head: 'why', cell: ({ sentence }) => escapeXml(sentence) },
    ],
    edges,
  );
  return `<details><summary>The picture as tables</summary>${operationTable}${edgeTable}</details>`;
}

function footer({ origin = {} }: Story, keys: string): string {
  const { source, checker, command } = origin;
  const parts = [
    source === undefined ? '' : `From <code>${escapeXml(source)}</code>.`,
    checker === undefined ? '' : `Found by ${escapeXml(checker)}.`,
    command === undefined ? '' : `To reproduce it: <code class="command">${escapeXml(command)}</code>`,
  ];
  return `<footer>${[...parts, keys].filter((part) => part !== '').join(' ')}</footer>`;
}

const KEYS =
  'Keys: Tab moves from edge to edge, Enter keeps one highlighted, Escape releases it, Up and Down step through the sentences.';

/** Displayed texts show invisible characters as escapes; copied texts are exact. */
function dataOf(story: Story, names: Names): unknown {
  const { edges, transactions, stages = [], witness: order, copies } = story;
  const indexes = (map: ReadonlyMap<string, number>, ids: readonly string[]): number[] =>
    ids.flatMap((id) => map.get(id) ?? []);
  return {
    edges: edges.map(({ from, to }) => indexes(names.transactions, [from.transaction, to.transaction])),
    cycle: edges
      .flatMap(({ number, sentence }, i) =>
        number === undefined ? [] : [{ number, edge: i, text: visibleText(sentence) }],
      )
      .toSorted((a, b) => a.number - b.number),
    context: transactions.flatMap(({ role }, t) => (role === 'context' ? [t] : [])),
    stages: stages.map(({ text, transactions: shown, edges: drawn, uncertain = [] }) => ({
      text: visibleText(text),
      transactions: indexes(names.transactions, shown),
      edges: indexes(names.edges, drawn),
      uncertain: indexes(names.edges, uncertain),
    })),
    witness:
      order === undefined
        ? null
        : {
            initial: order.initial.map(({ key, value }) => [visibleText(key), visibleText(value)]),
            steps: order.steps.map(({ transaction, text, changes }) => ({
              transaction: names.transactions.get(transaction) ?? -1,
              text: visibleText(text),
              changes: changes.map(({ key, value }) => [visibleText(key), visibleText(value)]),
            })),
          },
    copies: {
      notation: copies?.notation,
      markdown: copies?.markdown ?? storyMarkdown(story),
      history: copies?.history?.text,
      fileName: copies?.history?.fileName,
    },
  };
}
