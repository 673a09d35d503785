/** What is written down of the machine, the program and the moment. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import process from 'node:process';

/** Machines of one class give times that may be compared. */
export function machineClass(): string {
  const processors = cpus();
  const model = (processors[0]?.model ?? 'unknown processor').replaceAll(/\s+/g, ' ').trim();
  return `${model}, ${processors.length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${process.arch}`;
}

export const nodeVersion = (): string => process.version;

export const load = (): number => Math.round(loadavg()[0]! * 100) / 100;

/** The commit that the sources are at, with a mark if they differ from it; `unknown` outside a repository. */
export function commitOf(folder: string): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--', 'packages') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
