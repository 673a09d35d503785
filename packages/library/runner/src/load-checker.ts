import type { Checker } from '@isolab/contract';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { HOW_TO_EXPORT, asChecker } from './checker-shape.ts';
import { RunnerError } from './errors.ts';
import { type OwnImports, provideImports } from './own-imports.ts';
import { resolveSpecifier } from './resolve-specifier.ts';

/**
 * A checker with the URL from which a worker or process can load it again. The URL is null for a checker made in this
 * thread.
 */
export interface CheckerRef {
  readonly checker: Checker;
  readonly url: string | null;
  /** Whether the checker is foreign code, which runs in its own process by default and whose verdicts are verified. */
  readonly isPlugin?: boolean;
  /** Our modules that the checker may import even where they are not installed. */
  readonly imports?: OwnImports;
  /** Whether the checker is only a substitute for histories that no other checker accepts. */
  readonly isFallback?: boolean;
  /** For a fallback: the reasons why other checkers do not accept the history. */
  readonly refusals?: readonly string[];
}

/**
 * Loads a checker into this thread from a path, a package resolved from `from`, or a file URL. For foreign code, use
 * loadPlugin.
 */
export async function loadChecker(specifier: string, from?: URL, imports?: OwnImports): Promise<CheckerRef> {
  const url = specifierUrl(specifier, from);
  if (imports) provideImports(imports);
  return { checker: asChecker(await defaultExport(url, specifier), specifier), url: url.href };
}

/** Resolves the location of a plug-in. `what` names the kind of module in the error message. */
export const specifierUrl = (specifier: string, from?: URL, what?: string): URL =>
  resolveSpecifier(specifier, from ?? pathToFileURL(`${process.cwd()}/`), what);

async function defaultExport(url: URL, specifier: string): Promise<unknown> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(url.href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RunnerError('checker-not-loadable', `The checker ${specifier} does not load: ${reason}`, {
      cause: error,
    });
  }
  if (!('default' in module)) {
    const others = Object.keys(module).toSorted();
    const found = others.length === 0 ? 'it exports nothing' : `it exports ${others.join(', ')}`;
    throw new RunnerError('not-a-checker', `${specifier} has no default export (${found}). ${HOW_TO_EXPORT}`);
  }
  // If a compiler converted an ES module to CommonJS, the default export is nested one level deeper.
  const { default: exported } = module;
  const isCompiled = typeof exported === 'object' && exported !== null && '__esModule' in exported;
  return isCompiled ? (exported as unknown as { default?: unknown }).default : exported;
}
