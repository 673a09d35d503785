import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { PRIVATE, removedAtExit } from '@isolab/formats';
import process from 'node:process';
import { CollectorError } from '../database/errors.ts';
import { type ProcessId, bootId, isRunning, processIdOf } from '@isolab/engines/processes';

interface Holder extends ProcessId {
  readonly host: string;
  readonly boot: string | null;
}

export interface Lock {
  /** Whether a collector held the lock when the machine went down, so that the last lines may be lost. */
  readonly outlivedMachine: boolean;
  release(): void;
}

export const lockPathOf = (path: string): string => `${path}.lock`;

/**
 * Locks a file or folder for one writer. A lock file beside it names the process; the lock of a dead process is
 * replaced.
 */
export function lock(path: string, command = 'isolab collect', lockPath = lockPathOf(path)): Lock {
  const mine: Holder = { ...processIdOf(process.pid), host: hostname(), boot: bootId() };
  let outlivedMachine = false;
  // Each round takes the lock, removes a stale lock, or fails.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (create(lockPath, mine)) return { outlivedMachine, release: releasing(lockPath) };
    const text = textOf(lockPath);
    if (text === null) continue; // the lock was just released
    const holder = parse(text);
    if (holder === null || holder.host !== mine.host)
      throw new CollectorError(
        `Another ${command}${holder === null ? '' : ` on ${holder.host}`} may be writing ${path}. If not, remove ${lockPath}.`,
      );
    const rebooted = holder.boot !== null && mine.boot !== null && holder.boot !== mine.boot;
    if (!rebooted && isRunning(holder))
      throw new CollectorError(`Another ${command} (process ${holder.pid}) is writing ${path}.`);
    outlivedMachine ||= rebooted;
    clearAway(lockPath, text);
  }
  throw new CollectorError(`Other processes are also trying to write ${path}.`);
}

const MOST_ROUNDS = 20;

/** Also releases the lock if there is no time for an orderly end. */
function releasing(lockPath: string): () => void {
  const released = removedAtExit(lockPath);
  return () => {
    rmSync(lockPath, { force: true });
    released();
  };
}

/** Creates the lock file together with its content. Returns false if the file exists. */
function create(lockPath: string, holder: Holder): boolean {
  const draft = `${lockPath}.${holder.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(holder), { mode: PRIVATE });
    linkSync(draft, lockPath);
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!WITHOUT_LINKS.has(code)) throw error;
    return copyOf(draft, lockPath);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Error codes of file systems without hard links. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

function copyOf(draft: string, lockPath: string): boolean {
  try {
    copyFileSync(draft, lockPath, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a stale lock, unless another process has taken it over meanwhile. */
function clearAway(lockPath: string, stale: string): void {
  const aside = `${lockPath}.stale.${process.pid}`;
  try {
    renameSync(lockPath, aside);
  } catch {
    return; // another process removed it first
  }
  if (textOf(aside) !== stale) copyOf(aside, lockPath);
  rmSync(aside, { force: true });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parse(text: string): Holder | null {
  try {
    const { pid, started, host, boot } = JSON.parse(text) as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0 || typeof host !== 'string') return null;
    const word = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    return { pid: pid as number, started: word(started), host, boot: word(boot) };
  } catch {
    return null;
  }
}
