import { KNOWN_LEVELS, LEVELS } from '@isolab/contract';
import { nextWeaker } from './order.ts';

/** In pixels; the picture is never scaled up, and narrow enough for a telephone. */
const WIDTH = 390;
const LINE = 25;
const TOP = 14;
const NAMES_AT = 132;
const WIDEST_ARC = 155;

/**
 * All levels, strong ones above weak ones, and an arc from each to those that it implies with none in between. The text is
 * text, and the colours are those of the reader's theme.
 */
export function latticeSvg(): string {
  const names = KNOWN_LEVELS.map(({ name }) => name).toReversed();
  const core = new Set(LEVELS.map(({ name }) => name));
  const height = 2 * TOP + LINE * (names.length - 1);
  const y = (name: string): number => TOP + LINE * names.indexOf(name);
  const arcs = names.flatMap((strong) =>
    nextWeaker(strong).map((weak) => {
      const distance = names.indexOf(weak) - names.indexOf(strong);
      const reach = NAMES_AT - 8 - WIDEST_ARC * Math.sqrt(distance / (names.length - 1));
      return `<path d="M${NAMES_AT - 8} ${y(strong)}C${round(reach)} ${y(strong)} ${round(reach)} ${y(weak)} ${NAMES_AT - 8} ${y(weak)}"><title>${strong} implies ${weak}</title></path>`;
    }),
  );
  const texts = names.map(
    (name) =>
      `<circle cx="${NAMES_AT - 5}" cy="${y(name)}" r="3"/><text x="${NAMES_AT + 4}" y="${y(name) + 4.5}"${core.has(name) ? ' class="core"' : ''}>${name}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Which level implies which: strong levels stand above weak ones">`,
    `<style>${STYLE}</style>`,
    ...arcs,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

const round = (value: number): number => Math.round(10 * value) / 10;

const STYLE = [
  'svg{max-width:100%;height:auto}',
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.core{font-weight:600}',
  'circle{fill:#1f2328}',
  'path{fill:none;stroke:#0969da;stroke-opacity:.55}',
  'path:hover{stroke-opacity:1;stroke-width:2.5}',
  '@media(prefers-color-scheme:dark){text,circle{fill:#e6edf3}path{stroke:#58a6ff}}',
].join('');
