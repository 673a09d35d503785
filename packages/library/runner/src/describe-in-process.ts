import { startChild } from './child.ts';
import { howProcessEnded } from './in-process.ts';
import { type Described, type ModuleOfChecker, START_LIMIT_MS } from './job.ts';
import { readFromProcess } from './messages.ts';

/** Loads a plug-in in a process and requests its description. */
export function describeInProcess(module: ModuleOfChecker, limitMs: number): Promise<Described> {
  return new Promise((resolve, reject) => {
    let described: Described | null = null;
    const settle = (answer: Described): void => {
      described ??= answer;
      child.kill();
    };
    const refuse = (message: string): Described => ({
      kind: 'refused',
      error: { name: 'checker-not-loadable', message, stack: '' },
    });
    const child = startChild({
      checker: module.url,
      onMessage: (raw) => {
        const message = readFromProcess(raw, 0);
        const isAnswer = message?.kind === 'described' || message?.kind === 'refused';
        settle(isAnswer ? message : refuse('its process sent a message that is not a report'));
      },
      onFailure: (error) => {
        clearTimeout(limit);
        reject(error);
      },
      onEnd: (ending) => {
        clearTimeout(limit);
        resolve(described ?? refuse(howProcessEnded(ending)));
      },
    });
    const limit = setTimeout(() => settle(refuse('its process did not answer in time')), START_LIMIT_MS);
    child.send({ kind: 'describe', ...module, limitMs });
  });
}
