// Style of figures: Okabe and Ito's colours, open markers, a frame and a grid as in the papers.

/** Colours of series, each with its counterpart on a dark page. */
const PALETTE = [
  ['#0072b2', '#5ab4f0'],
  ['#d55e00', '#ff8a3d'],
  ['#009e73', '#35cfa3'],
  ['#b0588f', '#e08cc0'],
  ['#b07800', '#e0aa3e'],
  ['#3a9bd6', '#8fd0f7'],
  ['#7a5fb5', '#b39ae8'],
  ['#6f7680', '#a9b0ba'],
  ['#a0522d', '#d98c5f'],
  ['#2f7d7a', '#6cc3c0'],
  ['#c23b6a', '#f27ba0'],
  ['#5b7a1f', '#a3c95a'],
  ['#1d2f6f', '#8c9cf0'],
  ['#7a0c4a', '#ff9ad5'],
  ['#14532d', '#7fd99a'],
  ['#e0533d', '#ff7a66'],
  ['#9b1fb3', '#d884ee'],
  ['#5a3a1a', '#c7a27c'],
] as const;

export const COLOURS: readonly string[] = PALETTE.map(([light]) => light);

export const SHAPES = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'triangle-down',
  'cross',
  'triangle-right',
  'triangle-left',
];

/** Returns the n-th element of a list, cyclically. */
export const nth = <T>(list: readonly T[], n: number): T => list[n % list.length]!;

export const FILL = '#ffffff'; // fill of open markers; a dark page overrides it
export const INK = '#222222';
export const GRID = '#d9dce1';
export const LIMIT = '#666b74';

export const CONFIG = {
  background: 'transparent',
  font: "'DejaVu Sans', system-ui, 'Segoe UI', sans-serif",
  view: { stroke: INK, strokeWidth: 1 },
  axis: {
    labelFontSize: 12,
    titleFontSize: 13,
    titleFontWeight: 'normal',
    labelColor: INK,
    titleColor: INK,
    gridColor: GRID,
    gridWidth: 0.8,
    domain: false,
    tickColor: INK,
    labelOverlap: true,
    titlePadding: 8,
  },
  legend: {
    labelFontSize: 12,
    titleFontSize: 12,
    labelColor: INK,
    titleColor: INK,
    labelLimit: 320,
    titleLimit: 320,
    symbolSize: 90,
  },
  title: { fontSize: 14, fontWeight: 'bold', color: INK, anchor: 'start' },
} as const;

/** Colour of a line, a surface or a text of a figure file on a dark background. */
export function inTheDark(property: string, colour: string): string {
  const known = PALETTE.find(([light]) => light === colour);
  if (known) return known[1];
  if (colour === INK) return property === 'fill' ? '#e6e8eb' : '#a3a9b3';
  if (colour === GRID) return '#363b43';
  if (colour === LIMIT) return '#9aa1ab';
  return colour === FILL ? '#0d1117' : colour;
}

const brighter = (attribute: string): string =>
  PALETTE.map(([light, dark]) => `.chart svg [${attribute}="${light}"]{${attribute}:${dark}}`).join('');

/** Style by which a page makes a figure for white paper readable on a dark background. */
export const CHART_STYLE = `
.chart{position:relative;margin:.6rem 0}
.chart svg{display:block;width:100%;height:auto;max-width:62rem;min-width:31rem}
.chart [aria-label]{cursor:default}
.chart .tip{position:absolute;pointer-events:none;background:var(--text);color:var(--page);padding:.2rem .5rem;border-radius:4px;font-size:.85rem;max-width:18rem;z-index:2}
.chart .chips{display:flex;flex-wrap:wrap;gap:.4rem;margin-bottom:.4rem}
.chart .chips svg{display:inline-block;vertical-align:-.15em;width:1rem;height:1rem;min-width:0;margin-right:.35rem;padding:1px;border-radius:3px;background:var(--page)}
@media (prefers-color-scheme:dark){
.chart svg [fill="${LIMIT}"]{fill:#9aa1ab}
.chart svg text{fill:#e8e9eb}
.chart svg [stroke="${INK}"]{stroke:#a3a9b3}
.chart svg [stroke="${GRID}"]{stroke:#363b43}
.chart svg [fill="${FILL}"]{fill:#15171a}
${brighter('stroke')}
${brighter('fill')}
}`;
