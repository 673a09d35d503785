import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { CollectorError } from '../errors.ts';
import { Interrupted } from '../time.ts';
import { type Engine, type MavenOrigin, type Programs, nameOf } from './known.ts';

/** Gets a release from Maven Central with Maven's own client, once, and keeps it unpacked. */
export async function mavenPrograms(engine: Engine, origin: MavenOrigin, signal?: AbortSignal): Promise<Programs> {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== origin.platform)
    throw new CollectorError(
      `isolab gets ${nameOf(engine)} for ${origin.platform} only, and this is ${platform}. Start the server and give its address: --db postgres://…`,
    );
  const folder = join(enginesFolder(), nameOf(engine));
  if (!existsSync(folder)) await install(engine, origin, folder, signal);
  const program = (name: string): string => join(folder, 'bin', name);
  return { initdb: program('initdb'), postgres: program('postgres'), folder };
}

/** ISOLAB_CACHE, or the user's folder for such things. */
function enginesFolder(): string {
  const { ISOLAB_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  return join(own ?? join(shared ?? join(homedir(), '.cache'), 'isolab'), 'engines');
}

async function install(engine: Engine, origin: MavenOrigin, folder: string, signal?: AbortSignal): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const unfinished = await mkdtemp(join(dirname(folder), '.unfinished-'));
  try {
    const { artifact, archive } = origin;
    const unpacking = [`-Dartifact=${artifact}`, `-DoutputDirectory=${join(unfinished, 'jar')}`];
    await run(engine, ['mvn', '--batch-mode', '--quiet', 'dependency:unpack', ...unpacking], unfinished, signal);
    await check(origin, join(unfinished, 'jar', archive));
    const tree = join(unfinished, 'tree');
    await mkdir(tree);
    await chmod(tree, 0o755); // the server may run as another user
    const options = ['--no-same-owner', '--extract', '--xz', '--file', join('jar', archive), '--directory', 'tree'];
    await run(engine, ['tar', ...options], unfinished, signal);
    // Another process may have been faster: what it put there is the same.
    await rename(tree, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function check({ artifact, archive, sha256 }: MavenOrigin, path: string): Promise<void> {
  const content = await readFile(path).catch(() => null);
  const found = content === null ? 'nothing' : createHash('sha256').update(content).digest('hex');
  if (found === sha256) return;
  throw new CollectorError(
    `${archive} of ${artifact} has the checksum ${found}, expected ${sha256}. It is not run. If Maven’s copy is damaged, remove it from ~/.m2/repository/${pathOf(artifact)} and try again.`,
  );
}

function pathOf(artifact: string): string {
  const [group = '', ...rest] = artifact.split(':');
  return [...group.split('.'), ...rest].join('/');
}

/** Runs a program to its end. It fails with what is missing, or with what the program said. */
async function run(engine: Engine, command: readonly string[], cwd: string, signal?: AbortSignal): Promise<void> {
  const [program = '', ...options] = command;
  try {
    await promisify(execFile)(program, options, { cwd, timeout: FETCH_MS, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw new Interrupted();
    const { code, stdout = '', message } = error as NodeJS.ErrnoException & { stdout?: string };
    if (code === 'ENOENT')
      throw new CollectorError(
        `${nameOf(engine)} is fetched from Maven Central with mvn and unpacked with tar and xz; there is no ${program} on the PATH. Install it (Debian: apt-get install maven xz-utils).`,
        { cause: error },
      );
    const said = /^.*(?:ERROR|rror:).*$/m.exec(stdout)?.[0] ?? message.trim().split('\n').at(-1);
    throw new CollectorError(`${nameOf(engine)} cannot be fetched: ${program} failed: ${said}`, { cause: error });
  }
}

const FETCH_MS = 600_000;
