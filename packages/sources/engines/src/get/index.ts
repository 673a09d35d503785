import { existsSync } from 'node:fs';
import { availability } from '../engine/availability.ts';
import { type Engine, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { folderOf } from './cache.ts';
import { fromDebian } from './debian.ts';
import type { Getting } from './getting.ts';
import { installedPostgres } from './installed.ts';
import { fromMaven } from './maven.ts';
import { fromNpm } from './npm.ts';
import { type Say, builtProgram, isBuilt } from './program.ts';

/** Returns the folder of an engine on this machine, after a download and a build if it is missing. */
export async function get(engine: Engine, signal?: AbortSignal, say: Say = () => {}): Promise<string> {
  const getting: Getting = { signal, say };
  const { origin } = engine;
  const why = availability(engine);
  if (why !== null) throw new EngineError(`${nameOf(engine)} ${why}. Start a server and give its address: --db …`);
  switch (origin.kind) {
    case 'installed':
      return installedPostgres();
    case 'maven':
      return fromMaven(engine, origin, getting);
    case 'java':
    case 'go':
    case 'rust':
    case 'python':
      return builtProgram(engine, origin, { signal, say });
    case 'npm':
      return fromNpm(engine, origin, getting);
    case 'debian':
      return fromDebian(engine, origin, getting);
  }
}

/** Returns whether the engine is on this machine, with nothing left to download or build. */
export async function isFetched(engine: Engine): Promise<boolean> {
  const { origin } = engine;
  switch (origin.kind) {
    case 'installed':
      return true;
    case 'java':
    case 'go':
    case 'rust':
    case 'python':
      return isBuilt(engine, origin);
    case 'maven':
    case 'npm':
    case 'debian':
      return existsSync(folderOf(engine));
  }
}
