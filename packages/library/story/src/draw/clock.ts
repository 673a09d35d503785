// Draws the execution times of a story's transactions as bars on a common time axis. Bands show simultaneous faults of
// the database.

import { escapeXml } from '../markup/index.ts';
import { struckLines } from '../story/struck.ts';
import type { Story, StoryClock } from '../story/story.ts';
import { round } from './route.ts';
import { THEMES, type ThemeName } from './style.ts';

const LEFT = 110;
const RIGHT = 24;
const HEAD = 30;
const ROW = 18;
const LINE = 17;
const CHARACTER = 6.2;

export function drawClock(story: Story, top: number, room: number, theme: ThemeName, font: string) {
  if (story.clock === undefined) return { text: '', height: 0, width: 0 };
  const { text, faint, border, ended, lane } = THEMES[theme];
  const { spans, faults } = story.clock;
  const lines = struckLines(story);
  const width = Math.max(room, 420, ...lines.map((line) => 40 + line.length * CHARACTER));
  const at = scale(story.clock, width);
  const sessions = story.sessions.filter(({ id }) => spans.some((span) => sessionOf(story, span.transaction) === id));
  const bottom = HEAD + sessions.length * ROW;
  const bands = faults.map(({ beginMs, endMs }, i) => {
    const [x, end] = [at(beginMs), endMs === null ? width - RIGHT : at(endMs)];
    return [
      `<rect class="fault" x="${round(x)}" y="${HEAD - 12}" width="${round(Math.max(3, end - x))}" height="${bottom - HEAD + 12}" fill="${ended}" fill-opacity="0.18"><title>${escapeXml(lines[i]!)}</title></rect>`,
      `<text class="ended" x="${round(x)}" y="${HEAD - 15}" font-size="10.5" font-weight="bold" fill="${ended}">${i + 1}</text>`,
    ].join('');
  });
  const rows = sessions.map(({ id, label }, row) => {
    const y = HEAD + row * ROW;
    const bars = spans
      .filter(({ transaction }) => sessionOf(story, transaction) === id)
      .map(({ transaction, beginMs, endMs }) => {
        const [x, end] = [at(beginMs), endMs === null ? width - RIGHT : at(endMs)];
        return `<rect class="bar" x="${round(x)}" y="${y + 3}" width="${round(Math.max(3, end - x))}" height="${ROW - 7}" rx="2" fill="${border}"${endMs === null ? ' fill-opacity="0.4"' : ''}><title>${escapeXml(labelOf(story, transaction))}</title></rect>`;
      });
    return `<line x1="${LEFT}" x2="${width - RIGHT}" y1="${y + ROW / 2}" y2="${y + ROW / 2}" stroke="${lane}" stroke-width="2"/><text class="faint" x="${LEFT - 8}" y="${y + ROW - 5}" text-anchor="end" font-size="11" fill="${faint}">${escapeXml(label)}</text>${bars.join('')}`;
  });
  const legend = lines.map(
    (line, i) =>
      `<text class="faint" x="16" y="${bottom + (i + 1) * LINE}" font-size="11" fill="${faint}"><tspan class="ended" font-weight="bold" fill="${ended}">▮ ${i + 1}</tspan> ${escapeXml(line)}</text>`,
  );
  const title = `<text class="text" x="16" y="${HEAD - 15}" font-size="12" font-weight="bold" fill="${text}">In time</text>`;
  return {
    text: `<g class="clock" transform="translate(0,${round(top)})" font-family="${font}">${title}${bands.join('')}${rows.join('')}${legend.join('')}</g>`,
    height: bottom + lines.length * LINE + 12,
    width,
  };
}

export function clockRules(theme: ThemeName, root = ''): string {
  const { border, ended, lane } = THEMES[theme];
  return `${root}.clock .bar{fill:${border}}${root}.clock .fault{fill:${ended}}${root}.clock line{stroke:${lane}}`;
}

/** Returns the horizontal position of a time on an axis that covers all transactions and faults. */
function scale({ spans, faults }: StoryClock, width: number): (ms: number) => number {
  const all = [...spans, ...faults].flatMap(({ beginMs, endMs }) => (endMs === null ? [beginMs] : [beginMs, endMs]));
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const breadth = width - LEFT - RIGHT;
  return (ms) => LEFT + (last === first ? 0 : ((ms - first) / (last - first)) * breadth);
}

const sessionOf = ({ transactions }: Story, id: string): string | null =>
  transactions.find((transaction) => transaction.id === id)?.session ?? null;

const labelOf = ({ transactions }: Story, id: string): string =>
  transactions.find((transaction) => transaction.id === id)?.label ?? id;
