import { asChecker } from './checker-shape.ts';
import { RunnerError, type RunnerErrorCode } from './errors.ts';
import { type Described, loadLimitMs } from './job.ts';
import { type CheckerRef, specifierUrl } from './load-checker.ts';
import type { OwnImports } from './own-imports.ts';

export interface PluginLimits {
  readonly timeMs?: number;
  /** Our modules that the plug-in may import even where they are not installed. */
  readonly imports?: OwnImports;
}

/**
 * Loads a plug-in in its own process, which reports its description. Its `check` cannot be called before a run loads it
 * again.
 */
export async function loadPlugin(specifier: string, from?: URL, limits: PluginLimits = {}): Promise<CheckerRef> {
  const { href: url } = specifierUrl(specifier, from);
  // Imported lazily, because it imports modules of Node.
  const { describeInProcess } = await import('./describe-in-process.ts');
  const { imports } = limits;
  const own = imports && { imports };
  const described = await describeInProcess({ url, ...own }, loadLimitMs(limits));
  if (described.kind === 'refused') throw refusalOf(described, specifier, url);
  const checker = asChecker({ info: described.info, check: notHere }, specifier);
  return { checker, url, isPlugin: true, ...own };
}

function notHere(): never {
  throw new Error('This plug-in is only described here and cannot be called; run() loads it.');
}

/** Returns the error that the process reported, with the user's specifier in place of the URL. */
function refusalOf({ error }: Extract<Described, { kind: 'refused' }>, specifier: string, url: string): RunnerError {
  const isCode = LOAD_CODES.some((code) => code === error.name);
  const message = error.message.replaceAll(url, specifier);
  return isCode && error.name !== 'checker-not-loadable'
    ? new RunnerError(error.name as RunnerErrorCode, message)
    : new RunnerError('checker-not-loadable', prefixed(message, specifier));
}

const prefixed = (message: string, specifier: string): string =>
  message.startsWith(`The checker ${specifier} does not load`)
    ? message
    : `The checker ${specifier} does not load: ${message}`;

const LOAD_CODES: readonly RunnerErrorCode[] = [
  'checker-not-found',
  'checker-not-loadable',
  'not-a-checker',
  'wrong-api-version',
];
