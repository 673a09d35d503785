/**
 * Runs one file of tests, again and again as it or what it tests changes:
 *
 *   npm run watch packages/core/formats/test/text.test.ts
 *
 * Words of vitest may follow, such as -t NAME or --run. What other packages hold is their compiled code: npm run build.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const [file, ...words] = process.argv.slice(2);
const whole =
  file === undefined ? null : [path.resolve(file), path.resolve(root, file)].find((each) => existsSync(each));
if (!whole) {
  process.stderr.write(
    `${file === undefined ? 'Missing FILE' : `There is no file ${file}`}: npm run watch packages/core/formats/test/text.test.ts\n`,
  );
  process.exit(1);
}
let folder = path.dirname(whole);
while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const config = path.join(root, 'packages/dev/workspace/vitest.config.mjs');
const args = [vitest, '--config', config, '--root', folder, path.relative(folder, whole), ...words];
spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) => process.exit(code ?? 1));
