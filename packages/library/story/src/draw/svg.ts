// The picture of a story as SVG. Colours are set in attributes, which every program understands; a page may override
// them through classes.

import type { Story, StoryEdge, StoryEdgeKind } from '../story/story.ts';
import { struckLines } from '../story/struck.ts';
import { escapeXml, grouped, plural } from '../markup/index.ts';
import { clockRules, drawClock } from './clock.ts';
import { type Cell, FONT_SIZE, LINE, type Lane, type Layout, layoutOf } from './layout.ts';
import { MOST_IN_ONE_LANE, refuseTooLarge } from './limits.ts';
import { type Seen, inOneLane, seenPart, uncertainIn } from './seen.ts';
import { type Route, labelOf, round, routesOf } from './route.ts';
import { EDGE_KINDS, EDGE_STYLES, REFUTED_DASH, THEMES, type ThemeName, colourOf } from './style.ts';
import { wrapped } from './wrap.ts';

export interface DrawOptions extends Seen {
  /** Light by default. `auto` follows the reader's system if the viewer supports it. */
  readonly theme?: ThemeName | 'auto';
  /** Includes title, legend and the note on hidden parts; true by default. A page has its own. */
  readonly frame?: boolean;
  /** Makes edges and operations focusable by keyboard, with their texts attached. */
  readonly interactive?: boolean;
  /** Puts all sessions into one lane, for pages as narrow as a phone; `if-needed` if they do not fit beside a menu. */
  readonly narrow?: boolean | 'if-needed';
  /** Prefix that keeps the ids of two pictures on one page distinct. */
  readonly prefix?: string;
}

const FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace";
/** Widest layout whose text is legible beside the menu of a page. */
const WIDEST = 920;
/** Least width of an axis of time that is not on a phone. */
const LEAST_CLOCK = 520;
const SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

/**
 * Draws a story with sessions as lanes, transactions as cells, and the cycle as numbered edges. It follows the reader's
 * light or dark theme.
 */
export function drawSvg(story: Story, options: DrawOptions = {}): string {
  refuseTooLarge(story);
  const seen = seenPart(story, options);
  const isStage = options.stage !== undefined;
  return new Picture(seen, isStage ? seen : story, options, isStage ? uncertainIn(story, options.stage) : []).draw();
}

/** Larger stories are too tall in one lane. */
const fitsOnlyInOneLane = (story: Story): boolean =>
  story.transactions.length <= MOST_IN_ONE_LANE && layoutOf(story).width > WIDEST;

class Picture {
  readonly #whole: Story;
  readonly #options: DrawOptions;
  readonly #theme: ThemeName;
  readonly #layout: Layout;
  readonly #routes: readonly Route[];
  readonly #edgeIndex: ReadonlyMap<string, number>;
  readonly #transactionIndex: ReadonlyMap<string, number>;
  readonly #prefix: string;
  readonly #narrow: boolean;
  readonly #uncertain: ReadonlySet<string>;

  constructor(story: Story, whole: Story, options: DrawOptions, uncertain: readonly string[]) {
    this.#uncertain = new Set(uncertain);
    this.#whole = whole;
    this.#options = options;
    this.#theme = options.theme === 'dark' ? 'dark' : 'light';
    const { narrow = false } = options;
    this.#narrow = narrow === 'if-needed' ? fitsOnlyInOneLane(story) : narrow;
    this.#layout = layoutOf(this.#narrow ? inOneLane(story) : story, this.#narrow);
    this.#routes = routesOf(story, this.#layout);
    this.#edgeIndex = new Map(whole.edges.map(({ id }, i) => [id, i]));
    this.#transactionIndex = new Map(whole.transactions.map(({ id }, i) => [id, i]));
    this.#prefix = options.prefix ?? 's';
  }

