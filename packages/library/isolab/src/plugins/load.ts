import { RunnerError, provideImports, specifierUrl } from '@isolab/runner';
import { pluginImports } from './plugin-imports.ts';
import { PluginError, thrownWords } from './errors.ts';

/** Returns whether a word of the command line can only be a file. */
export const isPath = (word: string): boolean =>
  /^\.{0,2}[/\\]|^file:|^[A-Za-z]:[/\\]/.test(word) || /\.[cm]?[jt]s$/.test(word);

/**
 * Loads the default export of a file or package into this thread, with all rights of this process. Paths and packages
 * are resolved from `from`, by default the working directory.
 */
export async function loadDefault(word: string, what: string, from?: URL): Promise<unknown> {
  const { href } = urlOf(word, what, from);
  provideImports(pluginImports());
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await inTime(import(href) as Promise<Readonly<Record<string, unknown>>>, word);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError(`${word} does not load: ${thrownWords(error).replaceAll(href, word)}`, { cause: error });
  }
  if ('default' in module) return module['default'];
  const others = Object.keys(module).toSorted();
  const found = others.length === 0 ? 'it exports nothing' : `it exports ${others.join(', ')}`;
  throw new PluginError(
    `${word} has no default export (${found}), expected one: export default ${DEFINED[what] ?? '…'}`,
  );
}

/** How the file of each kind ends. */
const DEFINED: Readonly<Record<string, string>> = {
  workload: 'defineWorkload({ name, title, data, parameters, prepare });',
  format: 'defineFormat({ name, title, layout, fileName, matches, read });',
  distribution: 'defineDistribution({ name, title, draw });',
  fault: 'defineFault({ name, title, breaks, at, inject });',
  checker: 'defineChecker({ info, check });',
};

export function urlOf(word: string, what: string, from?: URL): URL {
  try {
    return specifierUrl(word, from, what);
  } catch (error) {
    if (error instanceof RunnerError) throw new PluginError(error.message, { cause: error });
    throw error;
  }
}

async function inTime<T>(loading: Promise<T>, word: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${word} does not load: it did not finish within ${LOADING_MS / 1000} s`;
    timer = setTimeout(() => reject(new PluginError(message)), LOADING_MS);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}

const LOADING_MS = 30_000;
