/** Checks commits out beside the work tree, and installs and builds them as in a new clone. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import process from 'node:process';
import { type RunOptions, outputOf } from './processes.ts';

const SETUP = 'packages/dev/workspace/setup.mjs';
const LOCK = 'package-lock.json';
/** File by which the set-up recognizes the lock file of node_modules. */
const STAMP = 'node_modules/.isolab-lock-hash';

/** Returns the full hash of a commit; throws if there is none. */
export async function commitNamed(name: string, options: RunOptions): Promise<string> {
  try {
    return (await outputOf('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options)).trim();
  } catch {
    options.signal.throwIfAborted();
    throw new Error(`There is no commit ${name} in ${options.cwd}.`);
  }
}

/** Checks a commit out into a new folder. */
export async function checkOut(commit: string, folder: string, options: RunOptions): Promise<void> {
  await outputOf('git', ['worktree', 'add', '--detach', '--quiet', folder, commit], options);
  if (!existsSync(join(folder, SETUP))) throw new Error(`Commit ${commit} has no ${SETUP}; it is too old to compare.`);
  if (hasSameLock(options.cwd, folder)) linkModules(options.cwd, folder);
  // Installs missing packages, and builds.
  await outputOf(process.execPath, [SETUP], { ...options, cwd: folder });
}

/** Removes a checkout, even if its installation is incomplete. Must not be interrupted. */
export async function removeCheckout(folder: string, root: string): Promise<void> {
  const options = { cwd: root, signal: new AbortController().signal };
  rmSync(folder, { recursive: true, force: true });
  await outputOf('git', ['worktree', 'prune'], options);
}

/** Returns whether the installed packages match the checkout's lock file. */
function hasSameLock(root: string, folder: string): boolean {
  const [here, there] = [join(root, LOCK), join(folder, LOCK)];
  return existsSync(here) && existsSync(there) && readFileSync(here).equals(readFileSync(there));
}

/** Links every installed package; the links among packages of the workspace lead to those of the checkout. */
function linkModules(root: string, folder: string): void {
  for (const modules of moduleFolders(root)) {
    const owner = join(folder, dirname(modules));
    if (existsSync(owner)) linkEntries(join(root, modules), join(folder, modules), root);
  }
  const stamp = createHash('sha256').update(readFileSync(join(folder, LOCK)));
  writeFileSync(join(folder, STAMP), stamp.digest('hex'));
}

/** The node_modules folders of the root and of every package that has one, relative to the root. */
function moduleFolders(root: string): string[] {
  const folders: string[] = [];
  const visit = (folder: string, depth: number): void => {
    for (const { name } of readdirSync(join(root, folder), { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    )) {
      if (name === 'node_modules') folders.push(join(folder, name));
      else if (depth > 0 && !name.startsWith('.')) visit(join(folder, name), depth - 1);
    }
  };
  visit('', 3); // packages/checkers/<name>
  return folders;
}

function linkEntries(from: string, to: string, root: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name.startsWith('.') && entry.name !== '.bin') continue; // caches, and npm's notes
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith('@')) linkEntries(source, target, root);
    else if (entry.isSymbolicLink() && isInside(join(from, readlinkSync(source)), root))
      symlinkSync(readlinkSync(source), target);
    else symlinkSync(source, target);
  }
}

/** Returns whether a link is npm's link to a package of the workspace. */
function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return !way.startsWith('..') && !isAbsolute(way);
}
