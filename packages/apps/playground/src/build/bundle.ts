/** Bundles the modules of a compiled entry into one script for a browser, with rolldown, from the packages' `dist`. */

import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/** Ending of the bundled files, which are like this one: compiled scripts, or sources in this package's own tests. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/**
 * Replacements for Node's modules in a page. Other modules are empty, because the code that needs them is never called
 * there.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  buffer: '../worker/node/buffer',
  path: '../worker/node/path',
  process: '../worker/node/process',
};

const withoutNode: Plugin = {
  name: 'without-node',
  resolveId: (specifier) => {
    // The baselines need solvers that a page lacks.
    if (specifier.startsWith('@isolab/baselines/')) return '\0baselines';
    if (!isBuiltin(specifier)) return null;
    const standIn = STAND_INS[specifier.replace('node:', '')];
    return standIn === undefined ? `\0${specifier}` : scriptAt(standIn);
  },
  load: (id) => (id.startsWith('\0') ? 'export default {};' : null),
};

const scriptAt = (path: string): string => fileURLToPath(new URL(`${path}${EXTENSION}`, import.meta.url));

/** Bundles the script at a path relative to this file, given without its extension; `name` holds its exports. */
export async function bundle(path: string, name?: string): Promise<string> {
  const build = await rolldown({
    input: scriptAt(path),
    platform: 'browser',
    // testkit imports test runners, which are not used here.
    external: ['vitest', 'fast-check'],
    plugins: [withoutNode],
    shimMissingExports: true,
    // Only this package's own scripts have side effects; unused definitions of others are dropped.
    treeshake: { moduleSideEffects: (id) => id.includes('/playground/') },
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({
      format: 'iife',
      codeSplitting: false,
      minify: true,
      ...(name !== undefined && { name }),
    });
    const [script] = output;
    if (output.length > 1 || script.imports.length > 0) {
      const left = [...script.imports, ...output.slice(1).map(({ fileName }) => fileName)].join(', ');
      throw new Error(`The page's script is incomplete: ${left} is outside of ${script.fileName}.`);
    }
    return script.code;
  } finally {
    await build.close();
  }
}
