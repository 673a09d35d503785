/**
 * `npm run generate`: writes what is generated in README.md, and docs/gallery.md with its pictures; those of real
 * databases only where ISOLAB_DATASETS says where their histories are.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { gallery, isOfDatasets } from './gallery.ts';
import { regenerate } from './readme.ts';

const root = new URL('../../../', import.meta.url);
const readme = new URL('README.md', root);
writeFileSync(readme, regenerate(readFileSync(readme, 'utf8')));

const docs = new URL('docs/', root);
const datasets = process.env['ISOLAB_DATASETS'];
const files = await gallery(datasets, readFileSync(new URL('gallery.md', docs), 'utf8'));
const pictures = new URL('gallery/', docs);
mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures))
  if (datasets !== undefined || !isOfDatasets(name)) rmSync(new URL(name, pictures), { recursive: true });
for (const { path, content } of files) writeFileSync(new URL(path, docs), content);
if (datasets === undefined) console.log('ISOLAB_DATASETS is not set: the pictures of real databases stay as they are.');
