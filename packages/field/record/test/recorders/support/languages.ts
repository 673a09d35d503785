import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { NEEDS, type NeedName, type Skipping, programOnPath, unless } from '@isolab/needs';

/** A recorder with the program that tests it. */
export interface Language {
  readonly title: string;
  /** Skips its tests where something is missing on this machine. */
  readonly skipping: Skipping;
  /** Makes the programs to run, and returns the commands of the program that tests it and of the example. */
  prepare(): Commands;
  /** Whether it has a database of its own, and is not given one. */
  readonly hasOwnDatabase?: true;
  /** Whether the example is that of another one. */
  readonly hasNoExample?: true;
}

export interface Commands {
  readonly program: readonly string[];
  readonly example: readonly string[];
}

const folderOf = (language: string): string =>
  fileURLToPath(new URL(`../../../recorders/${language}/`, import.meta.url));

const { ISOLAB_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
const cache = join(own ?? join(shared ?? join(homedir(), '.cache'), 'isolab'), 'recorders');

/** A program that is built, once for the sources that there are, by the tools of its language. */
interface Built {
  /** Its name in ISOLAB_RECORDERS. */
  readonly name: NeedName & ('psycopg' | 'go' | 'java' | 'rust');
  readonly sources: string;
  readonly title: string;
  /** Builds into a folder. */
  build(sources: string, into: string): void;
  command(folder: string): Commands;
}

function built({ name, sources, title, build, command }: Built): Language {
  const folder = join(cache, `${name}-${fingerprint(sources)}`);
  const mayBuild = (process.env['ISOLAB_RECORDERS'] ?? '').split(',').includes(name);
  const notBuilt = `the recorder is not built, which ISOLAB_RECORDERS=${name} does`;
  const canRun = NEEDS[name].programs!.every((tool) => programOnPath(tool) !== null);
  return {
    title,
    skipping: canRun ? unless(name, existsSync(folder) || mayBuild, notBuilt) : unless(name, false),
    prepare() {
      if (!existsSync(folder)) {
        mkdirSync(cache, { recursive: true });
        const unfinished = mkdtempSync(join(cache, '.unfinished-'));
        try {
          build(sources, unfinished);
          renameSync(unfinished, folder);
        } finally {
          rmSync(unfinished, { recursive: true, force: true });
        }
      }
      return command(folder);
    },
  };
}

function fingerprint(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  for (const path of paths) hash.update(path.slice(folder.length)).update(readFileSync(path));
  return hash.digest('hex').slice(0, 12);
}

/** Runs a tool to its end; its message is in the error. */
function run(cwd: string, [tool, ...options]: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  execFileSync(tool!, options, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
}

const DRIVER = {
  artifact: 'org.postgresql:postgresql:42.7.4',
  sha256: '188976721ead8e8627eb6d8389d500dccc0c9bebd885268a3047180274a6031e',
};

function buildJava(sources: string, into: string): void {
  const [, name, version] = DRIVER.artifact.split(':');
  const copying = [`-Dartifact=${DRIVER.artifact}`, `-DoutputDirectory=${into}`, '-Dmdep.useBaseVersion=true'];
  run(sources, ['mvn', '--batch-mode', '--quiet', 'dependency:copy', ...copying]);
  const jar = join(into, `${name}-${version}.jar`);
  const found = createHash('sha256').update(readFileSync(jar)).digest('hex');
  if (found !== DRIVER.sha256)
    throw new Error(`${DRIVER.artifact} has the checksum ${found}, expected ${DRIVER.sha256}.`);
  const files = readdirSync(sources).filter((file) => file.endsWith('.java'));
  run(sources, ['javac', '-Xlint:all', '-Werror', '--release', '17', '-encoding', 'UTF-8', '-d', into, ...files]);
}

const BOTH = ['program', 'example'];
const executables = (folder: string): Commands => ({
  program: [join(folder, 'program')],
  example: [join(folder, 'example')],
});

/** Built libraries serve the next program, too. */
function buildRust(sources: string, into: string): void {
  const target = join(cache, '.rust');
  run(sources, ['cargo', 'build', '--locked'], { CARGO_TARGET_DIR: target });
  for (const name of BOTH) copyFileSync(join(target, 'debug', name), join(into, name));
}

const python: Language = {
  title: 'Python, with SQLite',
  skipping: unless('python'),
  prepare: () => ({
    program: ['python3', '-B', join(folderOf('python'), 'program.py')],
    example: ['python3', '-B', join(folderOf('python'), 'example.py')],
  }),
  hasOwnDatabase: true,
};

export const LANGUAGES: readonly Language[] = [
  {
    title: 'Node, with pg',
    skipping: {},
    prepare: () => ({
      program: [process.execPath, join(folderOf('node'), 'program.mjs')],
      example: [process.execPath, join(folderOf('node'), 'example.mjs')],
    }),
  },
  python,
  {
    ...built({
      name: 'psycopg',
      sources: folderOf('python'),
      title: 'Python, with psycopg',
      build: (sources, into) =>
        run(sources, ['python3', '-m', 'pip', 'install', '--quiet', '--target', into, 'psycopg[binary]==3.2.13']),
      command: (folder) => ({
        ...python.prepare(),
        program: ['env', `PYTHONPATH=${folder}`, ...python.prepare().program],
      }),
    }),
    hasNoExample: true,
  },
  built({
    name: 'go',
    sources: folderOf('go'),
    title: 'Go, with lib/pq',
    build: (sources, into) => run(sources, ['go', 'build', '-mod=readonly', '-o', into, './program', './example']),
    command: executables,
  }),
  built({
    name: 'java',
    sources: folderOf('java'),
    title: 'Java, with pgjdbc',
    build: buildJava,
    command: (folder) => {
      const java = ['java', '-cp', [folder, join(folder, '*')].join(delimiter)];
      return { program: [...java, 'Program'], example: [...java, 'Example'] };
    },
  }),
  built({
    name: 'rust',
    sources: folderOf('rust'),
    title: 'Rust, with tokio-postgres',
    build: buildRust,
    command: executables,
  }),
];
