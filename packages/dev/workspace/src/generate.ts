/** `npm run generate`: writes the tables and pictures of docs/, CITATION.cff, and the levels as a module. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { latticeSvg } from '@isolab/story';
import { levelsModule } from '@isolab/levels';
import { architectureSvg } from './architecture-picture.ts';
import { citationFile } from './citation.ts';
import { TABLE_PAGES, type TableName, regenerate } from './tables.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const write = (path: string, text: string): void => writeFileSync(new URL(path, root), text);

const levels = 'packages/core/levels';
const files = readdirSync(new URL(`${levels}/levels/`, root)).map((file) => ({
  name: file.replace(/\.lvl$/, ''),
  text: read(`${levels}/levels/${file}`),
}));
write(`${levels}/src/generated/levels.ts`, levelsModule(files));

for (const [name, page] of Object.entries(TABLE_PAGES)) write(page, regenerate(read(page), name as TableName));
write('docs/levels.svg', latticeSvg());
write('docs/architecture.svg', architectureSvg(fileURLToPath(root)));
write('CITATION.cff', citationFile(read('benchmarks/papers.json'), read('package.json')));
