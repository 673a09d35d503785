import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Engine, type Jar, type JavaOrigin, type ProgramOrigin, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { enginesFolder, folderOf, kept } from './cache.ts';
import { unpack } from './debian.ts';
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
        return withJava(origin, building);
      case 'go':
        return withGo(origin.tag, building);
      case 'rust':
        return withRust(origin.feature, building);
      case 'python':
        return withPython(origin.store, building);
    }
  };
  return kept(engine, make, await fingerprint(sources));
}

const DURATION = {
  java: 'This takes a few seconds.',
  go: 'This may take a minute.',
  rust: 'This takes a few minutes.',
  python: 'This takes a few seconds.',
};

async function withJava({ jars, store, natives }: JavaOrigin, building: Building): Promise<string> {
  const { engine, sources, folder, signal, say } = building;
  const target = join(folder, 'target');
  await writeFile(join(folder, 'pom.xml'), projectOf(jars, target));
  await run(engine, ['mvn', '--batch-mode', '--quiet', 'dependency:copy'], { cwd: folder, signal, say });
  for (const jar of jars) await check(jar, join(target, jarOf(jar.artifact)));
  if (natives !== undefined) {
    await installWheels(natives.wheels, target, building);
    await unpack(engine, natives.packages, folder, target, building);
  }
  const files = (await readdir(sources)).filter((name) => name.endsWith('.java')).map((name) => join(sources, name));
  if (store !== undefined) files.push(join(sources, 'stores', `${store}.java`));
  const compiling = ['-d', target, '-cp', join(target, '*'), '-encoding', 'UTF-8', '--release', '17'];
  await run(engine, ['javac', ...compiling, ...files], { cwd: folder, signal, say });
  return target;
}

/** Returns a project with which Maven copies jars into a folder. */
function projectOf(jars: readonly Jar[], folder: string): string {
  const items = jars.map(({ artifact }) => {
    const [group, name, version] = artifact.split(':');
    return `<artifactItem><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></artifactItem>`;
  });
  return `<project><modelVersion>4.0.0</modelVersion><groupId>isolab</groupId><artifactId>jars</artifactId><version>1</version>
<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>
<configuration><outputDirectory>${folder}</outputDirectory><useBaseVersion>true</useBaseVersion><artifactItems>
${items.join('\n')}
</artifactItems></configuration></plugin></plugins></build></project>
`;
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

/** Packages are installed beside the program, from wheels with the checksums of the store's file. */
async function withPython(store: string, building: Building): Promise<string> {
  const target = join(building.folder, 'target');
  await cp(building.sources, target, { recursive: true });
  await installWheels(`${store}.txt`, target, building);
  return target;
}

async function installWheels(list: string, target: string, { engine, sources, signal, say }: Building): Promise<void> {
  const installing = ['--target', target, '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  const command = ['python3', '-m', 'pip', 'install', '--quiet', ...installing, '-r', list];
  await run(engine, command, { cwd: sources, signal, say, error: /^ERROR: .*$/m });
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
