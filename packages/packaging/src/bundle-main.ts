/**
 * Bundles what `isolab check` runs, with the code that V8 compiles of it, into packages/cli/bundle: a clone then checks a
 * small history in half the time. Workers and processes run the compiled files, for every URL of a module stays what it is.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import type { OutputChunk, Plugin } from 'rolldown';
import { packageAround, packageName, root } from './workspace.ts';

const packages = path.join(root, 'packages');
const dist = (...file: readonly string[]): string => path.join(packages, file[0]!, 'dist', ...file.slice(1));
const folder = path.join(packages, 'cli/bundle');
/** What every check of a small history in isolab's own format loads. */
const CORE = [
  dist('cli', 'at-once.js'),
  dist('cli', 'commands/check.js'),
  dist('cli', 'verdict-text.js'),
  dist('formats', 'isolab/isolab-reader.js'),
  path.join(packages, 'checkers/weave/dist/index.js'),
];

/** What these modules do when they are loaded is to be done. */
const PROGRAMS = [dist('cli', 'main.js'), dist('cli', 'command-main.js')];
const ENTRY = `${CORE.map((file) => `import ${JSON.stringify(file)};`).join('\n')}
export { deliver, tryAtOnce } from ${JSON.stringify(CORE[0])};
export { waitFor } from ${JSON.stringify(PROGRAMS[0])};
export const work = () => import(${JSON.stringify(PROGRAMS[1])});`;

const made = `${folder}.${process.pid}`;

/** What the bundle was made by, and when what it was made of was compiled. */
interface Made {
  readonly node: string;
  readonly compiled: Readonly<Record<string, number>>;
}

async function write(): Promise<void> {
  const always = await bundled(true, () => false);
  const modules = await bundled(false, (id) => always.includes(id));
  const ours = modules.filter((id) => id.startsWith(packages) && !id.includes('node_modules'));
  const stamps = new Set(ours.map((id) => path.join(packageAround(id), 'dist/tsconfig.build.tsbuildinfo')));
  const files = [...stamps.add(path.join(packages, 'packaging/dist/tsconfig.build.tsbuildinfo'))];
  const compiled = Object.fromEntries(files.map((file) => [path.relative(made, file), statSync(file).mtimeMs]));
  writeFileSync(path.join(made, 'compiled.json'), JSON.stringify({ node: process.version, compiled }));
  writeFileSync(path.join(made, 'start.cjs'), START);
  const file = path.join(made, 'check.cjs');
  const code = readFileSync(file, 'utf8').replaceAll(/\bimport\(/g, 'load('); // code from a cache cannot import
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname, load) {${code}\n})`);
}

/** Writes the bundle, with or without what is loaded only when it is needed, and returns the modules in it. */
async function bundled(isCore: boolean, isInCore: (id: string) => boolean): Promise<string[]> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: { entry: '\0check' },
    platform: 'node',
    plugins: [onlyCheck(isCore)],
    treeshake: { moduleSideEffects: (id) => PROGRAMS.includes(id) },
    onwarn: () => {}, // what is loaded lazily by one module is loaded at once by another
  });
  const { output } = await build.write({
    dir: made,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    // Code is read sooner as Latin-1.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
    codeSplitting: { groups: [{ name: 'check', test: (id) => isInCore(id) || id.includes('rolldown/runtime') }] },
  });
  await build.close();
  return output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
}

function onlyCheck(isCore: boolean): Plugin {
  return {
    name: 'only-check',
    resolveId(specifier, importer, { kind }) {
      if (specifier === '\0check') return specifier;
      if (RARE.includes(specifier) && !importer?.startsWith('\0')) return `\0${specifier}`;
      const isOther = importer === dist('cli', 'command-list.js') && specifier !== './commands/check.js';
      const isThirdParty = packageName(specifier) !== null && !/^(@isolab\/|isolab)/.test(specifier);
      return kind === 'dynamic-import' && (isCore || isOther || isThirdParty)
        ? { id: specifier, external: true }
        : null;
    },
    load: (id) => (id === '\0check' ? ENTRY : id.startsWith('\0node:') ? whenCalled(id.slice(1)) : null),
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const url = JSON.stringify(path.relative(folder, id));
      return code.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`);
    },
  };
}

/** What a check of a small history does not call, and takes milliseconds to load. */
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

/** Loads the bundle with what V8 compiled of it before; the first time, keeps that. */
const START = `const fs = require('node:fs');
const Module = require('node:module');
const vm = require('node:vm');

const file = __dirname + '/check.cjs';
const kept = __dirname + '/check.cache';
const isFirst = !fs.existsSync(kept);
const script = new vm.Script(fs.readFileSync(file, 'latin1'), {
  filename: file,
  ...(!isFirst && { cachedData: fs.readFileSync(kept) }),
});
if (isFirst) process.once('exit', () => fs.writeFileSync(kept, script.createCachedData()));
const bundle = new Module(file, module);
bundle.filename = file;
bundle.loaded = true;
require.cache[file] = bundle;
script.runInThisContext()(bundle.exports, Module.createRequire(file), bundle, file, __dirname, (name) => import(name));
module.exports = require('./entry.cjs');
if (require.main === module) module.exports.work();
`;

/** A hundred transactions of four sessions; each increments one of seven keys. */
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

/** Checks violated histories and a valid one, so that the functions that this takes are kept compiled. */
function compile(): void {
  const valid = path.join(made, 'valid.jsonl');
  writeFileSync(valid, validHistory());
  const datasets = path.join(root, 'datasets');
  const violated = ['histories/aborted-transfer.jsonl', 'examples/isolab/two-sessions.jsonl'];
  const histories = [...violated.map((each) => path.join(datasets, each)), valid];
  const script = `const { tryAtOnce } = require('./start.cjs');
    (async () => {
      for (const each of ${JSON.stringify(histories)}) await tryAtOnce(['check', each, '--level', 'serializable']);
    })();`;
  const { status } = spawnSync(process.execPath, ['-e', script], { cwd: made, stdio: ['ignore', 'ignore', 'inherit'] });
  rmSync(valid);
  if (status !== 0) throw new Error('The bundle of isolab check does not run.');
}

/** The same question as in isolab.cjs. */
function isUpToDate(): boolean {
  try {
    const before = JSON.parse(readFileSync(path.join(folder, 'compiled.json'), 'utf8')) as Made;
    const files = Object.entries(before.compiled);
    return (
      before.node === process.version &&
      files.every(([file, time]) => statSync(path.join(folder, file)).mtimeMs === time)
    );
  } catch {
    return false;
  }
}

if (!isUpToDate()) {
  try {
    await write();
    compile();
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
