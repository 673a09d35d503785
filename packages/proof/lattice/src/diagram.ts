import { KNOWN_LEVELS, LEVELS, type LevelName, implies, levelNamed } from '@isolab/contract';
import type { LatticePlace } from './place.ts';

/** In pixels. The picture is never scaled up, and is narrow enough for a phone. */
const WIDTH = 390;
const LINE = 25;
const TOP = 14;
const NAMES_AT = 132;
const WIDEST_ARC = 155;

/** A user-defined level in the picture. */
interface Placed {
  readonly name: LevelName;
  readonly place: LatticePlace;
}

/**
 * Diagram of the common levels, or of a user-defined level and its neighbours, by their titles. Strong levels are at
 * the top, with an arc to each directly implied level, in the colours of the reader's theme.
 */
export function latticeSvg(own?: Placed): string {
  const names = namesWith(own);
  const height = 2 * TOP + LINE * (names.length - 1);
  const y = (name: LevelName): number => TOP + LINE * names.indexOf(name);
  const title = (name: LevelName): string => escaped(name === own?.name ? name : levelNamed(name).title);
  const arcs = names.flatMap((strong) =>
    weakerOf(strong, names, own).map((weak) => {
      const distance = names.indexOf(weak) - names.indexOf(strong);
      const reach = NAMES_AT - 8 - WIDEST_ARC * Math.sqrt(distance / (names.length - 1));
      return `<path d="M${NAMES_AT - 8} ${y(strong)}C${round(reach)} ${y(strong)} ${round(reach)} ${y(weak)} ${NAMES_AT - 8} ${y(weak)}"><title>${title(strong)} implies ${title(weak)}</title></path>`;
    }),
  );
  const texts = names.map(
    (name) =>
      `<circle cx="${NAMES_AT - 5}" cy="${y(name)}" r="3"/><text x="${NAMES_AT + 4}" y="${y(name) + 4.5}"${name === own?.name ? ' class="own"' : ''}>${title(name)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Implications between levels: stronger levels are above weaker levels">`,
    `<style>${STYLE}</style>`,
    ...arcs,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

/** User-defined names may contain any character. */
const escaped = (name: string): string => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Lists strong levels first. A user-defined level is listed with its neighbours alone, directly above the levels that
 * it implies.
 */
function namesWith(own: Placed | undefined): LevelName[] {
  if (own === undefined) return LEVELS.map(({ name }) => name).toReversed();
  const { same, stronger, weaker } = own.place;
  const near = new Set([...same, ...stronger, ...weaker]);
  const all: readonly LevelName[] = KNOWN_LEVELS.map(({ name }) => name);
  const names = all.filter((name) => name !== own.name && near.has(name));
  const below = Math.max(-1, ...[...weaker, ...same].map((name) => names.indexOf(name)));
  return names.toSpliced(below + 1, 0, own.name).toReversed();
}

/** Levels of the picture directly below a level of the picture. */
function weakerOf(name: LevelName, names: readonly LevelName[], own: Placed | undefined): readonly LevelName[] {
  const isAbove = (strong: LevelName, weak: LevelName): boolean => {
    if (strong === weak) return false;
    if (strong === own?.name) return [...own.place.same, ...own.place.implied].includes(weak);
    if (weak === own?.name) return own.place.stronger.some((one) => one === strong || implies(strong, one));
    return implies(strong, weak);
  };
  const below = names.filter((weak) => isAbove(name, weak));
  return below.filter((weak) => !below.some((between) => isAbove(between, weak)));
}

const round = (value: number): number => Math.round(10 * value) / 10;

const STYLE = [
  'svg{max-width:100%;height:auto}',
  'text{font:13px system-ui,sans-serif;fill:#1f2328}',
  '.own{font-weight:600;fill:#9a6700}',
  'circle{fill:#1f2328}',
  'path{fill:none;stroke:#0969da;stroke-opacity:.55}',
  'path:hover{stroke-opacity:1;stroke-width:2.5}',
  '@media(prefers-color-scheme:dark){text,circle{fill:#e6edf3}.own{fill:#d29922}path{stroke:#58a6ff}}',
].join('');
