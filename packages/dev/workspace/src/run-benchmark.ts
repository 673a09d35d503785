/** `npm run bench NAME [-- ARGUMENTS]`: runs one of the benchmarks in benchmarks/kernels. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../../../benchmarks/kernels/dist/', import.meta.url);
const [name, ...rest] = process.argv.slice(2);
const program = new URL(`${name}.js`, folder);
if (name === undefined || !existsSync(program)) {
  const names = readdirSync(folder).flatMap((file) =>
    /^(?!generate)[a-z-]+\.js$/.test(file) ? [file.slice(0, -'.js'.length)] : [],
  );
  console.error(`Missing the benchmark: npm run bench ${names.join(' | ')}`);
  process.exitCode = 3;
} else {
  const { status } = spawnSync(process.execPath, [fileURLToPath(program), ...rest], { stdio: 'inherit' });
  process.exitCode = status ?? 3;
}
