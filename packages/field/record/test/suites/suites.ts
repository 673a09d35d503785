/** The test suites of drivers, which their own package managers fetch, and their results on one database. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { NEEDS, type NeedName, type Skipping, programOnPath, unless } from '@isolab/needs';

/** The outcome of each test by its name. */
export type Results = ReadonlyMap<string, string>;

export interface Suite {
  readonly title: string;
  readonly skipping: Skipping;
  /** Statements that the suite expects to have run. */
  readonly setUp: readonly string[];
  /** Fetches the suite into a folder, and returns its runner on the database at an address. */
  prepare(folder: string): (address: string) => Promise<Results>;
}

/** The share of the tests that runs, chosen by the hashes of their names; ISOLAB_SUITES=whole runs all of them. */
const SHARE = process.env['ISOLAB_SUITES'] === 'whole' ? 1 : 0.1;

const isChosen = (name: string): boolean =>
  createHash('sha256').update(name).digest().readUInt32BE(0) < SHARE * 2 ** 32;

/** Skips a test with packages of a language unless ISOLAB_RECORDERS allows to fetch them, as for the recorders. */
export function unlessFetched(need: NeedName & ('go' | 'psycopg')): Skipping {
  const mayFetch = (process.env['ISOLAB_RECORDERS'] ?? '').split(',').includes(need);
  const canRun = NEEDS[need].programs!.every((tool) => programOnPath(tool) !== null);
  return canRun
    ? unless(need, mayFetch, `its packages are not fetched, which ISOLAB_RECORDERS=${need} does`)
    : unless(need, false);
}

const run = (cwd: string, program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });

/** Runs a suite to its end, and returns its output. A suite with failing tests ends with another code than 0. */
async function outputOf(cwd: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const [program, ...rest] = words;
  const child = spawn(program!, rest, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  return text(child.stdout);
}

const PGX = 'github.com/jackc/pgx/v5@v5.7.6';
const PGX_PACKAGES = ['.', './pgconn'];

const pgx: Suite = {
  title: 'pgx',
  skipping: unlessFetched('go'),
  setUp: [
    'create extension if not exists hstore',
    'create extension if not exists ltree',
    'create domain uint64 as numeric(20,0)',
  ],
  prepare(folder) {
    const { Dir } = JSON.parse(run(folder, 'go', 'mod', 'download', '-json', PGX)) as { Dir: string };
    const own = join(folder, 'pgx');
    cpSync(Dir, own, { recursive: true });
    run(folder, 'chmod', '-R', 'u+w', own);
    const listed = run(own, 'go', 'test', '-list', '.', ...PGX_PACKAGES).split('\n');
    const chosen = listed.filter((name) => /^Test\w+$/.test(name) && isChosen(name));
    const words = ['go', 'test', '-json', '-count=1', '-run', `^(${chosen.join('|')})$`, ...PGX_PACKAGES];
    return async (address) => resultsOfGo(await outputOf(own, words, { PGX_TEST_DATABASE: address }));
  },
};

function resultsOfGo(output: string): Results {
  const results = new Map<string, string>();
  for (const line of output.split('\n')) {
    if (!line.startsWith('{')) continue;
    const { Action, Package, Test } = JSON.parse(line) as Readonly<Record<string, string>>;
    if (Test !== undefined && /^(?:pass|fail|skip)$/.test(Action!)) results.set(`${Package} ${Test}`, Action!);
  }
  return results;
}

/** A suite of Python that pytest runs, in the source archive of its package. */
interface PythonSuite {
  readonly title: string;
  /** `name==version` */
  readonly from: string;
  readonly packages: readonly string[];
  readonly tests: readonly string[];
  readonly setUp: readonly string[];
  place(address: URL): { readonly words?: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

const python = ({ title, from, packages, tests, setUp, place }: PythonSuite): Suite => ({
  title,
  skipping: unlessFetched('psycopg'),
  setUp,
  prepare(folder) {
    const pip = (...words: string[]): string => run(folder, 'python3', '-m', 'pip', '--quiet', ...words);
    const [name] = from.split('==');
    pip('download', '--no-deps', '--no-binary', name!, '--dest', join(folder, 'sources'), from);
    pip('install', '--target', join(folder, 'packages'), 'pytest==8.3.5', ...packages);
    mkdirSync(join(folder, 'suite'));
    const [archive] = readdirSync(join(folder, 'sources'));
    run(folder, 'tar', 'xzf', join('sources', archive!), '-C', 'suite', '--strip-components=1');
    writeFileSync(join(folder, 'packages', 'isolab_chosen.py'), readFileSync(CHOSEN));
    const words = ['python3', '-m', 'pytest', '-q', '-p', 'isolab_chosen', '--junitxml=results.xml', ...tests];
    return async (address) => {
      const { words: more = [], env = {} } = place(new URL(address));
      const paths = { PYTHONPATH: join(folder, 'packages'), ISOLAB_SHARE: String(SHARE) };
      await outputOf(join(folder, 'suite'), [...words, ...more], { ...paths, ...env });
      return resultsOfJUnit(readFileSync(join(folder, 'suite', 'results.xml'), 'utf8'));
    };
  },
});

const CHOSEN = fileURLToPath(new URL('isolab_chosen.py', import.meta.url));

function resultsOfJUnit(xml: string): Results {
  const cases = xml.matchAll(/<testcase classname="([^"]*)" name="([^"]*)"[^>]*?(?:\/>|>(.*?)<\/testcase>)/gs);
  const outcome = (inner = ''): string => /<(failure|error|skipped)/.exec(inner)?.[1] ?? 'passed';
  return new Map(Array.from(cases, ([, place, name, inner]) => [`${place} ${name}`, outcome(inner)]));
}

/** The source archive of psycopg 3 has no tests; the dialect of SQLAlchemy uses that driver. */
const sqlalchemy = python({
  title: 'the dialect of SQLAlchemy, with psycopg 3',
  from: 'sqlalchemy==2.0.44',
  packages: ['sqlalchemy==2.0.44', 'psycopg[binary]==3.2.13'],
  tests: ['dialect', 'on_conflict', 'query'].map((of) => `test/dialect/postgresql/test_${of}.py`),
  setUp: ['create schema test_schema', 'create schema test_schema_2', 'create extension if not exists hstore'],
  place: (address) => ({ words: ['--dburi', address.href.replace(/^\w+:/, 'postgresql+psycopg:')] }),
});

const pg8000 = python({
  title: 'pg8000',
  from: 'pg8000==1.31.6',
  packages: ['pg8000==1.31.6', 'pytz'],
  tests: ['test/dbapi', 'test/legacy', 'test/native', '--ignore-glob=*auth*', '--ignore-glob=*benchmarks*'],
  setUp: ['create extension if not exists hstore'],
  place: ({ hostname, port, password }) => ({ env: { PGHOST: hostname, PGPORT: port, PGPASSWORD: password } }),
});

export const SUITES: readonly Suite[] = [sqlalchemy, pg8000, pgx];
