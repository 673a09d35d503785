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
 * Draws the lattice of common levels as a list, with strong levels at the top, an arc from each level to the levels
 * that it implies directly, and marks on the levels that are kept. It fits a phone, and no line crosses a name.
 */
export function drawLattice(known: Readonly<Record<string, 'kept' | 'not kept'>>): string {
  const names = LEVELS.toReversed();
  const at = (name: LevelName): number => HALF + LINE * names.findIndex((level) => level.name === name);
  const arcs = names.flatMap(({ name, implies }) =>
    implies.map((weak) => {
      const reach = NAMES_AT - 10 - WIDEST_ARC * Math.sqrt((at(weak) - at(name)) / (LINE * names.length));
      return `<path d="M${NAMES_AT - 10},${at(name)}C${round(reach)},${at(name)} ${round(reach)},${at(weak)} ${NAMES_AT - 10},${at(weak)}"/>`;
    }),
  );
  const texts = names.map(({ name, title }) => {
    const standing = known[name];
    const [mark, kind] =
      standing === undefined ? ['', 'open'] : standing === 'kept' ? ['✓ ', 'kept'] : ['✗ ', 'broken'];
    return `<g class="${kind}"><title>${escapeXml(`${name}: ${standing ?? 'not decided'}`)}</title><circle cx="${NAMES_AT - 7}" cy="${at(name)}" r="3.5"/><text x="${NAMES_AT + 4}" y="${at(name)}">${mark}${escapeXml(title)}</text></g>`;
  });
  const told = LEVELS.map(({ name, title }) => `${title}: ${known[name] ?? 'not decided'}`).join(', ');
  const height = LINE * names.length;
  return `<svg class="lattice" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(told)}">${arcs.join('')}${texts.join('')}</svg>`;
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
