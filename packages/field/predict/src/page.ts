/** Page about predictions: programs with the dangers between them, the repairs as a diff of levels, and each prediction. */
import { type Column, escapeXml, grouped, htmlPage, htmlTable, plural } from '@isolab/story/markup';
import { type Story, TooLargeError } from 'isolab';
import { drawBothWidths } from 'isolab/skin';
import type { Confirmation } from './command/outcome.ts';
import type { Predictions } from './predict.ts';
import type { ProgramUse } from './programs.ts';
import type { Repair, Repairs } from './repair.ts';
import { type Arc, GRAPH_STYLE, type State, graphHtml } from './graph.ts';

export interface Told {
  /** Null if the time ended before. */
  readonly story: Story | null;
  readonly anomaly: string;
  /** Changed reads, cut transactions and the outcome, as sentences. */
  readonly lines: readonly string[];
  readonly confirmed: Confirmation | undefined;
}

export interface PageParts {
  readonly path: string;
  /** Result of the search in one sentence. */
  readonly heading: string;
  /** Facts about the search: names and their texts. */
  readonly facts: Readonly<Record<string, string>>;
  readonly found: Pick<Predictions, 'predictions' | 'programs'>;
  readonly told: readonly Told[];
  readonly repaired: Repairs;
  /** The repair in words, and notes about it. */
  readonly repair: readonly string[];
}

const MOST_PROGRAMS = 60;
const MOST_PICTURES = 20;

export function predictionsPage({ path, heading, facts, found, told, repaired, repair }: PageParts): string {
  const names = Object.entries(facts);
  return htmlPage({
    title: heading,
    style: STYLE,
    body: [
      `<header><h1>${escapeXml(heading)}</h1><dl class="facts">${names.map(([name, fact]) => `<dt>${escapeXml(name)}</dt><dd>${escapeXml(fact)}</dd>`).join('')}</dl></header>`,
      '<main id="main">',
      `<section><h2>Programs</h2>${programsHtml(found, told)}</section>`,
      `<section><h2>Repair</h2>${repair.map((line) => `<p>${escapeXml(line)}</p>`).join('')}${repairHtml(found.programs, repaired)}</section>`,
      `<section><h2>Predictions</h2>${told.length === 0 ? '<p>None.</p>' : told.map(cardHtml).join('\n')}</section>`,
      '</main>',
      `<footer>Predicted by isolab from ${escapeXml(path)}.</footer>`,
    ].join('\n'),
  });
}

function programsHtml({ predictions, programs }: PageParts['found'], told: readonly Told[]): string {
  const inDanger = new Set(predictions.flatMap((each) => each.programs));
  const shown = programs.filter(({ program }) => inDanger.has(program)).slice(0, MOST_PROGRAMS);
  const rowOf = new Map(shown.map(({ program }, i) => [program, i]));
  const arcs = new Map<string, Arc>();
  for (const [i, { programs: cycle }] of predictions.entries()) {
    const state = stateOf(told[i]?.confirmed);
    for (const [k, program] of cycle.entries()) {
      const [from, to] = [rowOf.get(program), rowOf.get(cycle[(k + 1) % cycle.length]!)];
      if (from === undefined || to === undefined) continue;
      const title = `${i + 1}. ${told[i]?.story?.title ?? predictions[i]!.anomaly}`;
      const name = [Math.min(from, to), Math.max(from, to), state].join(' ');
      const known = arcs.get(name);
      const isKnown = known?.title.split(', ').includes(title) === true;
      arcs.set(name, {
        from,
        to,
        state,
        title: known === undefined ? title : isKnown ? known.title : `${known.title}, ${title}`,
      });
    }
  }
  const rows = shown.map(
    ({ name, program, level, runs, place }) =>
      `<b>${name}</b> <span class="faint">${escapeXml(level)}, ${plural(runs, 'run')}, ${escapeXml(place)}</span><code title="${escapeXml(program)}">${escapeXml(program)}</code>`,
  );
  const others = programs.length - shown.length;
  const note =
    others === 0
      ? ''
      : `<p class="faint">${grouped(others)} more without a prediction, or left out, are not shown.</p>`;
  return shown.length === 0
    ? '<p>No program takes part in a prediction.</p>'
    : `${graphHtml(rows, [...arcs.values()])}${note}`;
}

