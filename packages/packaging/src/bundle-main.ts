/**
 * Bundles what `isolab check` runs, with the code that V8 compiles of it, into packages/cli/bundle: a clone then checks a
 * small history in half the time. Workers and processes run the compiled files, for every URL of a module stays what it is.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { OutputChunk, Plugin } from 'rolldown';
import { packageAround, packageName, root } from './workspace.ts';

const packages = path.join(root, 'packages');
const dist = (...file: readonly string[]): string => path.join(packages, file[0]!, 'dist', ...file.slice(1));
const folder = path.join(packages, 'cli/bundle');
/** The command, and what every check of a small history in isolab's own format loads. */
const ENTRY = [
  dist('cli', 'command-main.js'),
  dist('cli', 'commands/check.js'),
  dist('cli', 'verdict-text.js'),
  dist('formats', 'isolab/isolab-reader.js'),
  path.join(packages, 'checkers/weave/dist/index.js'),
];

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
    input: { check: '\0check' },
    platform: 'node',
    plugins: [onlyCheck(isCore)],
    treeshake: { moduleSideEffects: (id) => id === ENTRY[0] },
    onwarn: () => {}, // what is loaded lazily by one module is loaded at once by another
  });
  const { output } = await build.write({
    dir: made,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    minify: 'dce-only',
    codeSplitting: { groups: [{ name: 'check', test: isInCore }] },
  });
  await build.close();
  return output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
}

function onlyCheck(isCore: boolean): Plugin {
  return {
    name: 'only-check',
    resolveId(specifier, importer, { kind }) {
      if (specifier === '\0check') return specifier;
      const isOther = importer === dist('cli', 'run.js') && specifier !== './commands/check.js';
      const isThirdParty = packageName(specifier) !== null && !/^(@isolab\/|isolab)/.test(specifier);
      return kind === 'dynamic-import' && (isCore || isOther || isThirdParty)
        ? { id: specifier, external: true }
        : null;
    },
    load: (id) => (id === '\0check' ? ENTRY.map((file) => `import ${JSON.stringify(file)};`).join('\n') : null),
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const url = JSON.stringify(path.relative(folder, id));
      return code.replaceAll('import.meta.url', `new URL(${url}, import.meta.url).href`);
    },
  };
}

/** Starts the bundle with what V8 compiled of it before; the first time, keeps that. */
const START = `const fs = require('node:fs');
const Module = require('node:module');
const vm = require('node:vm');

const file = __dirname + '/check.cjs';
const kept = __dirname + '/check.cache';
const isFirst = !fs.existsSync(kept);
const script = new vm.Script(fs.readFileSync(file, 'utf8'), {
  filename: file,
  ...(!isFirst && { cachedData: fs.readFileSync(kept) }),
});
if (isFirst) process.once('exit', () => fs.writeFileSync(kept, script.createCachedData()));
const bundle = new Module(file, module);
bundle.filename = file;
bundle.loaded = true;
require.cache[file] = bundle;
script.runInThisContext()(bundle.exports, Module.createRequire(file), bundle, file, __dirname, (name) => import(name));
`;

/** Runs the bundle once, for it keeps what V8 compiles. */
async function compile(): Promise<void> {
  const history = path.join(root, 'datasets/examples/isolab/two-sessions.jsonl');
  const child = fork(path.join(made, 'start.cjs'), ['check', history, '--level', 'serializable'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.on('message', ({ kind }: { kind: string }) => {
    if (kind === 'done') child.send({ kind: 'end' });
  });
  await once(child, 'exit');
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
    await compile();
    rmSync(folder, { recursive: true, force: true });
    renameSync(made, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
