/**
 * `npm run site [FOLDER]`: builds the site into a folder, by default dist/site. If GITHUB_REPOSITORY is set, links to
 * folders without a page lead there. Pictures of real databases need their histories, in the folder ISOLAB_DATASETS.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildSite } from './build.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: repository } = process.env;
const [, , folder = join(root, 'dist/site'), ...others] = process.argv;
if (folder.startsWith('-') || others.length > 0) {
  console.error(`Found ${[folder, ...others].join(' ')}, expected at most one folder: npm run site -- FOLDER`);
  process.exit(3);
}
const out = resolve(folder);
if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'site.css'))) {
  console.error(`${out} contains other files than the site. Name an empty folder: npm run site -- FOLDER`);
  process.exit(3);
}
rmSync(out, { recursive: true, force: true });
const address = repository === undefined ? null : `${server}/${repository}`;
const { pages, broken } = await buildSite({ root, out, address, datasets: process.env['ISOLAB_DATASETS'] });
for (const line of broken) console.error(line);
if (broken.length > 0) {
  console.error(`${broken.length} broken links. Correct the pages named above.`);
  process.exit(3);
}
console.log(`Wrote ${pages} pages. Open ${join(out, 'index.html')} in a browser.`);
