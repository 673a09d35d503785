import { channel } from 'node:diagnostics_channel';
import { PluginError, thrownWords } from './errors.ts';

/**
 * Event on the channel `isolab:plugin` about the code of a plug-in in this thread. A watcher uses it to end code that
 * never returns.
 */
export interface PluginNews {
  /** Name of the plug-in as the user wrote it. */
  readonly where: string;
  /** Kind of event: the code was called, continues after a request, or is done. */
  readonly kind: 'called' | 'goes on' | 'done';
}

const news = channel('isolab:plugin');

const tell = (where: string, kind: PluginNews['kind']): void => {
  if (news.hasSubscribers) news.publish({ where, kind } satisfies PluginNews);
};

/** Calls the code of a plug-in. Its errors are reported as errors of the plug-in, with the request. */
export function call<T>(where: string, asked: () => string, run: () => T): T {
  tell(where, 'called');
  try {
    return run();
  } catch (error) {
    throw asPluginError(error, where, asked());
  } finally {
    tell(where, 'done');
  }
}

/** Requests of a plug-in while it works. */
export class Pulls {
  readonly #where: string;
  #count = 0;

  constructor(where: string) {
    this.#where = where;
  }

  readonly add = (): void => {
    this.#count++;
    tell(this.#where, 'goes on');
  };

  /** Waits for the plug-in as long as it makes further requests or computes. */
  async until<T>(begin: () => Promise<T>, asked: string): Promise<T> {
    const where = this.#where;
    let seen = -1;
    let stop = (): void => {};
    const stalled = new Promise<never>((_, reject) => {
      const alive = setInterval(() => tell(where, 'goes on'), ALIVE_MS);
      const check = setInterval(() => {
        if (this.#count === seen)
          reject(new PluginError(`${where} was asked ${asked} and made no progress for ${STALL_MS / 1000} s`));
        seen = this.#count;
      }, STALL_MS);
      stop = () => [alive, check].forEach(clearInterval);
    });
    tell(where, 'called');
    try {
      return await Promise.race([begin(), stalled]);
    } catch (error) {
      throw asPluginError(error, where, asked);
    } finally {
      stop();
      tell(where, 'done');
    }
  }
}

const ALIVE_MS = 1000;
const STALL_MS = 30_000;

/** Complete errors pass unchanged. */
function asPluginError(error: unknown, where: string, asked: string): Error {
  if (error instanceof Error && (PASSING.has(error.name) || 'syscall' in error)) return error;
  return new PluginError(`${where} was asked ${asked} and threw ${thrownWords(error, where)}`, { cause: error });
}

const PASSING: ReadonlySet<string> = new Set([
  'PluginError',
  'ParameterError',
  'FormatError',
  'OutputError',
  'ReadingTimeout',
]);
