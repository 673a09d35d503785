/** Graph of programs: one row each, with arcs between the programs of a prediction. */
import { escapeXml } from '@isolab/story/markup';

/** State of a prediction after its confirmation. */
export type State = 'predicted' | 'happened' | 'prevented' | 'absent';

export interface Arc {
  /** Rows of the two programs. */
  readonly from: number;
  readonly to: number;
  readonly state: State;
  /** Title of the arc: the numbers and names of its predictions. */
  readonly title: string;
}

const ROW = 52;
const WIDTH = 116;
/** Horizontal position of the nodes. */
const NODES = WIDTH - 10;
const NEAREST = 26;
const STEP = 13;

const STATES: Readonly<Record<State, string>> = {
  predicted: 'predicted',
  happened: 'happened on the database',
  prevented: 'prevented',
  absent: 'did not come about',
};

/** Returns the rows of the graph as HTML: the arcs are drawn once, beside all rows. */
export function graphHtml(rows: readonly string[], arcs: readonly Arc[]): string {
  const height = rows.length * ROW;
  const paths = spread(arcs).map(
    ({ arc, depth }) =>
      `<path class="${arc.state}" d="${pathOf(arc, depth)}"><title>${escapeXml(`${arc.title}: ${STATES[arc.state]}`)}</title></path>`,
  );
  const nodes = rows.map((_, i) => `<circle cx="${NODES}" cy="${middleOf(i)}" r="5"/>`);
  const states = [...new Set(arcs.map(({ state }) => state))];
  const legend = states.map(
    (state) =>
      `<li><svg width="34" height="10" aria-hidden="true"><path class="${state}" d="M1 5H33"/></svg> ${STATES[state]}</li>`,
  );
  return `<div class="graph"><svg width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Predicted dangers between programs">${paths.join('')}${nodes.join('')}</svg><ol>${rows.map((row) => `<li>${row}</li>`).join('')}</ol></div><ul class="legend">${legend.join('')}</ul>`;
}

const middleOf = (row: number): number => row * ROW + ROW / 2;

/** Gives arcs between equal rows, and longer arcs, more depth. */
function spread(arcs: readonly Arc[]): { readonly arc: Arc; readonly depth: number }[] {
  const used = new Map<string, number>();
  return arcs.map((arc) => {
    const pair = [arc.from, arc.to].toSorted((a, b) => a - b).join();
    const before = used.get(pair) ?? 0;
    used.set(pair, before + 1);
    return { arc, depth: Math.min(NODES - 8, NEAREST + STEP * (Math.abs(arc.from - arc.to) + before)) };
  });
}

function pathOf({ from, to }: Arc, depth: number): string {
  const x = NODES - (depth * 4) / 3;
  if (from !== to)
    return `M${NODES} ${middleOf(from)}C${x} ${middleOf(from)} ${x} ${middleOf(to)} ${NODES} ${middleOf(to)}`;
  const y = middleOf(from);
  return `M${NODES} ${y}C${x} ${y - 22} ${x} ${y + 22} ${NODES} ${y}`;
}

export const GRAPH_STYLE = `
.graph{display:grid;grid-template-columns:${WIDTH}px minmax(0,1fr)}
.graph ol{list-style:none;margin:0;padding:0;min-width:0}
.graph li{height:${ROW}px;padding:.25rem .2rem;line-height:1.35;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.graph code{display:block;overflow:hidden;text-overflow:ellipsis}
.graph .faint{font-size:.88rem}
.graph path,.legend path{fill:none;stroke-width:2.5;stroke:var(--warn)}
.graph circle{fill:var(--text)}
path.predicted{stroke-dasharray:6 4}
path.happened{stroke:var(--bad);stroke-width:3.5}
path.prevented{stroke:var(--good)}
path.absent{stroke:var(--faint);stroke-dasharray:2 4}
ul.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2rem 1.4rem;font-size:.88rem;color:var(--faint)}
`;
