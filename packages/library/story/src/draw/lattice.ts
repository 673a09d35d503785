import { LEVELS, type LevelName } from '@isolab/contract';
import { escapeXml } from '../markup/index.ts';
import { round } from './route.ts';

/** Columns that keep crossing lines few. Unlisted levels are drawn in the middle. */
const COLUMN: Readonly<Record<string, number>> = {
  'strong-snapshot-isolation': 1,
  'strong-session-snapshot-isolation': 1,
  'generalized-snapshot-isolation': 1,
  'strict-serializable': 3,
  serializable: 3,
  'plain-serializable': 3,
  'adya-snapshot-isolation': 3,
  'cut-isolation': 3,
};

/** Position of a level in the lattice. Rows count from 1, and a level is below all levels that imply it. */
export const placeInLattice = (level: LevelName): { readonly row: number; readonly column: number } => ({
  row: rowOf(level),
  column: COLUMN[level] ?? 2,
});

function rowOf(level: LevelName): number {
  const above = LEVELS.filter(({ implies }) => implies.some((weaker) => weaker === level));
  return 1 + Math.max(0, ...above.map(({ name }) => rowOf(name)));
}

/**
 * Draws the lattice of common levels, with marks on the levels that are kept. It fits a phone, and no line crosses a
 * name.
 */
export function drawLattice(known: Readonly<Record<string, 'kept' | 'not kept'>>): string {
  const names = LEVELS.toReversed().map(({ name, title }) => {
    const standing = known[name];
    const [mark, kind] =
      standing === undefined ? ['', 'open'] : standing === 'kept' ? ['✓ ', 'kept'] : ['✗ ', 'broken'];
    return { name, text: `${mark}${title}`, kind, about: `${name}: ${standing ?? 'not decided'}` };
  });
  const told = LEVELS.map(({ name, title }) => `${title}: ${known[name] ?? 'not decided'}`).join(', ');
  const arcs = LEVELS.flatMap(({ name, implies }) => implies.map((weak) => ({ from: name, to: weak })));
  return listWithArcs(names, arcs, ` class="lattice" aria-label="${escapeXml(told)}"`);
}

export interface ListedLevel {
  readonly name: string;
  readonly text: string;
  /** Class of its line. */
  readonly kind: string;
  readonly about?: string;
}

export interface LevelArc {
  readonly from: string;
  readonly to: string;
  readonly about?: string;
}

/** Draws names as a list, with an arc to the left of it for each pair; `given` are attributes of the picture. */
export function listWithArcs(
  names: readonly ListedLevel[],
  arcs: readonly LevelArc[],
  given: string,
  style = '',
): string {
  const at = (name: string): number => HALF + LINE * names.findIndex((each) => each.name === name);
  const title = (about: string | undefined): string =>
    about === undefined ? '' : `<title>${escapeXml(about)}</title>`;
  const curves = arcs.map(({ from, to, about }) => {
    const [first, last, x] = [at(from), at(to), NAMES_AT - 10];
    const reach = round(x - WIDEST_ARC * Math.sqrt((last - first) / (LINE * names.length)));
    return `<path d="M${x},${first}C${reach},${first} ${reach},${last} ${x},${last}">${title(about)}</path>`;
  });
  const texts = names.map(
    ({ name, text, kind, about }) =>
      `<g class="${kind}">${title(about)}<circle cx="${NAMES_AT - 7}" cy="${at(name)}" r="3.5"/><text x="${NAMES_AT + 4}" y="${at(name)}">${escapeXml(text)}</text></g>`,
  );
  const height = LINE * names.length;
  return `<svg${given} width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">${style}${curves.join('')}${texts.join('')}</svg>`;
}

export const LATTICE_STYLE = `
.lattice{display:block;max-width:100%;height:auto}
.lattice path{fill:none;stroke:var(--faint);stroke-opacity:.6}
.lattice text{font-size:14px;dominant-baseline:central;fill:var(--faint)}
.lattice circle{fill:var(--faint)}
.lattice .kept text{fill:var(--good);font-weight:600}
.lattice .kept circle{fill:var(--good)}
.lattice .broken text{fill:var(--bad)}
.lattice .broken circle{fill:var(--bad)}
`;

// In pixels.
const [WIDTH, LINE, HALF, NAMES_AT, WIDEST_ARC] = [360, 26, 13, 104, 124];
