// Draws the execution times of a story's transactions as bars on a common time axis. The ends of a bar are pale while the
// client waits for the answer to its first request and to COMMIT. Bands show simultaneous faults of the database.

import { escapeXml, elided } from '../markup/index.ts';
import { struckLines } from '../story/struck.ts';
import type { Story, StoryClock, StorySpan } from '../story/story.ts';
import { round } from './route.ts';
import { THEMES, type ThemeName } from './style.ts';
import { wrapped } from './wrap.ts';

const LEFT = 92;
const RIGHT = 28;
const HEAD = 30;
const ROW = 24;
const BAR = 14;
const LINE = 17;
const CHARACTER = 6.8;

export function drawClock(story: Story, top: number, width: number, theme: ThemeName, font: string) {
  if (story.clock === undefined) return { text: '', height: 0, width: 0 };
  const { text, faint, ended, lane } = THEMES[theme];
  const { spans, faults } = story.clock;
  const lines = struckLines(story);
  const at = scale(story.clock, width);
  const sessions = story.sessions.filter(({ id }) => spans.some((span) => sessionOf(story, span.transaction) === id));
  const bottom = HEAD + sessions.length * ROW;
  const bands = faults.map(({ beginMs, endMs }, i) => {
    const [x, end] = [at(beginMs), endMs === null ? width - RIGHT : at(endMs)];
    return [
      `<rect class="fault" x="${round(x)}" y="${HEAD - 12}" width="${round(Math.max(3, end - x))}" height="${bottom - HEAD + 12}" fill="${ended}" fill-opacity="0.18"><title>${escapeXml(lines[i]!)}</title></rect>`,
      `<text class="ended" x="${round(x)}" y="${HEAD - 15}" font-size="12" font-weight="bold" fill="${ended}">${i + 1}</text>`,
    ].join('');
  });
  const rows = sessions.map(({ id, label }, row) => {
    const y = HEAD + row * ROW;
    const own = spans.filter(({ transaction }) => sessionOf(story, transaction) === id);
    const bars = own.map((span, i) => drawBar(story, span, own[i + 1], y, at, width, theme));
    return `<line x1="${LEFT}" x2="${width - RIGHT}" y1="${y + ROW / 2}" y2="${y + ROW / 2}" stroke="${lane}" stroke-width="2"/><text class="faint" x="${LEFT - 8}" y="${y + ROW / 2 + 4}" text-anchor="end" font-size="12" fill="${faint}">${escapeXml(elided(label, Math.floor((LEFT - 12) / CHARACTER)))}</text>${bars.join('')}`;
  });
  const ticks = drawTicks(story.clock, at, bottom, theme);
  const low = bottom + (ticks === '' ? 0 : LINE);
  const legend = lines.flatMap((line, i) =>
    wrapped(line, Math.floor((width - 44) / CHARACTER)).map((each, part) => [each, part === 0 ? `▮ ${i + 1}` : '']),
  );
  const told = legend.map(
    ([line, mark], i) =>
      `<text class="faint" x="16" y="${low + (i + 1) * LINE}" font-size="12" fill="${faint}"><tspan class="ended" font-weight="bold" fill="${ended}">${mark}</tspan> ${escapeXml(line!)}</text>`,
  );
  const isWaited = spans.some(({ begunMs, committingMs }) => begunMs !== undefined || committingMs !== undefined);
  const title = `<text class="text" x="16" y="${HEAD - 15}" font-size="12" font-weight="bold" fill="${text}">In time</text>${isWaited ? `<text class="faint" x="76" y="${HEAD - 15}" font-size="12" fill="${faint}">pale: waiting for an answer</text>` : ''}`;
  return {
    text: `<g class="clock" transform="translate(0,${round(top)})" font-family="${font}">${title}${bands.join('')}${ticks}${rows.join('')}${told.join('')}</g>`,
    height: low + legend.length * LINE + 12,
    width,
  };
}

/** Draws the bar of a transaction, with its label where there is room before the next one of its session. */
function drawBar(
  story: Story,
  span: StorySpan,
  next: StorySpan | undefined,
  y: number,
  at: (ms: number) => number,
  width: number,
  theme: ThemeName,
): string {
  const { border, text } = THEMES[theme];
  const { transaction, beginMs, begunMs, committingMs, endMs } = span;
  const label = labelOf(story, transaction);
  const [x, end] = [at(beginMs), endMs === null ? width - RIGHT : at(endMs)];
  const [begun, committing] = [begunMs ?? beginMs, committingMs ?? endMs];
  const part = (kind: string, from: number, to: number, opacity: number): string =>
    `<rect class="${kind}" x="${round(from)}" y="${y + (ROW - BAR) / 2}" width="${round(Math.max(2, to - from))}" height="${BAR}" rx="2" fill="${border}" fill-opacity="${opacity}"/>`;
  const inside = committing === null ? end : at(committing);
  const isPale = begunMs !== undefined || committingMs !== undefined || endMs === null;
  const room = (next === undefined ? width : at(next.beginMs)) - end;
  const long = [...label].length * CHARACTER + 6;
  return [
    `<g role="img" aria-label="${escapeXml(timesOf(story, span))}"><title>${escapeXml(timesOf(story, span))}</title>`,
    part('bar', x, end, isPale ? 0.4 : 1),
    isPale && endMs !== null ? part('bar inside', at(begun), inside, 1) : '',
    room >= long
      ? `<text class="text" x="${round(end + 4)}" y="${y + ROW / 2 + 4}" font-size="12" fill="${text}">${escapeXml(label)}</text>`
      : '',
    '</g>',
  ].join('');
}

