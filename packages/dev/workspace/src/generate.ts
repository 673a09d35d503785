/**
 * `npm run generate`: writes the tables of docs/, docs/commands.md, docs/api.md, CITATION.cff, and docs/gallery.md with its pictures. Pictures of
 * real databases need their histories, in the folder that ISOLAB_DATASETS names.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { latticeSvg } from '@isolab/lattice';
import { levelsModule } from '@isolab/levels';
import { architectureSvg } from './architecture-picture.ts';
import { apiPage } from './api/page.ts';
import { citationFile } from './citation.ts';
import { gallery, isOfDatasets } from './gallery.ts';
import { litmusPage } from './litmus-page.ts';
import { TABLE_PAGES, type TableName, regenerate } from './tables.ts';

const MAIN = fileURLToPath(new URL('../../../apps/cli/isolab.cjs', import.meta.url));

const help = (...command: readonly string[]): string =>
  spawnSync(process.execPath, [MAIN, ...command, '--help'], { encoding: 'utf8' }).stdout.trim();

/** Names of the commands in the order in which the help lists them. */
const commandNames = (overview: string): string[] =>
  [...overview.slice(overview.indexOf('Commands:')).matchAll(/^ {2}([a-z][a-z-]*) /gm)]
    .map(([, name]) => name!)
    .filter((name) => name !== 'help');

/** docs/commands.md: the help of every command, as the command line prints it. */
function commandReference(): string {
  const overview = help();
  const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``;
  const sections = commandNames(overview).map((name) => `## isolab ${name}\n\n${block(help(name))}`);
  return `# Commands\n\nThe help of every command, as \`isolab --help\` prints it. \`npm run generate\` writes this page.\n\n${block(overview)}\n\n${sections.join('\n\n')}\n`;
}

const root = new URL('../../../../', import.meta.url);
const docs = new URL('docs/', root);
const levels = new URL('packages/core/levels/', root);
const files = readdirSync(new URL('levels/', levels)).map((file) => ({
  name: file.replace(/\.lvl$/, ''),
  text: readFileSync(new URL(`levels/${file}`, levels), 'utf8'),
}));
writeFileSync(new URL('src/generated/levels.ts', levels), levelsModule(files));

for (const [name, page] of Object.entries(TABLE_PAGES))
  writeFileSync(new URL(page, root), regenerate(readFileSync(new URL(page, root), 'utf8'), name as TableName));
writeFileSync(new URL('litmus.md', docs), litmusPage());
writeFileSync(new URL('levels.svg', docs), latticeSvg());
writeFileSync(new URL('architecture.svg', docs), architectureSvg(fileURLToPath(root)));
writeFileSync(new URL('commands.md', docs), commandReference());
writeFileSync(new URL('api.md', docs), apiPage());
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
writeFileSync(new URL('CITATION.cff', root), citationFile(read('benchmarks/papers.json'), read('package.json')));

const datasets = process.env['ISOLAB_DATASETS'];
const galleryFiles = await gallery(datasets, readFileSync(new URL('gallery.md', docs), 'utf8'));
const pictures = new URL('gallery/', docs);
mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures))
  if (datasets !== undefined || !isOfDatasets(name)) rmSync(new URL(name, pictures), { recursive: true });
for (const { path, content } of galleryFiles) writeFileSync(new URL(path, docs), content);
if (datasets === undefined) console.log('ISOLAB_DATASETS is not set: the pictures of real databases stay as they are.');
