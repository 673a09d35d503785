import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { madeBeside } from '@isolab/formats';
import { shellPath, visibleLine } from '@isolab/history';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { RECORDERS } from '@isolab/recorders';
import { CHECKERS } from 'isolab';
import { ExitCode, UsageError } from '../exit.ts';
import { templates } from '../own-package.ts';
import { type Printer, toJson } from '../print.ts';
import { type CommandModule, option } from '../options.ts';

export interface NewFlags {
  readonly folder?: string;
  readonly output: string;
}

export const command: CommandModule = {
  usage: 'new <what> <name>',
  summary:
    'create a package for your own checker, with tests (checker), or a folder of experiments (lab); print a recorder for your application, by its language (recorder)',
  options: [option('--folder <folder>', 'create it here; in a folder of that name if absent')],
  run: createNew,
};

/**
 * `isolab new checker`: a package with a checker that works and is tested at once, to be made into another one; `isolab new
 * lab`: a folder with all experiments and datasets, for `isolab bench`, `report` and `datasets`; `isolab new recorder`: a file
 * that an application copies, on standard output.
 */
export async function createNew(what: string, name: string, flags: NewFlags, printer: Printer): Promise<number> {
  if (what === 'checker') return newChecker(name, flags, printer);
  if (what === 'lab') return newLab(name, flags, printer);
  if (what === 'recorder') return printRecorder(name, flags, printer);
  throw new UsageError(
    `isolab new makes a checker, a lab or a recorder, not ${what}: isolab new checker NAME, isolab new lab NAME, isolab new recorder LANGUAGE.`,
  );
}

function printRecorder(language: string, flags: NewFlags, printer: Printer): number {
  const recorder = RECORDERS.find((each) => each.language === language);
  if (recorder === undefined) {
    const languages = RECORDERS.map((each) => each.language).join(', ');
    throw new UsageError(
      `There is no recorder for ${language}, expected one of ${languages}. docs/recorders.md says what one writes.`,
    );
  }
  if (flags.folder !== undefined)
    throw new UsageError('A recorder is printed; > FILE says where it goes, and --folder does not.');
  const { file } = recorder;
  const content = readFileSync(recorderFile(file), 'utf8');
  if (flags.output === 'json') printer.out(toJson({ language, file: basename(file), content }));
  else printer.out(content.trimEnd());
  return ExitCode.Satisfied;
}

/** In the package of an installed isolab, or in the clone. */
function recorderFile(file: string): URL {
  const brought = new URL(`recorders/${file}`, templates());
  return existsSync(brought) ? brought : new URL(`../../recorders/${file}`, templates());
}

async function newLab(name: string, flags: NewFlags, printer: Printer): Promise<number> {
  const folder = flags.folder ?? name;
  const lab = fileURLToPath(new URL('lab/', templates()));
  if (!existsSync(lab))
    throw new UsageError('This isolab runs from a clone of its repository, which is a lab already: --root names it.');
  insistOnRoom(folder);
  await makeWhole(folder, async (at) => cpSync(lab, at, { recursive: true }));
  if (flags.output === 'json') printer.out(toJson({ name, folder: resolve(folder), files: filesOf(lab) }));
  else
    printer.out(
      `${visibleLine(folder)}: benchmarks/ and datasets/\n\n  cd ${shellPath(folder)} && npx isolab bench --list`,
    );
  return ExitCode.Satisfied;
}

async function newChecker(name: string, flags: NewFlags, printer: Printer): Promise<number> {
  insistOnName(name);
  const folder = flags.folder ?? name;
  insistOnRoom(folder);
  const template = fileURLToPath(new URL('checker/', templates()));
  const files = filesOf(template);
  printer.note('Packing isolab, which the new package depends on …');
  await makeWhole(folder, async (at) => {
    await pack(join(at, 'packed'));
    for (const file of files) {
      const text = readFileSync(join(template, file), 'utf8').replaceAll('my-checker', name);
      mkdirSync(dirname(join(at, file)), { recursive: true });
      writeFileSync(join(at, file), text);
    }
  });
  if (flags.output === 'json') printer.out(toJson({ name, folder: resolve(folder), files }));
  else {
    printer.out(`${visibleLine(folder)}: a checker of read committed, to begin with (${files.join(', ')})`);
    printer.out(`\n  cd ${shellPath(folder)} && npm install && npm test`);
    printer.out(`  npx isolab check history.jsonl --level read-committed --checker ./checker.js`);
  }
  return ExitCode.Satisfied;
}

/**
 * Puts the tarballs of isolab and of what a checker needs beside the new package, which then needs neither a registry nor
 * this isolab to be where it is. In a clone of the repository they are made now; an installed isolab brings them along.
 */
async function pack(target: string): Promise<void> {
  const folder = templates();
  mkdirSync(target);
  const brought = new URL('packed/', folder);
  const isInstalled = existsSync(brought);
  const packer = fileURLToPath(new URL('../../packaging/dist/main.js', folder));
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
  for (const file of readdirSync(target)) renameSync(join(target, file), join(target, file.replace(/-\d.*/, '.tgz')));
}

async function quietly(program: string, args: readonly string[]): Promise<void> {
  const shell = process.platform === 'win32' && program === 'npm'; // a script, which only a shell starts
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], shell });
  const stop = (): boolean => child.kill('SIGKILL'); // if this is cut off: nothing is written after the removal
  process.prependListener('exit', stop);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  process.off('exit', stop);
  if (code !== 0) throw new UsageError(`${program} ${args[0]} ended with ${signal ?? `exit code ${code}`}.`);
}

function insistOnName(name: string): void {
  if (name.length > LONGEST || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new UsageError(
      `A checker's name is in kebab-case, such as my-checker, and at most ${LONGEST} long, not ${name}.`,
    );
  if (CHECKERS.some((each) => each.name === name))
    throw new UsageError(`${name} comes with isolab, and --checker ${name} would run that one; choose another name.`);
}

function insistOnRoom(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file; --folder names the folder to make.`);
  if (readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty, and nothing in it will be overwritten; --folder names another one.`);
}

/** A folder that is there once all of it is. */
async function makeWhole(folder: string, fill: (at: string) => Promise<void>): Promise<void> {
  const target = resolve(folder);
  mkdirSync(dirname(target), { recursive: true });
  await madeBeside(target, async (unfinished) => {
    mkdirSync(unfinished);
    await fill(unfinished);
    if (existsSync(target)) rmdirSync(target); // it is empty
    renameSync(unfinished, target);
  });
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted();

/** What npm takes, with room for a scope. */
const LONGEST = 100;
