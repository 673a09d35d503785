/**
 * Bundles the code of the command, with its V8 code cache, into packages/apps/cli/bundle: in a clone a command then
 * starts in half the time, and so do the processes that run checkers (bundle-workers.ts). Other workers and processes
 * run the compiled files, because every URL of a module stays valid.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { OutputChunk, Plugin } from 'rolldown';
import { ownImport, startFile } from './bundle-start.ts';
import { bundleWorkers } from './bundle-workers.ts';
import { replaceCode } from './replace-code.ts';
import { packageAround, packageName, root } from './workspace.ts';

const packages = path.join(root, 'packages');
const distOf =
  (folder: string) =>
  (file: string): string =>
    path.join(packages, folder, 'dist', file);
const cli = distOf('apps/cli');
const library = distOf('library/isolab');
const folder = path.join(packages, 'apps/cli/bundle');
/** Each bundle has its own folder, so that running programs still find the files of the previous one. */
const made = path.join(folder, `${Date.now()}-${process.pid}`);
const listing = path.join(folder, 'compiled.json');

/** Modules that are loaded for their side effects: each has its own file. */
const PROGRAMS = [cli('main.js'), cli('command-main.js')];
const WORKING = [PROGRAMS[1]!, cli('terminal/report-error.js'), cli('run.js')];
/** Modules that every check of a small history in isolab's own format loads. */
const CHECK = [
  cli('commands/check.js'),
  cli('verdicts/verdict-text.js'),
  path.join(packages, 'core/formats/dist/isolab/isolab-reader.js'),
  path.join(packages, 'checkers/weave/dist/index.js'),
];
/** Modules that plug-ins import through the package isolab. */
const OWN: readonly (readonly [name: string, file: string])[] = [
  ['isolab', library('index.js')],
  ['plugin', library('plugin.js')],
];

const ENTRY = [
  ['main', PROGRAMS[0]!] as const,
  ['work', PROGRAMS[1]!] as const,
  ['atOnce', cli('at-once.js')] as const,
  ...OWN,
]
  .map(([name, file]) => `export const ${name} = () => import(${JSON.stringify(file)});`)
  .join('\n');

/** Node version of the bundle, its folder, and the times when its sources were compiled. */
interface Made {
  readonly node: string;
  readonly folder: string;
  readonly compiled: Readonly<Record<string, number>>;
}

async function write(): Promise<Made> {
  const [waiting, working, check] = [await usedBy([PROGRAMS[0]!]), await usedBy(WORKING), await usedBy(CHECK)];
  const groups: Group[] = [
    { name: 'both', test: (id) => (waiting.has(id) && working.has(id)) || id.startsWith(STUB) },
    { name: 'working', test: (id) => working.has(id) },
    { name: 'check', test: (id) => check.has(id) },
  ];
  const workers = await bundleWorkers(made);
  const isStart = (id: string): boolean => waiting.has(id) || groups.some(({ test }) => test(id));
  const modules = [...(await bundled(ENTRY, groups, isStart)), ...workers.modules];
  const ours = modules.filter((id) => id.startsWith(packages) && !id.includes('node_modules'));
  const stamps = new Set(ours.map((id) => path.join(packageAround(id), 'dist/tsconfig.build.tsbuildinfo')));
  const files = [...stamps.add(path.join(packages, 'dev/packaging/dist/tsconfig.build.tsbuildinfo'))];
  const compiled = Object.fromEntries(files.map((file) => [path.relative(folder, file), statSync(file).mtimeMs]));
  writeFileSync(path.join(made, 'start.cjs'), startFile(workers.checkers));
  for (const [name, file] of OWN) {
    const names = Object.keys((await import(pathToFileURL(file).href)) as object);
    writeFileSync(path.join(made, `${name}.mjs`), ownImport(name, path.relative(made, file), names));
  }
  for (const name of readdirSync(made)) if (name.startsWith('part-')) await wrap(path.join(made, name));
  return { node: process.version, folder: path.basename(made), compiled };
}

interface Group {
  readonly name: string;
  readonly test: (id: string) => boolean;
}

