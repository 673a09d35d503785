import { lstat, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type ProcessId, bootId, commandOf, isRunning } from '../engine/processes.ts';
import { pause } from '../engine/time.ts';

export const FOLDER_PREFIX = 'isolab-engine-';
export const OWNER_FILE = 'owner.json';
/** File with the numbers of all processes started in the folder, one per line. */
export const PROCESSES_FILE = 'processes';

/** Process that created the folder of an engine. */
export interface Owner {
  readonly owner: ProcessId;
  readonly boot: string | null;
}

/** Ends servers and removes folders whose owners have ended, for example after SIGKILL. */
export async function sweep(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const found = names.filter((name) => name.startsWith(FOLDER_PREFIX)).map((name) => join(tmpdir(), name));
  await Promise.all(found.map((folder) => sweepOne(folder).catch(() => {}))); // another process may remove it, too
}

async function sweepOne(folder: string): Promise<void> {
  const status = await lstat(folder);
  const { uid } = userInfo();
  if (!status.isDirectory() || (uid >= 0 && status.uid !== uid)) return; // the folder belongs to another user
  const owner = parse(await readFile(join(folder, OWNER_FILE), 'utf8'));
  if (owner === null) return;
  const boot = bootId();
  const rebooted = boot !== null && owner.boot !== null && boot !== owner.boot;
  if (!rebooted && isRunning(owner.owner)) return;
  if (!rebooted) await Promise.all((await processesIn(folder)).map((pid) => end(pid, folder)));
  await rm(folder, { recursive: true, force: true });
}

async function processesIn(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, PROCESSES_FILE), 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid > 1);
}

/** Ends a process if it is the server, whose command line names the folder. */
async function end(pid: number, folder: string): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (let waited = 0; waited < TO_END_MS; waited += STEP_MS) {
      if (!isRunning({ pid, started: null }) || !commandOf(pid)?.includes(folder)) return;
      if (waited === 0) process.kill(pid, signal);
      await pause(STEP_MS);
    }
  }
}

const TO_END_MS = 2_000;
const STEP_MS = 50;

function parse(text: string): Owner | null {
  const { owner, boot } = JSON.parse(text) as Partial<Owner>;
  const { pid, started } = (owner ?? {}) as Partial<ProcessId>;
  const isProcess = Number.isSafeInteger(pid) && pid! > 1 && (started === null || typeof started === 'string');
  return isProcess ? { owner: { pid: pid!, started: started! }, boot: boot ?? null } : null;
}
