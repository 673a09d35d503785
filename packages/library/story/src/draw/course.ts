// The course of a whole history: committed and aborted transactions a second, and their latency, as charts that are as
// wide as a phone. Bands show when faults struck the database.

import { escapeXml } from '../markup/index.ts';
import type { StoryCourse } from '../story/story.ts';
import { round } from './route.ts';

/** Section of a page with the charts side by side, as far as it has room; empty without a course. */
export function drawCourse(course: StoryCourse | undefined): string {
  if (course === undefined) return '';
  const { committed, aborted, medianMs, slowMs, faults } = course;
  const charts = [
    chart(course, 'Committed transactions a second', [['good', committed]]),
    chart(course, 'Aborted transactions a second', [['bad', aborted]]),
    chart(course, 'Latency in ms: median, and slowest of twenty', [
      ['good', medianMs],
      ['slow', slowMs],
    ]),
  ];
  const told = faults.slice(0, MOST_TOLD).map(({ text, beginMs }) => `<li>${at(beginMs)}: ${escapeXml(text)}</li>`);
  const more = faults.length > MOST_TOLD ? `<p class="faint">and ${faults.length - MOST_TOLD} more faults</p>` : '';
  return `<section aria-label="Course of the history"><h2>In time</h2><div class="course">${charts.join('')}</div>${
    told.length === 0 ? '' : `<p>Faults, shown as bands:</p><ol class="faults">${told.join('')}</ol>${more}`
  }</section>`;
}

type Series = readonly [kind: string, values: readonly (number | null)[]];

function chart({ slotMs, faults }: StoryCourse, title: string, series: readonly Series[]): string {
  const slots = series[0]![1].length;
  const most = Math.max(...series.flatMap(([, values]) => values.map((value) => value ?? 0)));
  const top = niceTop(most);
  const x = (ms: number): number => round(LEFT + (ms / (slots * slotMs)) * (WIDTH - LEFT - RIGHT));
  const y = (value: number): number => round(BOTTOM - (value / top) * (BOTTOM - TOP));
  const bands = faults.map(({ text, beginMs, endMs }) => {
    const from = x(Math.max(0, beginMs));
    const to = endMs === null ? WIDTH - RIGHT : Math.min(WIDTH - RIGHT, x(endMs));
    return `<rect class="band" x="${from}" y="${TOP}" width="${round(Math.max(2, to - from))}" height="${BOTTOM - TOP}"><title>${escapeXml(text)}</title></rect>`;
  });
  const lines = series.map(([kind, values]) => `<path class="${kind}" d="${pathOf(values, slotMs, x, y)}"/>`);
  const label = (at: number, height: number, text: string, anchor: string): string =>
    `<text x="${at}" y="${height}" text-anchor="${anchor}">${escapeXml(text)}</text>`;
  const about = `${title}: at most ${short(most)} in ${at(slots * slotMs)}`;
  return `<figure><figcaption>${escapeXml(title)}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escapeXml(about)}">${bands.join('')}<path class="axis" d="M${LEFT},${TOP}V${BOTTOM}H${WIDTH - RIGHT}"/>${lines.join('')}${label(LEFT - 5, TOP + 9, short(top), 'end')}${label(LEFT - 5, BOTTOM, '0', 'end')}${label(LEFT, HEIGHT - 3, '0 s', 'middle')}${label(WIDTH - RIGHT, HEIGHT - 3, at(slots * slotMs), 'end')}</svg></figure>`;
}

/** Line through the middles of the slots; a slot without a value interrupts it. */
function pathOf(
  values: readonly (number | null)[],
  slotMs: number,
  x: (ms: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  return values
    .map((value, i) => {
      if (value === null) {
        isDrawing = false;
        return '';
      }
      const command = isDrawing ? 'L' : 'M';
      isDrawing = true;
      // A slot between two without values is a point.
      return `${command}${x((i + 0.5) * slotMs)},${y(value)}h.1`;
    })
    .join('');
}

/** Returns the next larger number of 1, 2 or 5 times a power of ten. */
function niceTop(most: number): number {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= most)!;
}

const short = (value: number): string => String(Number(value.toPrecision(2)));

const at = (ms: number): string => `${Number((ms / 1000).toPrecision(3))} s`;

export const COURSE_STYLE = `
.course{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem}
.course figure{margin:0;max-width:100%}
.course figcaption{font-size:.9rem;color:var(--faint)}
.course svg{display:block;max-width:100%;height:auto}
.course text{font-size:12px;fill:var(--faint)}
.course path{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.course .axis{stroke:var(--faint);stroke-width:1}
.course .good{stroke:var(--accent)}
.course .bad,.course .slow{stroke:var(--bad)}
.course .slow{stroke-dasharray:3 3}
.course .band{fill:var(--bad);fill-opacity:.16}
`;

// In pixels.
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 130, 44, 8, 6, 110];
const MOST_TOLD = 12;
