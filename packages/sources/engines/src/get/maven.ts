import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Engine, Jar, MavenOrigin } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { kept } from './cache.ts';
import type { Getting } from './getting.ts';
import { run } from './run.ts';

/** Downloads a release from Maven Central once, with Maven's own client, and keeps it unpacked. */
export function fromMaven(engine: Engine, origin: MavenOrigin, { signal, say }: Getting): Promise<string> {
  return kept(engine, async (folder) => {
    const { artifact, archive } = origin;
    const running = { cwd: folder, signal };
    say?.(`mvn fetches ${artifact}`);
    const goals = ['dependency:copy', 'dependency:unpack'];
    const unpacking = [`-Dartifact=${artifact}`, `-DoutputDirectory=${join(folder, 'jar')}`];
    await run(
      engine,
      ['mvn', '--batch-mode', '--quiet', ...(archive === null ? goals : goals.slice(1)), ...unpacking],
      running,
    );
    await check(origin, join(folder, 'jar', archive ?? jarOf(artifact)));
    if (archive === null) return join(folder, 'jar');
    say?.(`tar unpacks ${archive}`);
    const tree = join(folder, 'tree');
    await mkdir(tree);
    await chmod(tree, 0o755); // the server may run as another user
    const options = ['--no-same-owner', '--extract', '--xz', '--file', join('jar', archive), '--directory', 'tree'];
    await run(engine, ['tar', ...options], running);
    return tree;
  });
}

/** Refuses a file that differs from the published file. */
export async function check({ artifact, sha256 }: Jar, path: string): Promise<void> {
  const hash = createHash('sha256');
  const found = await pipeline(createReadStream(path), hash).then(
    () => hash.digest('hex'),
    () => 'nothing',
  );
  if (found === sha256) return;
  throw new EngineError(
    `${basename(path)} of ${artifact} has the checksum ${found}, expected ${sha256}. isolab does not run it. If Maven’s copy is damaged, remove it from ~/.m2/repository/${pathOf(artifact)} and try again.`,
  );
}

/** Parses an artifact such as `org.example:programs:1.0`. */
export function jarOf(artifact: string): string {
  const [, name, version] = artifact.split(':');
  return `${name}-${version}.jar`;
}

function pathOf(artifact: string): string {
  const [group = '', ...rest] = artifact.split(':');
  return [...group.split('.'), ...rest].join('/');
}