  draw(): string {
    const { frame = true, theme } = this.#options;
    const colours = THEMES[this.#theme];
    const title = frame ? this.#title() : { text: '', height: 0, width: 0 };
    const legend = frame ? this.#legend(title.height + this.#layout.height) : { text: '', height: 0, width: 0 };
    const above = title.height + this.#layout.height + legend.height;
    const room = Math.max(this.#layout.width, title.width, this.#narrow ? 0 : LEAST_CLOCK);
    const clock = drawClock(this.#whole, above, room, this.#theme, SANS);
    const width = Math.ceil(Math.max(this.#layout.width, title.width, legend.width, clock.width));
    const height = Math.ceil(above + clock.height);
    const { lanes, bars } = this.#layout;
    const cells = [...bars, ...lanes.flatMap((lane) => lane.cells)].toSorted((a, b) => a.index - b.index);
    const p = this.#prefix;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" class="story" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="${this.#options.interactive ? 'group' : 'img'}" aria-labelledby="${p}-title ${p}-desc" font-family="${FONT}" font-size="${FONT_SIZE}"${this.#options.interactive ? ` style="max-width:${Math.round(width * 1.15)}px;min-width:${Math.round(width * LEAST_SCALE)}px"` : ''}>`,
      `<title id="${p}-title">${escapeXml(this.#heading())}</title>`,
      `<desc id="${p}-desc">${escapeXml(describe(this.#whole))}</desc>`,
      theme === 'auto' ? `<style>${darkRules(clock.text !== '')}</style>` : '',
      `<defs>${this.#markers()}</defs>`,
      `<rect class="page" width="${width}" height="${height}" fill="${colours.page}"/>`,
      title.text,
      `<g transform="translate(${round((width - this.#layout.width) / 2)},${title.height})">`,
      ...lanes.map((lane) => this.#lane(lane)),
      ...cells.map((cell) => this.#cell(cell)),
      ...this.#routes.map((route) => this.#edge(route)),
      // Labels are drawn last, so that no line crosses them.
      ...this.#routes.map((route) => this.#label(route)),
      '</g>',
      legend.text,
      clock.text,
      '</svg>',
      '',
    ]
      .filter((line) => line !== '')
      .join('\n');
  }

  #heading(): string {
    const { title, level, verdict, anomaly } = this.#whole;
    const name = anomaly && anomaly.name !== title.toLowerCase().replaceAll(' ', '-') ? ` (${anomaly.name})` : '';
    return `${title}${name}: ${level} is ${verdict}`;
  }

  #title(): { text: string; height: number; width: number } {
    const { text, faint } = THEMES[this.#theme];
    const heading = this.#heading();
    const note = hiddenNote(this.#whole).length * 7 + 32;
    const wide = Math.max(this.#layout.width, heading.length * 10.4 + 32, note, 540);
    const { summary, meaning = '', restsOn = '' } = this.#whole;
    const room = Math.floor((wide - 32) / 6.9);
    const lines = [
      ...wrapped(summary, room).map((line) => [line, 'text', text] as const),
      ...[meaning, restsOn].flatMap((said) => wrapped(said, room).map((line) => [line, 'faint', faint] as const)),
    ];
    return {
      text: `<g font-family="${SANS}"><text class="text" x="16" y="30" font-size="17" font-weight="bold" fill="${text}">${escapeXml(heading)}</text>${lines
        .map(
          ([line, look, colour], i) =>
            `<text class="${look}" x="16" y="${52 + i * 17}" font-size="13" fill="${colour}">${escapeXml(line)}</text>`,
        )
        .join('')}</g>`,
      height: 46 + lines.length * 17,
      width: wide,
    };
  }

  #lane({ x, y, width, height, label, hidden }: Lane): string {
    const { lane, faint, text } = THEMES[this.#theme];
    const centre = round(x + width / 2);
    return [
      `<g class="lane"><rect class="lane" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="6" fill="${lane}"/>`,
      `<text class="text" x="${centre}" y="${round(y + 19)}" text-anchor="middle" font-family="${SANS}" font-weight="bold" fill="${text}">${escapeXml(label)}</text>`,
      ...hidden.map(
        ({ x: at, y: below, count }) =>
          `<text class="faint" x="${round(at)}" y="${round(below)}" text-anchor="middle" font-size="12" font-style="italic" fill="${faint}">⋮ ${grouped(count)} hidden</text>`,
      ),
      '</g>',
    ].join('');
  }

  #cell({ transaction, label, x, y, width, height, rows, lane }: Cell): string {
    const colours = THEMES[this.#theme];
    const { role, status, place, time } = transaction;
    const ended = status === 'aborted' || status === 'unknown';
    const stroke = ended ? colours.ended : role === 'context' ? colours.context : colours.border;
    const about = [transaction.label, status, time, place].filter((part) => part !== undefined).join(', ');
    const index = this.#transactionIndex.get(transaction.id)!;
    return [
      `<g class="cell ${role} ${status}" data-transaction="${index}"><title>${escapeXml(about)}</title>`,
      `<rect class="box" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="5" fill="${colours.cell}" stroke="${stroke}" stroke-width="${role === 'cycle' ? 2 : 1.2}"${ended ? ' stroke-dasharray="5 3"' : ''}/>`,
      `<text class="${ended ? 'ended' : 'text'}" x="${round(x + 8)}" y="${round(y + (lane < 0 ? 18 : 16))}" font-weight="bold" fill="${ended ? colours.ended : colours.text}">${escapeXml(label)}</text>`,
      ...rows.map(({ operation, lines, x: left, y: top, width: wide, height: high }) => {
        const marked = operation.role === 'context' ? 'none' : isWrite(operation.kind) ? colours.write : colours.read;
        const kind = operation.role === 'context' ? 'context' : isWrite(operation.kind) ? 'write' : 'read';
        const whole = [operation.full ?? operation.text, operation.place]
          .filter((part) => part !== undefined)
          .join(' — ');
        return `<g class="operation ${kind}" data-operation="${escapeXml(operation.id)}"><title>${escapeXml(whole)}</title><rect class="row" x="${round(left + 2)}" y="${round(top + 1)}" width="${round(wide - 4)}" height="${high - 2}" rx="3" fill="${marked}"/>${lines.map((line, i) => `<text class="text" x="${round(left + (lane < 0 ? 4 : 8))}" y="${round(top + 14 + i * LINE)}" fill="${role === 'context' ? colours.faint : colours.text}" xml:space="preserve">${escapeXml(line)}</text>`).join('')}</g>`;
      }),
      '</g>',
    ].join('');
  }

  #edge({ edge, path }: Route): string {
    const { kind, part } = edge;
    const { dash: ownDash, width } = EDGE_STYLES[kind];
    const { page } = THEMES[this.#theme];
    const about = escapeXml(aboutEdge(edge));
    const { interactive } = this.#options;
    const dash = part === 'refuted' || this.#uncertain.has(edge.id) ? REFUTED_DASH : ownDash;
    return [
      `<g class="edge ${kind} ${part}${staged(edge)}" data-edge="${this.#edgeIndex.get(edge.id)!}"${interactive ? ` tabindex="0" role="img" aria-label="${about}"` : ''}${opacityOf(edge)}>`,
      `<title>${about}</title>`,
      interactive
        ? `<path class="hit" d="${path}" fill="none" stroke="${page}" stroke-opacity="0" stroke-width="12"/>`
        : '',
      `<path class="line" d="${path}" fill="none" stroke="${colourOf(kind, this.#theme)}" stroke-width="${round(part === 'cycle' ? width + 0.4 : width * 0.7)}"${dash === undefined ? '' : ` stroke-dasharray="${dash}"`} marker-end="url(#${this.#prefix}-${kind})"/>`,
      '</g>',
    ].join('');
  }

  #label({ edge, label: { x, y, width, height, text } }: Route): string {
    const { kind, part, number } = edge;
    const { page, badge } = THEMES[this.#theme];
    const colour = colourOf(kind, this.#theme);
    const middle = round(y + height / 2 + 4);
    const centre = round(x + 11);
    return [
      `<g class="edge label ${kind} ${part}${staged(edge)}" data-edge="${this.#edgeIndex.get(edge.id)!}" aria-hidden="true"${opacityOf(edge)}>`,
      `<rect class="page" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${height}" rx="4" fill="${page}" fill-opacity="0.9"/>`,
      number === undefined
        ? ''
        : `<circle class="badge" cx="${centre}" cy="${round(y + height / 2)}" r="8.5" fill="${colour}"/><text class="number" x="${centre}" y="${middle}" text-anchor="middle" font-size="12" font-weight="bold" fill="${badge}">${number}</text>`,
      `<text class="kind" x="${round(x + (number === undefined ? 4 : 22))}" y="${middle}" font-weight="${part === 'cycle' ? 'bold' : 'normal'}" fill="${colour}">${escapeXml(text)}</text>`,
      '</g>',
    ].join('');
  }

  #markers(): string {
    return this.#kinds()
      .map(
        (kind) =>
          `<marker id="${this.#prefix}-${kind}" class="${kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="tip" d="M0,0.8L10,5L0,9.2L2.4,5Z" fill="${colourOf(kind, this.#theme)}"/></marker>`,
      )
      .join('');
  }

  #kinds(): StoryEdgeKind[] {
    const used = new Set(this.#routes.map(({ edge }) => edge.kind));
    return EDGE_KINDS.filter((kind) => used.has(kind));
  }

  #legend(top: number): { text: string; height: number; width: number } {
    const { faint } = THEMES[this.#theme];
    const parts: string[] = [];
    let x = 16;
    let y = top + 14;
    const room = Math.max(this.#layout.width, this.#title().width, 420);
    for (const kind of this.#kinds()) {
      const { short, name, gloss, dash, width } = EDGE_STYLES[kind];
      const text = `${short} ${name}: ${gloss}`;
      const wide = 36 + text.length * 6.6 + 18;
      if (x + wide > room && x > 16) {
        x = 16;
        y += 20;
      }
      parts.push(
        `<g class="edge ${kind}"><path class="line" d="M${x},${y - 4}H${x + 30}" stroke="${colourOf(kind, this.#theme)}" stroke-width="${width}" fill="none"${dash === undefined ? '' : ` stroke-dasharray="${dash}"`}/><text class="faint" x="${x + 36}" y="${y}" font-size="12" fill="${faint}">${text}</text></g>`,
      );
      x += wide;
    }
    const notes = [hiddenNote(this.#whole)].filter((line) => line !== '');
    for (const note of notes) {
      y += 20;
      parts.push(`<text class="faint" x="16" y="${y}" font-size="12" fill="${faint}">${escapeXml(note)}</text>`);
    }
    const longest = Math.max(0, ...notes.map((note) => note.length * 7 + 32));
    return {
      text: `<g font-family="${SANS}">${parts.join('')}</g>`,
      height: y + 16 - top,
      width: Math.max(room, longest),
    };
  }
}

const staged = ({ onlyInStages = false }: StoryEdge): string => (onlyInStages ? ' staged' : '');

const opacityOf = ({ part }: StoryEdge): string => (part === 'cycle' ? '' : ' opacity="0.85"');

const isWrite = (kind: string): boolean => !kind.endsWith('read') && kind !== 'scan';

/** Description of an edge for a tooltip or a screen reader. */
export const aboutEdge = (edge: StoryEdge): string =>
  `${edge.number === undefined ? '' : `${edge.number}. `}${labelOf(edge)}${edge.part === 'refuted' ? ' (refuted)' : ''}: ${edge.sentence}`;

/** Describes the omitted parts; empty if there are none. */
export function hiddenNote({ hidden }: Story): string {
  if (hidden === undefined || hidden.transactions === 0) return '';
  const { transactions, sessions, operations, reason } = hidden;
  const of = sessions > 0 ? ` of ${plural(sessions, 'session')}` : '';
  const what = operations === undefined || operations === 0 ? '' : ` with ${plural(operations, 'operation')}`;
  return `${plural(transactions, 'transaction')}${of}${what} hidden${reason === undefined ? '' : `: ${reason}`}`;
}

/** Describes the whole story for readers who do not see the picture. */
function describe(story: Story): string {
  const cycle = story.edges.filter(({ number }) => number !== undefined).toSorted((a, b) => a.number! - b.number!);
  return [story.summary, ...cycle.map(aboutEdge), ...struckLines(story), hiddenNote(story)]
    .filter((line) => line !== '')
    .join(' ');
}

/** CSS rules that turn a light picture into a dark picture. */
export function colourRules(theme: ThemeName, root = ''): string {
  const { page, text, faint, lane, cell, border, context, badge, read, write, ended } = THEMES[theme];
  const rules = [
    ['.page', `fill:${page}`],
    ['.text', `fill:${text}`],
    ['.faint', `fill:${faint}`],
    ['rect.lane', `fill:${lane}`],
    ['.cell .box', `fill:${cell};stroke:${border}`],
    ['.cell.context .box', `stroke:${context}`],
    ['.cell.context .operation .text', `fill:${faint}`],
    ['.cell.aborted .box', `stroke:${ended}`],
    ['.cell.unknown .box', `stroke:${ended}`],
    ['.ended', `fill:${ended}`],

    ['.operation.read .row', `fill:${read}`],
    ['.operation.write .row', `fill:${write}`],
    ['.edge .number', `fill:${badge}`],
    ...EDGE_KINDS.flatMap((kind) => [
      [`.edge.${kind} .line`, `stroke:${colourOf(kind, theme)}`],
      [`.edge.${kind} .badge`, `fill:${colourOf(kind, theme)}`],
      [`.edge.${kind} .kind`, `fill:${colourOf(kind, theme)}`],
      [`.${kind} .tip`, `fill:${colourOf(kind, theme)}`],
    ]),
  ];
  return rules.map(([selector, rule]) => `${root}${selector}{${rule}}`).join('');
}

const darkRules = (hasClock: boolean): string =>
  `@media (prefers-color-scheme:dark){${colourRules('dark')}${hasClock ? clockRules('dark') : ''}}`;

/** Smallest scale of an interactive picture, at which its text has ten pixels; a smaller window scrolls. */
const LEAST_SCALE = 0.83;
