/** Asks registries for the newest releases of the listed engines, with their own clients. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Engine, nameOf } from '../engine/engine.ts';
import { EngineError } from '../engine/errors.ts';
import { platformOf } from './installed.ts';
import { run } from './run.ts';

export interface Newest {
  /** Name of the engine, and its package in the registry. */
  readonly name: string;
  readonly package: string;
  /** Newest listed version of the package. */
  readonly listed: string;
  /** Newest version in the registry. */
  readonly newest: string;
  readonly isOutdated: boolean;
}

/** A registry that gave no answer. */
export interface Unanswered {
  readonly name: string;
  readonly package: string;
  readonly reason: string;
}

interface Package {
  readonly engine: Engine;
  readonly name: string;
  readonly listed: string;
  newest(signal: AbortSignal): Promise<string>;
}

/** Paths of the modules of programs/go. */
const GO_MODULES: Readonly<Record<string, string>> = {
  badger: 'github.com/dgraph-io/badger/v4',
  bbolt: 'go.etcd.io/bbolt',
};

/** Packages of PyPI that are not named as their engines. */
const PYTHON_PACKAGES: Readonly<Record<string, string>> = { turso: 'pyturso' };

/** Asks for one package after the other. */
export async function* newestOf(
  engines: readonly Engine[],
  signal: AbortSignal,
): AsyncGenerator<Newest | Unanswered, void> {
  for (const { engine, name, listed, newest: ask } of packagesOf(engines)) {
    const about = { name: engine.name, package: name };
    try {
      const newest = await ask(signal);
      const isListed = engines.some(
        (one) => one.name === engine.name && (newest === one.version || newest.startsWith(`${one.version}.`)),
      );
      yield { ...about, listed, newest, isOutdated: !isListed && compareVersions(newest, listed) > 0 };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      yield { ...about, reason: error.message };
    }
  }
}

/** Returns each package once, with its newest listed version. */
function packagesOf(engines: readonly Engine[]): readonly Package[] {
  const found = new Map<string, Package>();
  for (const engine of engines) {
    const one = packageOf(engine);
    const known = one && found.get(one.name);
    if (one && (!known || compareVersions(one.listed, known.listed) > 0)) found.set(one.name, one);
  }
  return [...found.values()];
}

function packageOf(engine: Engine): Package | null {
  const { origin, name, version } = engine;
  const asking =
    (command: readonly string[], parse: (said: string) => string | undefined) => async (signal: AbortSignal) =>
      versionIn(engine, parse(await run(engine, command, { cwd: tmpdir(), signal })));
  switch (origin.kind) {
    case 'installed':
      return null; // a release of isolab chooses it
    case 'npm': {
      const npm = origin.package.replace('{platform}', platformOf());
      const command = [process.platform === 'win32' ? 'npm.cmd' : 'npm', 'view', npm, 'dist-tags.latest'];
      return { engine, name: npm, listed: origin.version, newest: asking(command, (said) => said.trim()) };
    }
    case 'maven':
      return ofMaven(engine, origin.artifact);
    case 'java':
      return ofMaven(engine, origin.jars.at(-1)!.artifact);
    case 'debian': {
      const { name: debian, version: listed } = origin.packages[0]!;
      const command = ['apt-cache', 'policy', debian];
      return { engine, name: debian, listed, newest: asking(command, (said) => /Candidate: (\S+)/.exec(said)?.[1]) };
    }
    case 'go': {
      const path = GO_MODULES[name]!;
      const command = ['go', 'list', '-m', '-f', '{{.Version}}', `${path}@latest`];
      return { engine, name: path, listed: version, newest: asking(command, (said) => said.trim().replace(/^v/, '')) };
    }
    case 'rust':
      return { engine, name, listed: version, newest: (signal) => ofCargo(engine, signal) };
    case 'python': {
      const command = ['python3', '-m', 'pip', 'index', 'versions', PYTHON_PACKAGES[name] ?? name];
      const answer = asking(command, (said) => /\((\S+)\)/.exec(said)?.[1]);
      return { engine, name: PYTHON_PACKAGES[name] ?? name, listed: version, newest: answer };
    }
  }
}

/** Asks the index of crates.io as for a new dependency: not all mirrors answer searches. */
async function ofCargo(engine: Engine, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'isolab-cargo-'));
  try {
    await writeFile(join(folder, 'lib.rs'), '');
    await writeFile(join(folder, 'Cargo.toml'), '[package]\nname="asking"\nversion="0.0.0"\n[lib]\npath="lib.rs"\n');
    let said = '';
    const say = (line: string): void => void (said += `${line}\n`);
    await run(engine, ['cargo', 'add', engine.name, '--dry-run'], { cwd: folder, signal, say });
    return versionIn(engine, new RegExp(`Adding ${engine.name} v(\\S+)`).exec(said)?.[1]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Maven keeps the answer of the registry beside the artifact. */
function ofMaven(engine: Engine, artifact: string): Package {
  const [group = '', id = '', listed = ''] = artifact.split(':');
  const newest = async (signal: AbortSignal): Promise<string> => {
    const command = ['mvn', '--batch-mode', '--quiet', '--update-snapshots', 'dependency:get', '-Dtransitive=false'];
    await run(engine, [...command, `-Dartifact=${group}:${id}:LATEST:pom`], { cwd: tmpdir(), signal });
    const folder = join(homedir(), '.m2', 'repository', ...group.split('.'), id);
    const text = await readFile(join(folder, 'maven-metadata-central.xml'), 'utf8').catch(() => '');
    return versionIn(engine, /<(?:release|latest)>([^<]+)</.exec(text)?.[1]);
  };
  return { engine, name: `${group}:${id}`, listed, newest };
}

function versionIn(engine: Engine, version: string | undefined): string {
  if (version !== undefined && /^\d/.test(version)) return version;
  throw new EngineError(`The registry names no newest version of ${nameOf(engine)}'s package.`);
}

/** Compares versions number by number; a version with a further word, such as `-rc.1`, comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.match(/\d+|[a-z]+/gi) ?? []);
  for (let i = 0; i < Math.max(one!.length, other!.length); i++) {
    const [x, y] = [one![i], other![i]];
    if (x === y) continue;
    if (x === undefined || y === undefined) {
      const isRelease = /[a-z]/i.test((x ?? y)!) ? 1 : -1;
      return x === undefined ? isRelease : -isRelease;
    }
    const [isWord, isOtherWord] = [x, y].map((part) => /[a-z]/i.test(part));
    if (isWord !== isOtherWord) return isWord ? -1 : 1;
    if (isWord) return x < y ? -1 : 1;
    if (Number(x) !== Number(y)) return Number(x) - Number(y);
  }
  return 0;
}
