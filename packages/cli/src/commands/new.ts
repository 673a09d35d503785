import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
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
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { BUILT_IN } from '../checkers.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { type Printer, toJson } from '../print.ts';

export interface NewFlags {
  readonly folder?: string;
  readonly output: string;
}

/** Where the templates are. */
export interface Templates {
  readonly folder: URL;
}

/**
 * `isolab new checker`: a package with a checker that works and is tested at once, to be made into another one; `isolab new
 * lab`: a folder with all experiments and datasets, for `isolab bench`, `report` and `datasets`.
 */
export function createNew(what: string, name: string, flags: NewFlags, templates: Templates, printer: Printer): number {
  if (what === 'checker') return newChecker(name, flags, templates, printer);
  if (what === 'lab') return newLab(name, flags, templates, printer);
  throw new UsageError(
    `isolab new makes a checker or a lab, not ${what}: isolab new checker NAME, isolab new lab NAME.`,
  );
}

function newLab(name: string, flags: NewFlags, templates: Templates, printer: Printer): number {
  const folder = flags.folder ?? name;
  const lab = fileURLToPath(new URL('lab/', templates.folder));
  if (!existsSync(lab))
    throw new UsageError('This isolab runs from a clone of its repository, which is a lab already: --root names it.');
  insistOnRoom(folder);
  makeWhole(folder, (at) => cpSync(lab, at, { recursive: true }));
  if (flags.output === 'json') printer.out(toJson({ name, folder: resolve(folder), files: filesOf(lab) }));
  else
    printer.out(
      `${visibleLine(folder)}: benchmarks/ and datasets/\n\n  cd ${shellPath(folder)} && npx isolab bench --list`,
    );
  return ExitCode.Satisfied;
}

function newChecker(name: string, flags: NewFlags, templates: Templates, printer: Printer): number {
  insistOnName(name);
  const folder = flags.folder ?? name;
  insistOnRoom(folder);
  const template = fileURLToPath(new URL('checker/', templates.folder));
  const files = filesOf(template);
  printer.note('Packing isolab, which the new package depends on …');
  makeWhole(folder, (at) => {
    pack(templates, join(at, 'packed'));
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
function pack({ folder }: Templates, target: string): void {
  mkdirSync(target);
  const brought = new URL('packed/', folder);
  const isInstalled = existsSync(brought);
  const packer = fileURLToPath(new URL('../../isolab/dist/pack/main.js', folder));
  if (!isInstalled && !existsSync(packer))
    throw new UsageError('This clone of isolab is not compiled yet: npm run build.');
  if (isInstalled) {
    cpSync(brought, target, { recursive: true });
    const itself = fileURLToPath(new URL('..', folder));
    const npm = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', target, itself];
    execFileSync('npm', npm, { ...QUIET, shell: process.platform === 'win32' });
  } else {
    execFileSync(process.execPath, [packer, target], QUIET);
    rmSync(join(target, 'staged'), { recursive: true });
  }
  for (const file of readdirSync(target)) renameSync(join(target, file), join(target, file.replace(/-\d.*/, '.tgz')));
}

const QUIET: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'inherit'] };

function insistOnName(name: string): void {
  if (name.length > LONGEST || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new UsageError(
      `A checker's name is in kebab-case, such as my-checker, and at most ${LONGEST} long, not ${name}.`,
    );
  if (Object.hasOwn(BUILT_IN, name))
    throw new UsageError(
      `${name} comes with isolab, so that --checker ${name} would never mean yours; take another name.`,
    );
}

function insistOnRoom(folder: string): void {
  if (!existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder} is a file; --folder names the folder to make.`);
  if (readdirSync(folder).length > 0)
    throw new UsageError(`${folder} is not empty, and nothing in it will be overwritten; --folder names another one.`);
}

/** A folder that is there once all of it is. */
function makeWhole(folder: string, fill: (at: string) => void): void {
  const target = resolve(folder);
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    mkdirSync(unfinished, { recursive: true });
    fill(unfinished);
    if (existsSync(target)) rmdirSync(target); // it is empty
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => statSync(join(folder, file)).isFile())
    .toSorted();

/** What npm takes, with room for a scope. */
const LONGEST = 100;
