import { OutputError, PRIVATE } from 'isolab/formats';
import {
  type BigIntStats,
  accessSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { UsageError } from './exit.ts';

/** Kind of file that a command makes, and may therefore replace without `--force`. */
export type Made = 'page' | 'certificate' | 'output';

export interface TargetOptions {
  /** Inputs of the command: never overwritten, with any flags. */
  readonly inputs: readonly string[];
  /** Whether an existing file may be replaced. */
  readonly force?: boolean | undefined;
  /** Kind of file that the command may replace without `force`. */
  readonly made?: Made;
}

/**
 * Refuses, before any work is done, to write a file that would destroy data or cannot be written: an input, or a file
 * that may not be replaced.
 */
export function insistOnTarget(path: string, { inputs, force = false, made }: TargetOptions): void {
  if (path === '-') return;
  const folder = dirname(resolve(path));
  if (!statOf(folder)?.isDirectory()) throw new UsageError(`${path} cannot be written: there is no folder ${folder}.`);
  const there = statOf(path);
  if (!there) {
    insistOnAccess(path, folder);
    return;
  }
  for (const input of inputs)
    if (isWithin(path, there, input))
      throw new UsageError(`${path} is an input and would be overwritten; choose another path for the result.`);
  if (there.isDirectory()) throw new UsageError(`${path} is a directory; name a file in it.`);
  insistOnAccess(path, there.isFile() ? folder : path);
  // A device or a pipe holds no data; neither does an empty file.
  if (force || !there.isFile() || there.size === 0n || (made !== undefined && isMade(path, made))) return;
  throw new UsageError(`${path} exists already; --force replaces it.`);
}

/**
 * A file is written beside its place and moved there, so its folder must be writable; a device or a pipe must be
 * writable itself.
 */
function insistOnAccess(path: string, needed: string): void {
  try {
    accessSync(needed, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}.`);
  }
}

/** Refuses an output directory with other files than those of a history, which are named like `T<n>.log`. */
export function insistOnDirectory(path: string, fileName: string, { inputs, force = false }: TargetOptions): void {
  const there = statOf(path);
  if (!there) {
    const folder = dirname(resolve(path));
    if (!statOf(folder)?.isDirectory()) throw new UsageError(`${path} cannot be made: there is no folder ${folder}.`);
    return;
  }
  if (!there.isDirectory()) throw new UsageError(`${path} is a file; expected a directory of ${fileName}.`);
  for (const input of inputs) {
    const read = statOf(input);
    if (isWithin(path, there, input) || (read && isWithin(input, read, path)))
      throw new UsageError(
        `${path} contains an input, which would be overwritten; choose another path for the result.`,
      );
  }
  const names = readdirSync(path);
  if (names.length === 0) return;
  if (!force) throw new UsageError(`${path} is not empty; --force replaces its files.`);
  const [before = '', after = ''] = fileName.split('<n>');
  const isOfHistory = (name: string): boolean =>
    name.startsWith(before) && name.endsWith(after) && /^\d+$/.test(name.slice(before.length, -after.length));
  const other = names.find((name) => !isOfHistory(name) || !statOf(join(path, name))?.isFile());
  if (other !== undefined)
    throw new UsageError(`${path} contains ${other}, which is not a ${fileName}; only such files are ever replaced.`);
}

/** Creates a folder for several files. A folder with files is accepted only if they may be replaced. */
export function makeFolder(path: string, { inputs, force = false }: TargetOptions): void {
  if (path === '') throw new UsageError('The name of the folder is empty; is a variable unset?');
  const there = statOf(path);
  if (!there) {
    if (!statOf(dirname(resolve(path)))?.isDirectory())
      throw new UsageError(`${path} cannot be made: there is no folder ${dirname(resolve(path))}.`);
    try {
      mkdirSync(path);
    } catch (error) {
      throw new UsageError(`${path} cannot be made: ${(error as Error).message}.`);
    }
    return;
  }
  if (!there.isDirectory()) throw new UsageError(`${path} is a file; expected a folder.`);
  for (const input of inputs)
    if (statOf(input) && `${realpathSync(input)}${sep}`.startsWith(`${realpathSync(path)}${sep}`))
      throw new UsageError(
        `${path} contains an input, which would be overwritten; choose another path for the result.`,
      );
  if (!force && readdirSync(path).length > 0) throw new UsageError(`${path} is not empty; --force writes into it.`);
}

/** Appends to a file: the whole text, or nothing. */
export function appendTo(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const isNew = statOf(path) === undefined;
  const file = openSync(path, 'a', PRIVATE);
  const before = fstatSync(file, { bigint: true });
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
  } catch (error) {
    if (before.isFile()) ftruncateSync(file, Number(before.size));
    if (isNew) rmSync(path);
    throw new OutputError(path, error);
  } finally {
    closeSync(file);
  }
}

/** Returns whether an existing path is an input, under any name, or lies in an input directory. */
function isWithin(path: string, there: BigIntStats, input: string): boolean {
  const read = statOf(input);
  if (!read) return false;
  if (read.dev === there.dev && read.ino === there.ino) return true;
  return read.isDirectory() && `${realpathSync(path)}${sep}`.startsWith(`${realpathSync(input)}${sep}`);
}

/** Follows links; undefined if the path does not exist. */
function statOf(path: string): BigIntStats | undefined {
  try {
    // Uses bigint, because after a plain stat of a pipe Node 20 may load a module a second time, by another path.
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined; // a folder of the path is a file
  }
}

/** Tests of a file's head for each kind that isolab makes. */
const MADE: Readonly<Record<Made, (head: string) => boolean>> = {
  page: (head) => head.startsWith('<!doctype html>') && head.includes('<meta name="generator" content="isolab">'),
  certificate: (head) => head.startsWith('{"isolab":"certificate"'),
  output: (head) => MADE.page(head) || OUTPUTS.some((beginning) => beginning.test(head)),
};

/** Text, JSON, JUnit, Markdown, the table of a comparison, SVG and DOT; the head is read as Latin 1. */
const OUTPUTS: readonly RegExp[] = [
  /^(?:satisfied|violated|unknown) {2,4}\S/,
  /^\{"(?:verdict":"|path":.*"verdict":")/,
  /^<\?xml [^>]*>\n<testsuites name="isolab"/,
  /^## .*\n\n(?:\| level \| verdict \|\n|.{1,8} could not be checked: |(?:linearizable|sequential) \S+: )/,
  /^.*\n {2}checker +verdict +wall ms/,
  /^<svg [^>]*class="story"/,
  /^digraph story \{/,
];

function isMade(path: string, made: Made): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    return MADE[made](head.toString('latin1', 0, readSync(file, head, 0, HEAD_BYTES, 0)));
  } finally {
    closeSync(file);
  }
}

const HEAD_BYTES = 4096;

/** Removes an earlier output of isolab, or any file, at that path; returns false if there is none. */
export function removeMade(path: string, made: Made | 'anything'): boolean {
  const there = path === '-' ? undefined : statOf(path);
  if (there?.isFile() !== true || (made !== 'anything' && !isMade(path, made))) return false;
  rmSync(path);
  return true;
}
