import { escapeXml } from '../markup/index.ts';
import { drawLattice } from '../draw/lattice.ts';
import type { StoryChecked, StoryCount } from '../story/story.ts';

/** Section of a page about the completed checks. */
export function checkedSection({ holds, evidence, asked, kept, levels }: StoryChecked): string {
  return `<section class="checked" aria-label="What was checked"><h2>What was checked</h2>
<div class="facts">${facts('The history', holds)}${facts('What the verdict rests on', evidence)}${facts('Requested levels', asked)}</div>
<h2>Levels kept</h2><p>${escapeXml(kept)}.</p>
${drawLattice(levels)}
<p class="faint">A line leads from a level to a level below that it implies. ✓ kept, ✗ not kept; the other levels were not checked.</p></section>`;
}

const facts = (caption: string, counts: readonly StoryCount[]): string =>
  counts.length === 0
    ? ''
    : `<table><caption>${escapeXml(caption)}</caption><tbody>${counts
        .map(({ what, count }) => `<tr><th scope="row">${escapeXml(what)}</th><td>${escapeXml(count)}</td></tr>`)
        .join('')}</tbody></table>`;

export const CHECKED_STYLE = `
.facts{display:flex;flex-wrap:wrap;gap:1rem 2.5rem}
.facts caption{text-align:left;font-weight:600;padding:.2rem 0}
.facts th{text-align:left;font-weight:400;padding-right:1rem;vertical-align:top}
.facts td{font-variant-numeric:tabular-nums}
`;
