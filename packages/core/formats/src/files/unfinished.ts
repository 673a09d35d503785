import { channel } from 'node:diagnostics_channel';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Notice for listeners, such as a process that waits for this process: the file to remove if this process is killed.
 */
export interface Unfinished {
  readonly path: string;
  /** False once the file has been moved into place or removed. */
  readonly isThere: boolean;
}

/** Publishes a notice on a channel of Node. A listener need not load this package. */
const announce = (told: Unfinished): void => channel('isolab:unfinished').publish(told);

/**
 * Makes a file or directory beside the target, which `make` then moves into place. Removes leftovers, including those
 * of killed processes.
 */
export async function madeBeside<T>(target: string, make: (unfinished: string) => Promise<T>): Promise<T> {
  removeLeftBeside(target);
  const unfinished = unfinishedName(target);
  const settled = removedAtExit(unfinished);
  try {
    return await make(unfinished);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    settled();
  }
}

/** Returns a name of the same kind for a file beside the target that is no longer needed. */
export function unfinishedName(target: string): string {
  return join(dirname(target), `${prefixOf(target)}${host()}-${process.pid}-${++numNames}${ENDING}`);
}

const prefixOf = (target: string): string =>
  `.${Buffer.from(basename(target)).subarray(0, LONGEST_NAME).toString().replaceAll('\uFFFD', '')}.`;

/** Processes on other machines, or in other containers, may write into the same folder. */
const host = (): string =>
  hostname()
    .replaceAll(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 60);
const ENDING = '.unfinished';
/** In bytes; file systems allow 255. */
const LONGEST_NAME = 120;
let numNames = 0;

/** Files that remain unfinished if the process ends. */
const paths = new Set<string>();

/** Removes the path if this process ends, or is killed, before the returned function is called. */
export function removedAtExit(path: string): () => void {
  if (paths.size === 0) process.on('exit', removeAll);
  paths.add(path);
  announce({ path, isThere: true });
  return () => {
    paths.delete(path);
    if (paths.size === 0) process.off('exit', removeAll);
    announce({ path, isThere: false });
  };
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { recursive: true, force: true });
}

function removeLeftBeside(target: string): void {
  const prefix = prefixOf(target);
  const folder = dirname(target);
  for (const name of namesIn(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(ENDING)) continue;
    const [, where, pid] = /^(.+)-(\d+)-\d+$/.exec(name.slice(prefix.length, -ENDING.length)) ?? [];
    const path = join(folder, name);
    if (where === host() && !paths.has(path) && isGone(Number(pid))) rmSync(path, { recursive: true, force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // reported by the caller that writes into the folder
  }
}

/** Returns whether a process has ended. An unknown file under our own process number is from an earlier process. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  return isZombie(pid);
}

/** Returns whether a process has been killed but keeps its number because its parent has not collected it yet. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false; // the process has ended meanwhile, or this is not Linux
  }
}
