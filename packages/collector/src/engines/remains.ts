import { lstat, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type ProcessId, bootId, commandOf, isRunning } from '../processes.ts';
import { pause } from '../time.ts';

export const FOLDER_PREFIX = 'isolab-postgres-';
export const OWNER_FILE = 'owner.json';

/** Who made the folder of an embedded server, and which server runs in it. */
export interface Owner {
  readonly owner: ProcessId;
  readonly boot: string | null;
  readonly server: ProcessId | null;
}

/** Ends servers and removes folders whose makers are no more, such as after kill −9. */
export async function sweep(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const found = names.filter((name) => name.startsWith(FOLDER_PREFIX)).map((name) => join(tmpdir(), name));
  await Promise.all(found.map((folder) => sweepOne(folder).catch(() => {}))); // another process may sweep it, too
}

async function sweepOne(folder: string): Promise<void> {
  const status = await lstat(folder);
  const { uid } = userInfo();
  if (!status.isDirectory() || (uid >= 0 && status.uid !== uid)) return; // it is not ours
  const owner = parse(await readFile(join(folder, OWNER_FILE), 'utf8'));
  if (owner === null) return;
  const boot = bootId();
  const rebooted = boot !== null && owner.boot !== null && boot !== owner.boot;
  if (!rebooted && isRunning(owner.owner)) return;
  if (!rebooted && owner.server !== null) await end(owner.server, join(folder, 'data'));
  await rm(folder, { recursive: true, force: true });
}

/** Ends a server if it is the one: the number, the start and the command with the folder of its data fit. */
async function end(server: ProcessId, data: string): Promise<void> {
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (let waited = 0; waited < TO_END_MS; waited += STEP_MS) {
      if (!isRunning(server) || !commandOf(server.pid)?.includes(data)) return;
      if (waited === 0) process.kill(server.pid, signal);
      await pause(STEP_MS);
    }
  }
}

const TO_END_MS = 2_000;
const STEP_MS = 50;

function parse(text: string): Owner | null {
  const { owner, boot, server } = JSON.parse(text) as Partial<Owner>;
  const isProcess = (id: unknown): id is ProcessId => {
    const { pid, started } = (id ?? {}) as Partial<ProcessId>;
    return Number.isSafeInteger(pid) && pid! > 1 && (started === null || typeof started === 'string');
  };
  return isProcess(owner) ? { owner, boot: boot ?? null, server: isProcess(server) ? server : null } : null;
}
