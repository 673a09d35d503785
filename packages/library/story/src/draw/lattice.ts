import { LEVELS, type LevelName } from '@isolab/contract';
import { escapeXml } from '../markup/index.ts';

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
 * Draws the lattice of levels with strong levels above weak levels, a line from each level to the levels that it
 * implies, and marks on the levels that are kept.
 */
export function drawLattice(known: Readonly<Record<string, 'kept' | 'not kept'>>): string {
  const rows = Math.max(...LEVELS.map(({ name }) => rowOf(name)));
  const [width, height] = [3 * (WIDE + GAP) - GAP, rows * (HIGH + BETWEEN) - BETWEEN];
  const at = (name: LevelName): { x: number; y: number } => {
    const { row, column } = placeInLattice(name);
    return { x: (column - 1) * (WIDE + GAP), y: (row - 1) * (HIGH + BETWEEN) };
  };
  const lines = LEVELS.flatMap(({ name, implies }) =>
    implies.map((weak) => {
      const [from, to] = [at(name), at(weak)];
      return `<line x1="${from.x + WIDE / 2}" y1="${from.y + HIGH}" x2="${to.x + WIDE / 2}" y2="${to.y}"/>`;
    }),
  );
  const boxes = LEVELS.map(({ name, title }) => {
    const { x, y } = at(name);
    const standing = known[name];
    const [mark, kind] =
      standing === undefined ? ['', 'open'] : standing === 'kept' ? ['✓ ', 'kept'] : ['✗ ', 'broken'];
    return `<g class="${kind}"><title>${escapeXml(`${title}: ${standing ?? 'not decided'}`)}</title><rect x="${x}" y="${y}" width="${WIDE}" height="${HIGH}" rx="6"/><text x="${x + WIDE / 2}" y="${y + HIGH / 2}">${mark}${escapeXml(name)}</text></g>`;
  });
  const told = LEVELS.map(({ name }) => `${name}: ${known[name] ?? 'not decided'}`).join(', ');
  return `<svg class="lattice" viewBox="-1 -1 ${width + 2} ${height + 2}" width="${width}" role="img" aria-label="${escapeXml(told)}">${lines.join('')}${boxes.join('')}</svg>`;
}

export const LATTICE_STYLE = `
.lattice{display:block;max-width:100%;height:auto}
.lattice line{stroke:var(--line);stroke-width:1.5}
.lattice rect{fill:var(--card);stroke:var(--line)}
.lattice text{font-size:13px;text-anchor:middle;dominant-baseline:central;fill:var(--faint)}
.lattice .kept rect{stroke:var(--good);stroke-width:2}
.lattice .kept text{fill:var(--good);font-weight:600}
.lattice .broken rect{stroke:var(--bad);stroke-width:2}
.lattice .broken text{fill:var(--bad)}
`;

// In pixels. A box is as wide as the longest name.
const [WIDE, HIGH, GAP, BETWEEN] = [250, 28, 16, 20];
