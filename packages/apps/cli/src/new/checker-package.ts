import { PUBLIC } from 'isolab/formats';
import { shellPath, started, visibleLine } from 'isolab/skin';
import { CHECKERS } from 'isolab/check';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ExitCode, UsageError } from '../terminal/exit.ts';
import { templates } from '../terminal/own-package.ts';
import { type Printer, toJson } from '../terminal/print.ts';
import { filesOf, insistOnRoom, makeWhole } from './folders.ts';
import { insistOnName } from './names.ts';

/**
 * `isolab new checker NAME --package`: creates a package with a working checker and its tests, which needs no registry.
 */
export async function newCheckerPackage(
  name: string,
  flags: { readonly out?: string; readonly output: string },
  printer: Printer,
): Promise<number> {
  insistOnName(
    'checker',
    name,
    CHECKERS.map((each) => each.name),
  );
  const folder = flags.out ?? name;
  insistOnRoom(folder);
  const template = fileURLToPath(new URL('checker-package/', templates()));
  const files = [CHECKER, ...filesOf(template)];
  printer.note('Packing isolab, a dependency of the new package …');
  await makeWhole(folder, async (at) => {
    await pack(join(at, 'packed'));
    for (const file of files) {
      const text = textOf(file, template).replaceAll('my-checker', name);
      mkdirSync(dirname(join(at, file)), { recursive: true });
      writeFileSync(join(at, file), text, { mode: PUBLIC });
    }
  });
  if (flags.output === 'json') printer.out(toJson({ name, folder: resolve(folder), files }));
  else {
    printer.out(`${visibleLine(folder)}: a checker of read committed to start from (${files.join(', ')})`);
    printer.out(`\n  cd ${shellPath(folder)} && npm install && npm test`);
    printer.out(`  npx isolab check history.jsonl --level read-committed --checker ./checker.js`);
  }
  return ExitCode.Satisfied;
}

const CHECKER = 'checker.js';

/** The checker is the file that `isolab new checker` writes without a package. */
function textOf(file: string, template: string): string {
  if (file !== CHECKER) return readFileSync(join(template, file), 'utf8');
  const text = readFileSync(new URL('checker/my-checker.mjs', templates()), 'utf8');
  return text.replace('`isolab test ./my-checker.mjs`', '`npm test`');
}

/**
 * Copies the tarballs of isolab and of a checker's dependencies beside the new package, which then needs neither a
 * registry nor this installation. In a clone of the repository they are built now; an installed isolab includes them.
 */
async function pack(target: string): Promise<void> {
  const folder = templates();
  mkdirSync(target);
  const brought = new URL('packed/', folder);
  const isInstalled = existsSync(brought);
  const packer = fileURLToPath(new URL('../../../dev/packaging/dist/main.js', folder));
  if (!isInstalled && !existsSync(packer))
    throw new UsageError('This clone of isolab is not compiled yet: npm run build.');
  if (isInstalled) {
    cpSync(brought, target, { recursive: true });
    const itself = fileURLToPath(new URL('..', folder));
    const npm = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', target, itself];
    await quietly('npm', npm);
  } else {
    await quietly(process.execPath, [packer, target]);
    rmSync(join(target, 'staged'), { recursive: true });
  }
  for (const file of readdirSync(target)) {
    const name = file.replace(/(-\d.*)?\.tgz$/, '.tgz');
    if (name === 'isolab-contract.tgz') rmSync(join(target, file)); // isolab includes its content
    else renameSync(join(target, file), join(target, name));
  }
}

async function quietly(program: string, args: readonly string[]): Promise<void> {
  const shell = process.platform === 'win32' && program === 'npm'; // npm is a script on Windows, which only a shell can start
  const child = started(spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], shell }), () => {}); // once() throws the reason
  const stop = (): boolean => child.kill('SIGKILL'); // if this process is cut off: nothing is written after the removal
  process.prependListener('exit', stop);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  process.off('exit', stop);
  if (code !== 0) throw new UsageError(`${program} ${args[0]} ended with ${signal ?? `exit code ${code}`}.`);
}
