import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, MavenOrigin } from '../engine.ts';
import { EngineError } from '../errors.ts';
import { kept } from './cache.ts';
import { run } from './run.ts';

/** Gets a release from Maven Central with Maven's own client, once, and keeps it unpacked. */
export function fromMaven(engine: Engine, origin: MavenOrigin, signal?: AbortSignal): Promise<string> {
  return kept(engine, async (folder) => {
    const { artifact, archive } = origin;
    const unpacking = [`-Dartifact=${artifact}`, `-DoutputDirectory=${join(folder, 'jar')}`];
    const running = { cwd: folder, signal };
    await run(engine, ['mvn', '--batch-mode', '--quiet', 'dependency:unpack', ...unpacking], running);
    await check(origin, join(folder, 'jar', archive));
    const tree = join(folder, 'tree');
    await mkdir(tree);
    await chmod(tree, 0o755); // the server may run as another user
    const options = ['--no-same-owner', '--extract', '--xz', '--file', join('jar', archive), '--directory', 'tree'];
    await run(engine, ['tar', ...options], running);
    return tree;
  });
}

/** Refuses what is not what is known to be published. */
export async function check({ artifact, archive, sha256 }: Omit<MavenOrigin, 'kind'>, path: string): Promise<void> {
  const content = await readFile(path).catch(() => null);
  const found = content === null ? 'nothing' : createHash('sha256').update(content).digest('hex');
  if (found === sha256) return;
  throw new EngineError(
    `${archive} of ${artifact} has the checksum ${found}, expected ${sha256}. It is not run. If Maven’s copy is damaged, remove it from ~/.m2/repository/${pathOf(artifact)} and try again.`,
  );
}

function pathOf(artifact: string): string {
  const [group = '', ...rest] = artifact.split(':');
  return [...group.split('.'), ...rest].join('/');
}
