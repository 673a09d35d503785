/** `npm run generate`: writes what is generated in README.md, and docs/gallery.md with its pictures. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { gallery } from './gallery.ts';
import { regenerate } from './readme.ts';

const root = new URL('../../../', import.meta.url);
const readme = new URL('README.md', root);
writeFileSync(readme, regenerate(readFileSync(readme, 'utf8')));

const docs = new URL('docs/', root);
rmSync(new URL('gallery/', docs), { recursive: true, force: true });
mkdirSync(new URL('gallery/', docs), { recursive: true });
for (const { path, content } of await gallery()) writeFileSync(new URL(path, docs), content);