/** Wraps a file in a function, as Node does. Cached code cannot import: start.cjs does so for it. */
async function wrap(file: string): Promise<void> {
  const { Visitor, parseSync } = await import('rolldown/utils');
  const code = readFileSync(file, 'utf8');
  const places: number[] = [];
  new Visitor({ ImportExpression: ({ start }) => void places.push(start) }).visit(parseSync(file, code).program);
  const parts = [0, ...places.toSorted((a, b) => a - b).map((start) => start + 'import'.length)];
  const whole = parts.map((start, i) => {
    const part = code.slice(start, i + 1 < parts.length ? parts[i + 1]! - 'import'.length : undefined);
    return i === 0 ? part : `importHere${part}`;
  });
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname, importHere) {${whole.join('')}\n})`);
}

/** Modules that the given modules load statically, without the given ones if they are programs. */
async function usedBy(files: readonly string[]): Promise<ReadonlySet<string>> {
  const entry = files.map((file, i) => `export * as part${i} from ${JSON.stringify(file)};`).join('\n');
  const ids = await bundled(entry, [], null);
  return new Set(ids.filter((id) => id !== ENTRY_ID && !PROGRAMS.includes(id) && !id.includes('rolldown/runtime')));
}

type IsStart = (id: string) => boolean;

/**
 * Writes a bundle and returns its modules. Without `isStart`, this is a trial without modules that are loaded only when
 * needed.
 */
async function bundled(entry: string, groups: readonly Group[], isStart: IsStart | null): Promise<string[]> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: { entry: ENTRY_ID },
    platform: 'node',
    plugins: [withoutOutside(entry, isStart)],
    treeshake: { moduleSideEffects: (id) => PROGRAMS.includes(id) || id.includes('node_modules') },
    onwarn: () => {}, // a module that is loaded lazily by one module is loaded statically by another
  });
  const options = {
    dir: made,
    format: 'cjs',
    entryFileNames: 'part-[name].cjs',
    chunkFileNames: 'part-[name].cjs',
    // V8 reads Latin-1 code faster.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
    codeSplitting: { groups: groups.map((each, i) => ({ ...each, priority: groups.length - i })) },
  } as const;
  const { output } = await (isStart === null ? build.generate(options) : build.write(options));
  await build.close();
  return output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
}

const ENTRY_ID = '\0entry';
/** Beginning of the id of a module that loads a module of Node when it is called. */
const STUB = '\0when-called:';

function withoutOutside(entry: string, isStart: IsStart | null): Plugin {
  return {
    name: 'without-outside',
    resolveId(specifier, importer, { kind }) {
      if (specifier === ENTRY_ID) return specifier;
      if (RARE.includes(specifier) && importer?.startsWith(STUB) === false && isStart?.(importer))
        return `${STUB}${specifier}`;
      const isThirdParty = packageName(specifier) !== null && !/^(@isolab\/|isolab)/.test(specifier);
      return kind === 'dynamic-import' && (isStart === null || isThirdParty || OUTSIDE.includes(specifier))
        ? { id: specifier, external: true }
        : null;
    },
    load: (id) => (id === ENTRY_ID ? entry : id.startsWith(STUB) ? whenCalled(id.slice(STUB.length)) : null),
    transform(code, id) {
      if (id === library('plugins/plugin-imports.js')) return PLUGIN_IMPORTS;
      const url = `new URL(${JSON.stringify(path.relative(made, id))}, import.meta.url).href`;
      return replaceCode(code, id, /import\.meta\.(?:url|resolve\()/g, (found) =>
        found === 'import.meta.url' ? url : `(${RESOLVE})(${url}, `,
      );
    },
  };
}

/** Finds compiled packages relative to the importing module, as `import.meta.resolve` does. */
const RESOLVE = `(from, name) => require('node:url').pathToFileURL(require('node:module').createRequire(from).resolve(name)).href`;

/** Plug-ins import modules of the bundle, so that the classes of their errors are recognized here. */
const PLUGIN_IMPORTS = `export const pluginImports = () => ({
  isolab: new URL('isolab.mjs', import.meta.url).href,
  'isolab/plugin': new URL('plugin.mjs', import.meta.url).href,
});`;

/**
 * Packages that find their own packages through import.meta, and are loaded only when a checker is requested by name.
 */
const OUTSIDE = ['@isolab/baselines/asp'];

/** Modules that the start of a command does not call, and that take milliseconds to load. */
const RARE = [
  'node:child_process',
  'node:fs/promises',
  'node:os',
  'node:stream/promises',
  'node:worker_threads',
  'node:zlib',
];

/** A module of Node that is loaded when one of its functions is called. */
function whenCalled(name: string): string {
  const module = createRequire(import.meta.url)(name) as Readonly<Record<string, unknown>>;
  const functions = Object.keys(module).filter((each) => typeof module[each] === 'function');
  const exported = functions.map(
    (each) => `export function ${each}(...given) {
      const { ${each}: real } = require('${name}');
      return new.target ? new real(...given) : real(...given);
    }`,
  );
  return exported.join('\n');
}

/** A history of a hundred transactions in four sessions; each increments one of seven keys. */
function validHistory(): string {
  const transactions = Array.from({ length: 100 }, (_, i) => {
    const [key, before] = [i % 7, Math.max(0, i - 6)];
    return {
      session: i % 4,
      begin: 10 * i,
      end: 10 * i + 15,
      ops: [
        ['r', key, before],
        ['w', key, i + 1],
      ],
    };
  });
  const header = { isolab: 'history', version: 1, initial: 0, times: 'events' };
  return [header, ...transactions].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Runs commands to fill the code cache with the functions that they use. */
async function compile(): Promise<void> {
  const place = path.join(made, 'run');
  mkdirSync(place);
  writeFileSync(path.join(place, 'valid.jsonl'), validHistory());
  const datasets = path.join(root, 'datasets');
  const violated = path.join(datasets, 'histories/aborted-transfer.jsonl');
  const fork = path.join(datasets, 'examples/isolab/two-sessions.jsonl');
  const { COMMANDS } = (await import(pathToFileURL(cli('command-list.js')).href)) as { COMMANDS: object };
  const checks = [violated, fork, 'valid.jsonl'].map((file) => ['check', file, '--level', 'serializable']);
  const runs = [
    ...checks,
    ['check', fork, '--level', 'all'],
    ['stats', fork],
    ['convert', fork, 'fork.txt', '--to', 'text', '--allow-lossy'],
    ['generate', 'general', 'made.jsonl'],
    ['check', fork, '--level', 'ser', '--certificate', 'c.json', '--shrink'],
    ['verify', fork, 'c.json'],
    ['shrink', fork, 'small.jsonl', '--level', 'ser'],
    ['view', fork, 'page.html', '--level', 'ser'],
    ['check', fork, '--level', 'ser', '--checker', 'all'],
    ['levels'],
    ['checkers'],
    ['workloads'],
    ['--help'],
    ...Object.keys(COMMANDS).map((name) => [...name.split(' '), '--help']),
  ];
  // The listeners that each command adds to the streams have no effect, as no command prints.
  const script = `const start = require('../start.cjs');
    process.stdout.setMaxListeners(0);
    process.stderr.setMaxListeners(0);
    (async () => {
      const { recorded } = await start.atOnce();
      for (const words of ${JSON.stringify(runs)}) {
        const { code } = await recorded(words);
        if (code > 1) throw new Error(words.join(' '));
      }
      start.keep();
      process.exit();
    })();`;
  const { status } = spawnSync(process.execPath, ['-e', script], {
    cwd: place,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(place, { recursive: true });
  if (status !== 0) throw new Error('The bundle of isolab does not run.');
}

/** Latest bundle; null if there is none. */
function lastMade(): Made | null {
  try {
    return JSON.parse(readFileSync(listing, 'utf8')) as Made;
  } catch {
    return null;
  }
}

/** Same test as in isolab.cjs. */
function isUpToDate({ node, compiled }: Made): boolean {
  try {
    const files = Object.entries(compiled);
    return (
      node === process.version && files.every(([file, time]) => statSync(path.join(folder, file)).mtimeMs === time)
    );
  } catch {
    return false;
  }
}

/** Keeps these entries, and files that another process may be making. */
function removeOthers(names: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const isBeingMade = Number.parseInt(name, 10) > Date.now() - 600_000;
    if (!names.includes(name) && !isBeingMade) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

const last = lastMade();
if (last === null || !isUpToDate(last)) {
  try {
    mkdirSync(made, { recursive: true });
    const now = await write();
    await compile();
    writeFileSync(`${listing}.${process.pid}`, JSON.stringify(now));
    renameSync(`${listing}.${process.pid}`, listing);
    removeOthers([now.folder, last?.folder ?? '', path.basename(listing)]);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
}
