/** docs/architecture.svg: the rings, each a band with its packages, and the table that describes each package. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { markdownTable } from '@isolab/site';
import { readPackages } from './packages.ts';
import { type Ring, ringOf, rings } from './rings.ts';

const PURPOSES: Readonly<Record<Ring, string>> = {
  core: 'histories, levels, formats, kernels',
  checkers: 'one published idea each, and weave',
  proof: 'judges that share nothing with checkers',
  sources: 'workloads and real databases',
  library: 'open, check, explain, draw',
  field: 'hunts, recordings, streams',
  lab: 'the experiments of the papers',
  apps: 'command, pages',
  dev: 'for those who work here',
};

interface Member {
  readonly name: string;
  readonly folder: string;
  readonly description: string;
}

function membersOf(root: string, ring: Ring): Member[] {
  return readPackages(root)
    .filter(({ folder }) => folder.startsWith('packages/') && ringOf(folder) === ring)
    .map(({ folder }) => {
      const { description } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as {
        readonly description: string;
      };
      return { name: path.basename(folder), folder, description };
    });
}

/** Table of docs/architecture.md, from the outermost ring inward. */
export function packagesTable(root: string): string {
  const rows = rings
    .toReversed()
    .flatMap((ring) =>
      membersOf(root, ring).map(({ name, folder, description }, i) => [
        i === 0 ? `**${ring}**` : '',
        `[${name}](../${folder}/README.md)`,
        description,
      ]),
    );
  return markdownTable(['ring', 'package', 'description'], rows);
}

const [WIDTH, LEFT, LINE, PADDING] = [1000, 264, 34, 12];

export function architectureSvg(root: string): string {
  let y = 10;
  const bands = rings.toReversed().map((ring) => {
    const { boxes, lines } = boxesOf(membersOf(root, ring), y + PADDING);
    const height = lines * LINE + 2 * PADDING - 6;
    const band = [
      `<g class="band"><rect x="10" y="${y}" width="${WIDTH - 20}" height="${height}" rx="8"/>`,
      `<text class="ring" x="24" y="${y + 24}">${ring}</text>`,
      `<text class="purpose" x="24" y="${y + 41}">${PURPOSES[ring]}</text></g>`,
      ...boxes,
    ];
    y += height + 10;
    return band.join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-labelledby="title">
<title id="title">The packages of isolab in their rings: a ring imports only rings below it, but for dev</title>
<style>
  svg { background: #fff; }
  text { font: 13px system-ui, sans-serif; fill: #1b1f24; }
  .band rect { fill: #f3f5f8; stroke: #c3cad3; }
  .ring { font-weight: 700; font-size: 15px; }
  .purpose { font-size: 12px; fill: #47505b; }
  .package rect { fill: #fff; stroke: #5b7fb5; }
  @media (prefers-color-scheme: dark) {
    svg { background: #15171a; }
    text { fill: #e8e9eb; }
    .band rect { fill: #1d2025; stroke: #3a3f47; }
    .purpose { fill: #a3a9b3; }
    .package rect { fill: #262a30; stroke: #6f93c9; }
  }
</style>
${bands.join('\n')}
</svg>
`;
}

/** Draws the boxes of packages, as many per line as fit. */
function boxesOf(members: readonly Member[], top: number): { boxes: string[]; lines: number } {
  let [x, line] = [LEFT, 0];
  const boxes = members.map(({ name, description }) => {
    const width = name.length * 7.4 + 22;
    if (x + width > WIDTH - 20) [x, line] = [LEFT, line + 1];
    const y = top + line * LINE;
    const box =
      `<g class="package"><title>${escaped(description)}</title>` +
      `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="26" rx="5"/>` +
      `<text x="${(x + 11).toFixed(1)}" y="${y + 18}">${name}</text></g>`;
    x = Math.round(x + width + 8);
    return box;
  });
  return { boxes, lines: line + 1 };
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
