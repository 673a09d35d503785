/** The three published packages, with the contents of each. */
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PREBUILT, playgroundPage } from '@isolab/playground';
import { RECORDERS } from '@isolab/record/recorders';
import { CHECKERS } from 'isolab';
import { bundle } from './bundle.ts';
import { copyFiles, optionalPeers, publishedManifest, thirdPartyLicences, writeJson } from './publish.ts';
import { copyTypes } from './types.ts';
import { closureOf, folderOf, readManifest, root } from './workspace.ts';

const require = createRequire(import.meta.url);

/** Stages the command and the library, with all packages of the workspace that they need. */
export async function stageIsolab(folder: string): Promise<void> {
  const own = begin('isolab', folder);
  const cli = path.join(folderOf('@isolab/cli'), 'dist');
  const runner = path.join(folderOf('@isolab/runner'), 'dist');
  const checkers = CHECKERS.map(({ name, module }) => [name, module] as const);
  const { included } = await bundle({
    folder: path.join(folder, 'dist'),
    input: {
      ...filesIn(cli, 'main', 'command-main', 'at-once'),
      ...filesIn(path.join(folderOf('isolab'), 'dist'), 'index', 'plugin', 'objects'),
      ...filesIn(runner, 'worker-main', 'process-main'),
      ...threads(),
      ...enginesDrivers(),
      'module-host': path.join(folderOf('@isolab/collector'), 'dist/drivers/module-host.js'),
      ...Object.fromEntries(checkers.map(([name, specifier]) => [name, entryOf(specifier)])),
    },
    first: [path.join(cli, 'main.js')],
    before: [path.join(cli, 'command-main.js'), path.join(cli, 'run.js')],
    // Modules that `isolab check` needs for any verdict, and the format that isolab itself writes.
    core: [
      path.join(cli, 'commands/check.js'),
      path.join(cli, 'verdicts/verdict-text.js'),
      path.join(folderOf('@isolab/formats'), 'dist/isolab/isolab-reader.js'),
      path.join(cli, 'terminal/end-with-parent.js'), // would otherwise be a file of its own
    ],
    replace: {
      // Checkers are found relative to the file that names them, and the version of the code is that of the whole
      // bundle.
      ...Object.fromEntries(checkers.map(([name, specifier]) => [`module: '${specifier}'`, `module: './${name}.js'`])),
      "import.meta.resolve('@isolab/workloads')": 'import.meta.url',
      'import.meta.resolve(name)': 'import.meta.url',
    },
  });
  copyFileSync(path.join(folderOf('@isolab/cli'), 'isolab.cjs'), path.join(folder, 'isolab.cjs'));
  copyTypes(['isolab', 'isolab/objects', 'isolab/plugin'], path.join(folder, 'types'));
  const packages = [
    ...new Map([...closureOf('isolab'), ...closureOf('@isolab/cli')].map((each) => [each.folder, each])).values(),
  ];
  const schemas = packages.flatMap((each) =>
    copyFiles(path.join(each.folder, 'schema'), path.join(folder, 'schema'), (name) => name.endsWith('.schema.json')),
  );
  copyTemplates(path.join(folder, 'template'));
  copyFolders(folder);
  writeFileSync(path.join(folder, 'dist', PREBUILT), await playgroundPage());
  writeFileSync(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(included));
  writeJson(
    path.join(folder, 'package.json'),
    publishedManifest(own, {
      bin: { isolab: './isolab.cjs' },
      exports: {
        '.': { types: './types/isolab/index.d.ts', default: './dist/index.js' },
        './objects': { types: './types/isolab/objects.d.ts', default: './dist/objects.js' },
        './plugin': { types: './types/isolab/plugin.d.ts', default: './dist/plugin.js' },
        ...Object.fromEntries(schemas.map((name) => [`./${name}`, `./schema/${name}`])),
        './package.json': './package.json',
      },
      ...optionalPeers(packages, included),
    }),
  );
}

const filesIn = (folder: string, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, path.join(folder, `${name}.js`)]));

/** Compiled file of a package, or of one of its entries. */
const entryOf = (specifier: string): string => require.resolve(specifier);

