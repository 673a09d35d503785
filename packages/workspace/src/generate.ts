/** `npm run generate`: writes what is generated in README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { regenerate } from './readme.ts';

const readme = new URL('../../../README.md', import.meta.url);
writeFileSync(readme, regenerate(readFileSync(readme, 'utf8')));
