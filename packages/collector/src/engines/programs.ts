import type { Engine, Programs } from './known.ts';
import { mavenPrograms } from './maven.ts';
import { npmPrograms } from './npm.ts';

/** The programs of a release, which are fetched if they are not here yet. */
export const programsOf = (engine: Engine, signal?: AbortSignal): Promise<Programs> =>
  engine.from.kind === 'npm' ? npmPrograms() : mavenPrograms(engine, engine.from, signal);
