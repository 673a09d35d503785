import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Engine, type Jar, type ProgramOrigin, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { enginesFolder, folderOf, kept } from './cache.ts';
import { check, jarOf } from './maven.ts';
import { run } from './run.ts';

/** Receives a line for each step. */
export type Say = (line: string) => void;

interface Building {
  readonly engine: Engine;
  readonly sources: string;
  /** Folder for the build; its subfolder `target` receives the results. */
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  readonly say: Say;
}

/** Builds the driver program of an engine once, with the tool of its language, and keeps the files that it needs. */
export async function builtProgram(
  engine: Engine,
  origin: ProgramOrigin,
  told: Pick<Building, 'signal' | 'say'>,
): Promise<string> {
  const sources = sourcesOf(origin.kind);
  const make = (folder: string): Promise<string> => {
    const building = { engine, sources, folder, ...told };
    told.say(`${nameOf(engine)} is built once, with ${engine.needs.join(' and ')}. ${DURATION[origin.kind]}`);
    switch (origin.kind) {
      case 'java':
        return withJava(origin.jars, building);
      case 'go':
        return withGo(origin.tag, building);
      case 'rust':
        return withRust(origin.feature, building);
    }
  };
  return kept(engine, make, await fingerprint(sources));
}

const DURATION = {
  java: 'This takes a few seconds.',
  go: 'This may take a minute.',
  rust: 'This takes a few minutes.',
};

async function withJava(jars: readonly Jar[], { engine, sources, folder, signal, say }: Building): Promise<string> {
  const target = join(folder, 'target');
  for (const { artifact, sha256 } of jars) {
    const archive = jarOf(artifact);
    const copying = [`-Dartifact=${artifact}`, `-DoutputDirectory=${target}`, '-Dmdep.useBaseVersion=true'];
    await run(engine, ['mvn', '--batch-mode', '--quiet', 'dependency:copy', ...copying], { cwd: folder, signal, say });
    await check({ artifact, sha256 }, join(target, archive));
  }
  const files = (await readdir(sources)).filter((name) => name.endsWith('.java')).map((name) => join(sources, name));
  const compiling = ['-d', target, '-cp', join(target, '*'), '-encoding', 'UTF-8', '--release', '17'];
  await run(engine, ['javac', ...compiling, ...files], { cwd: folder, signal, say });
  return target;
}

/** go.sum has the checksums of all downloaded modules. */
async function withGo(tag: string, { engine, sources, folder, signal, say }: Building): Promise<string> {
  const target = join(folder, 'target');
  await mkdir(target);
  const building = ['-mod=readonly', '-trimpath', '-tags', tag, '-o', join(target, PROGRAM), '.'];
  await run(engine, ['go', 'build', ...building], { cwd: sources, signal, say });
  return target;
}

/**
 * Cargo.lock has the checksums of all downloaded packages. Compiled libraries are reused for the next engine. Cargo
 * considers sources older than its last build unchanged, wherever they are, so the sources are copied with new times.
 */
async function withRust(feature: string, { engine, sources, folder, signal, say }: Building): Promise<string> {
  const target = join(folder, 'target');
  await mkdir(target);
  const built = join(enginesFolder(), '.rust');
  const copy = join(folder, 'sources');
  await cp(sources, copy, { recursive: true });
  const env = { ...process.env, CARGO_TARGET_DIR: built };
  const building = ['--release', '--locked', '--features', feature];
  await run(engine, ['cargo', 'build', ...building], { cwd: copy, signal, say, env, error: /^error.*$/m });
  await copyFile(join(built, 'release', PROGRAM), join(target, PROGRAM));
  return target;
}

/** Returns whether the program is already built. */
export const isBuilt = async (engine: Engine, { kind }: ProgramOrigin): Promise<boolean> =>
  existsSync(folderOf(engine, await fingerprint(sourcesOf(kind))));

export const PROGRAM = process.platform === 'win32' ? 'isolab-engine.exe' : 'isolab-engine';

/** Returns a folder below programs/ of this package; in the published package, programs/ is beside dist. */
function sourcesOf(language: ProgramOrigin['kind']): string {
  const places = [`../../programs/${language}`, `../programs/${language}`];
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = folders.find((folder) => existsSync(folder));
  if (found !== undefined) return found;
  throw new EngineError(`The driver program in ${language} is missing from this installation of isolab.`);
}

/** Returns a hash of all sources, which distinguishes builds from different sources. */
async function fingerprint(sources: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(file.slice(sources.length)).update(await readFile(file));
  return hash.digest('hex').slice(0, 12);
}