/** Copies programs of engines, and the documents. */
function copyFolders(folder: string): void {
  cpSync(path.join(folderOf('@isolab/engines'), 'programs'), path.join(folder, 'programs'), { recursive: true });
  cpSync(path.join(root, 'docs'), path.join(folder, 'docs'), { recursive: true, filter: isDocument });
}

/** Scripts that run in their own thread or process. */
const threads = (): Record<string, string> => ({
  'serve-main': path.join(folderOf('@isolab/cli'), 'dist/serve/serve-main.js'),
  'keeper-main': path.join(folderOf('@isolab/collector'), 'dist/queue/keeper-main.js'),
  'model-main': path.join(folderOf('isolab'), 'dist/objects/model-main.js'),
  'thread-main': path.join(folderOf('isolab'), 'dist/threads/thread-main.js'),
  'beside-main': path.join(folderOf('@isolab/watch'), 'dist/beside-main.js'),
});

/** Drivers of in-process engines: each is a module that a child process loads. */
function enginesDrivers(): Record<string, string> {
  const modules = path.join(folderOf('@isolab/engines'), 'dist/modules');
  const files = readdirSync(modules).filter((name) => /^driver-.*\.js$/.test(name));
  return Object.fromEntries(files.map((name) => [path.basename(name, '.js'), path.join(modules, name)]));
}

/** Copies files that `isolab new` copies or prints. */
function copyTemplates(template: string): void {
  cpSync(path.join(folderOf('@isolab/cli'), 'template'), template, { recursive: true });
  copyLab(path.join(template, 'lab'));
  for (const { file } of RECORDERS)
    cpSync(path.join(folderOf('@isolab/record'), 'recorders', file), path.join(template, 'recorders', file));
  cpSync(path.join(folderOf('@isolab/record'), 'callers'), path.join(template, 'callers'), { recursive: true });
}

/** Copies the experiments, without the programs among them, and the datasets in the repository. */
function copyLab(lab: string): void {
  const filter = (from: string): boolean => !/[/\\](kernels|local\.json)$/.test(from);
  for (const name of ['benchmarks', 'datasets'])
    cpSync(path.join(root, name), path.join(lab, name), { recursive: true, filter });
}

/** Selects the texts of the documentation, not its drawings. */
const isDocument = (from: string): boolean => path.extname(from) === '.md' || path.basename(from) === 'docs';

/** Stages the contract of checkers, including the model of histories: the only dependency of a plug-in. */
export async function stageContract(folder: string): Promise<void> {
  const own = begin('@isolab/contract', folder);
  const [contract, model] = ['@isolab/contract', '@isolab/history'];
  await bundle({
    folder: path.join(folder, 'dist'),
    input: {
      index: path.join(folderOf(contract), 'dist/index.js'),
      history: path.join(folderOf(model), 'dist/index.js'),
    },
  });
  copyTypes([contract, model], path.join(folder, 'types'));
  writeJson(
    path.join(folder, 'package.json'),
    publishedManifest(own, {
      exports: {
        '.': { types: './types/contract/index.d.ts', default: './dist/index.js' },
        './history': { types: './types/history/index.d.ts', default: './dist/history.js' },
        './package.json': './package.json',
      },
    }),
  );
}

/** Stages the conformance suite, including the oracle; vitest and fast-check come from the plug-in's author. */
export async function stageTestkit(folder: string): Promise<void> {
  const own = begin('@isolab/testkit', folder);
  const external = ['vitest', 'fast-check'];
  await bundle({
    folder: path.join(folder, 'dist'),
    input: { index: path.join(folderOf('@isolab/testkit'), 'dist/index.js') },
    external,
  });
  copyTypes(['@isolab/testkit'], path.join(folder, 'types'), external);
  const { dependencies = {}, peerDependencies = {} } = own;
  const versionOf = (name: string): object => ({ [name]: `^${dependencies[name] ?? peerDependencies[name]}` });
  writeJson(
    path.join(folder, 'package.json'),
    publishedManifest(own, {
      exports: {
        '.': { types: './types/testkit/index.d.ts', default: './dist/index.js' },
        './package.json': './package.json',
      },
      dependencies: versionOf('fast-check'),
      peerDependencies: versionOf('vitest'),
    }),
  );
}

function begin(name: string, folder: string) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  copyFileSync(path.join(folderOf(name), 'README.md'), path.join(folder, 'README.md'));
  return readManifest(folderOf(name));
}