function stateOf(confirmed: Confirmation | undefined): State {
  if (confirmed?.outcome === 'happened' || confirmed?.outcome === 'prevented') return confirmed.outcome;
  return confirmed?.outcome === 'did not come about' ? 'absent' : 'predicted';
}

/** Shows the levels and locks of the repairs beside the recorded levels. */
function repairHtml(programs: readonly ProgramUse[], { repairs, robust }: Repairs): string {
  if (repairs.length === 0) return '';
  const sides: { readonly head: string; readonly repair: Repair }[] = repairs.map((repair) => ({
    head: repair.locks.length > 0 ? 'Repair with locks' : 'Repair by levels',
    repair,
  }));
  if (Array.isArray(robust)) sides.push({ head: 'Robust allocation', repair: { raises: robust, locks: [] } });
  const named = new Set(
    sides.flatMap(({ repair }) => [...repair.raises, ...repair.locks].map(({ program }) => program)),
  );
  const rows = programs.filter(({ program }) => named.has(program));
  const columns: Column<ProgramUse>[] = [
    { head: 'Program', cell: ({ name }) => name },
    ...sides.map(({ head, repair }): Column<ProgramUse> => ({ head, cell: (program) => changeHtml(program, repair) })),
  ];
  const left = programs.length - rows.length;
  const note = left > 0 ? `<p class="faint">${plural(left, 'other program')} may stay.</p>` : '';
  return `<div class="scroll" role="region" aria-label="Levels and locks" tabindex="0">${htmlTable('Levels and locks that change', columns, rows)}</div>${note}`;
}

function changeHtml({ program, level }: ProgramUse, { raises, locks }: Repair): string {
  const raised = raises.find((raise) => raise.program === program);
  const lines = [
    ...(raised === undefined ? [] : [`<del>${escapeXml(level)}</del>`, `<ins>${escapeXml(raised.level)}</ins>`]),
    ...locks
      .filter((lock) => lock.program === program)
      .map(
        ({ read }) =>
          `<ins><code>${escapeXml(read)}</code> ${read.startsWith('r(') ? 'with a lock' : 'FOR UPDATE'}</ins>`,
      ),
  ];
  return lines.length === 0 ? '<span class="faint">stays</span>' : lines.join('');
}

function cardHtml({ story, anomaly, lines, confirmed }: Told, i: number): string {
  const state = stateOf(confirmed);
  return `<article class="card ${state}"><h3>${i + 1}. ${escapeXml(story?.title ?? anomaly)}</h3>
<p>${escapeXml(story?.summary ?? '')}</p>
${story === null || i >= MOST_PICTURES ? '' : pictureOf(story, i)}
<ul>${lines.map((line) => `<li>${escapeXml(line)}</li>`).join('')}</ul></article>`;
}

function pictureOf(story: Story, i: number): string {
  try {
    const { wide, narrow } = drawBothWidths(story, { cycleOnly: true, theme: 'auto', prefix: `p${i}` });
    return `<details${i < 3 ? ' open' : ''}><summary>Picture</summary><div class="scroll" role="region" aria-label="${i + 1}. ${escapeXml(story.title)}" tabindex="0"><div class="wide">${wide}</div><div class="narrow">${narrow}</div></div></details>`;
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return '';
  }
}

const STYLE = `${GRAPH_STYLE}
main{max-width:78rem}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.4rem 0}
dl.facts dt{color:var(--faint)}
dl.facts dd{margin:0;min-width:0}
.card{border:1px solid var(--line);border-left:4px solid var(--warn);border-radius:8px;padding:.2rem 1rem .4rem;margin:.8rem 0}
.card.happened{border-left-color:var(--bad)}
.card.prevented{border-left-color:var(--good)}
.card.absent{border-left-color:var(--faint)}
.card li{overflow-wrap:anywhere}
code{overflow-wrap:anywhere}
td:not(:first-child){min-width:9rem}
del,ins{display:block;text-decoration:none;padding:0 .35rem;border-radius:4px}
del{background:var(--bad-soft);color:var(--bad)}
del::before{content:'− '}
ins{background:color-mix(in srgb,var(--good) 16%,transparent)}
ins::before{content:'+ '}
.scroll svg{max-width:none}
.narrow{display:none}
@media(max-width:40rem){.wide{display:none}.narrow{display:block}}
`;
