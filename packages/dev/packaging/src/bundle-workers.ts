import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OutputChunk, Plugin } from 'rolldown';
import { replaceCode } from './replace-code.ts';
import { isOurs, root } from './workspace.ts';

const packages = path.join(root, 'packages');
const runner = path.join(packages, 'library/runner/dist');

/** Scripts that run beside the command: those of checkers, and the other threads. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'process-main': path.join(runner, 'process-main.js'),
  'worker-main': path.join(runner, 'worker-main.js'),
  'thread-main': path.join(packages, 'library/isolab/dist/threads/thread-main.js'),
};

/**
 * Bundles the code of processes and threads for checkers, with all checkers that need only isolab's own packages: a
 * process or thread then starts in half the time. Returns the checkers by the URLs of their compiled code, and the
 * modules in the bundle.
 */
export async function bundleWorkers(folder: string): Promise<{ checkers: string[]; modules: string[] }> {
  const checkers = ownCheckers();
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: SCRIPTS,
    platform: 'node',
    plugins: [withCheckers(checkers)],
    treeshake: { moduleSideEffects: (id) => Object.values(SCRIPTS).includes(id) },
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'worker-[name]-[hash].js',
    minify: 'dce-only', // keeps error stacks readable
  });
  await build.close();
  const modules = output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
  return { checkers: checkers.map(urlOf), modules };
}

function ownCheckers(): string[] {
  const folder = path.join(packages, 'checkers');
  return readdirSync(folder)
    .filter((name) => {
      const manifest = JSON.parse(readFileSync(path.join(folder, name, 'package.json'), 'utf8')) as {
        readonly dependencies?: object;
        readonly exports: object;
      };
      return '.' in manifest.exports && Object.keys(manifest.dependencies ?? {}).every(isOurs);
    })
    .map((name) => path.join(folder, name, 'dist/index.js'));
}

const urlOf = (file: string): string => pathToFileURL(file).href;

/** Loads checkers from the bundle by their URLs; other modules are loaded from their own places. */
function withCheckers(checkers: readonly string[]): Plugin {
  const loads = checkers.map((file) => `${JSON.stringify(urlOf(file))}: () => import(${JSON.stringify(file)}),`);
  return {
    name: 'with-checkers',
    resolveId: (specifier) => (specifier === CHECKERS ? specifier : null),
    load: (id) => (id === CHECKERS ? `export const CHECKERS = {\n${loads.join('\n')}\n};` : null),
    transform(code, id) {
      // The script of a thread is beside the script of its process.
      if (id === path.join(runner, 'entry-point.js')) return null;
      const placed = replaceCode(code, id, /import\.meta\.url/g, () => JSON.stringify(urlOf(id)));
      if (id !== path.join(runner, 'load-checker.js')) return placed;
      const loading = replaceCode(placed, id, LOADS, () => '(CHECKERS[url.href] ?? (() => import(url.href)))()');
      if (loading === placed) throw new Error(`${id} no longer loads checkers by ${LOADS.source}.`);
      return `import { CHECKERS } from '${CHECKERS}';\n${loading}`;
    },
  };
}

const CHECKERS = 'isolab:checkers';
/** TypeScript's output for an import by a variable. */
const LOADS = /import\(__rewriteRelativeImportExtension\(url\.href\)\)/g;
