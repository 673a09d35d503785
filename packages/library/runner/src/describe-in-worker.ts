import { errorText } from './errors.ts';
import { howItExited, loadsTooLong, startWorker } from './in-worker.ts';
import type { Described, ModuleOfChecker } from './job.ts';
import { readFromWorker } from './messages.ts';

/** Loads a plug-in in a worker, because the loading may not return, and requests its description. */
export function describeInWorker({ url, imports }: ModuleOfChecker, limitMs: number): Promise<Described> {
  return new Promise((resolve) => {
    const failed = (error: unknown): void => {
      const { name, message, stack } = errorText(error);
      refuse(`${name}: ${message}`, stack);
    };
    const worker = startWorker({ kind: 'describe', url, ...(imports && { imports }) }, failed);
    const end = (described: Described): void => {
      clearTimeout(limit);
      void worker.terminate();
      resolve(described);
    };
    const refuse = (message: string, stack = ''): void =>
      end({ kind: 'refused', error: { name: 'checker-not-loadable', message, stack } });
    const limit = setTimeout(() => refuse(loadsTooLong(limitMs)), limitMs);
    worker.on('message', (raw: unknown) => {
      const message = readFromWorker(raw, 0);
      if (message?.kind === 'described' || message?.kind === 'refused') end(message);
      else refuse('its thread sent a message that is not a report');
    });
    worker.on('exit', (code) => refuse(howItExited(code)));
  });
}
