/**
 * `npm run generate`: writes the tables of docs/, docs/commands.md, and docs/gallery.md with its pictures. Pictures of
 * real databases need their histories, in the folder that ISOLAB_DATASETS names.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { commandReference } from './command-reference.ts';
import { gallery, isOfDatasets } from './gallery.ts';
import { TABLE_NAMES, regenerate } from './tables.ts';

const root = new URL('../../../', import.meta.url);
const docs = new URL('docs/', root);
for (const name of TABLE_NAMES) {
  const page = new URL(`${name}.md`, docs);
  writeFileSync(page, regenerate(readFileSync(page, 'utf8'), name));
}
writeFileSync(new URL('commands.md', docs), commandReference());

const datasets = process.env['ISOLAB_DATASETS'];
const files = await gallery(datasets, readFileSync(new URL('gallery.md', docs), 'utf8'));
const pictures = new URL('gallery/', docs);
mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures))
  if (datasets !== undefined || !isOfDatasets(name)) rmSync(new URL(name, pictures), { recursive: true });
for (const { path, content } of files) writeFileSync(new URL(path, docs), content);
if (datasets === undefined) console.log('ISOLAB_DATASETS is not set: the pictures of real databases stay as they are.');