/** States the times of a transaction, for readers who do not see the bar. */
function timesOf(story: Story, { transaction, beginMs, begunMs, committingMs, endMs }: StorySpan): string {
  const clock = story.clock!;
  const first = Math.min(...clock.spans.map((span) => span.beginMs));
  const { name, perMs } = unitOf(clock);
  const time = (ms: number): string =>
    clock.unit === 'ms' ? `${round1000((ms - first) * perMs)} ${name}` : String(ms);
  const parts = [
    `began at ${time(beginMs)}`,
    begunMs === undefined ? '' : `first answer at ${time(begunMs)}`,
    committingMs === undefined ? '' : `asked to commit at ${time(committingMs)}`,
    endMs === null ? 'its end is unknown' : `ended at ${time(endMs)}`,
  ];
  return `${labelOf(story, transaction)}: ${parts.filter((part) => part !== '').join(', ')}`;
}

function drawTicks(clock: StoryClock, at: (ms: number) => number, bottom: number, theme: ThemeName): string {
  const { unit } = clock;
  if (unit === undefined) return '';
  const { faint, lane } = THEMES[theme];
  const [first, last] = bounds(clock);
  const from = unit === 'ms' ? first : 0; // Milliseconds are shown since the first transaction.
  const { name, perMs } = unitOf(clock);
  const step = niceStep(((last - first) / 4) * perMs, unit === 'events') / perMs;
  const ticks: string[] = [];
  for (let tick = Math.ceil((first - from) / step); tick * step + from <= last && ticks.length < 12; tick++) {
    const x = round(at(tick * step + from));
    const text = unit === 'ms' ? `${round1000(tick * step * perMs)} ${name}` : String(round1000(tick * step));
    ticks.push(
      `<line x1="${x}" x2="${x}" y1="${HEAD - 6}" y2="${bottom}" stroke="${lane}" stroke-width="1"/><text class="faint" x="${x}" y="${bottom + 12}" text-anchor="middle" font-size="12" fill="${faint}">${text}</text>`,
    );
  }
  return ticks.join('');
}

/** Returns the smallest unit in which all transactions take at most 1,000, and the number of units in a millisecond. */
function unitOf(clock: StoryClock): { readonly name: string; readonly perMs: number } {
  if (clock.unit !== 'ms') return { name: '', perMs: 1 };
  const [first, last] = bounds(clock);
  return UNITS.find(({ perMs }) => (last - first) * perMs <= 1000) ?? UNITS.at(-1)!;
}

const UNITS = [
  { name: 'ns', perMs: 1e6 },
  { name: 'µs', perMs: 1000 },
  { name: 'ms', perMs: 1 },
  { name: 's', perMs: 0.001 },
] as const;

/** Returns the next larger number of 1, 2 or 5 times a power of ten. */
function niceStep(least: number, isWhole: boolean): number {
  if (least <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least)!;
  return isWhole ? Math.max(1, step) : step;
}

const round1000 = (value: number): number => Math.round(value * 1000) / 1000;

export function clockRules(theme: ThemeName, root = ''): string {
  const { border, ended, lane } = THEMES[theme];
  return `${root}.clock .bar{fill:${border}}${root}.clock .fault{fill:${ended}}${root}.clock line{stroke:${lane}}`;
}

/** First and last time of all transactions and faults. */
function bounds({ spans, faults }: StoryClock): readonly [first: number, last: number] {
  const all = [...spans, ...faults].flatMap(({ beginMs, endMs }) => (endMs === null ? [beginMs] : [beginMs, endMs]));
  return [Math.min(...all), Math.max(...all)];
}

/** Returns the horizontal position of a time on an axis that covers all transactions and faults. */
function scale(clock: StoryClock, width: number): (ms: number) => number {
  const [first, last] = bounds(clock);
  const breadth = width - LEFT - RIGHT;
  return (ms) => LEFT + (last === first ? 0 : ((ms - first) / (last - first)) * breadth);
}

const sessionOf = ({ transactions }: Story, id: string): string | null =>
  transactions.find((transaction) => transaction.id === id)?.session ?? null;

const labelOf = ({ transactions }: Story, id: string): string =>
  transactions.find((transaction) => transaction.id === id)?.label ?? id;
