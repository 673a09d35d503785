import process from 'node:process';
import { visibleLine } from 'isolab/skin';
import { duration } from './print.ts';

/** Prints the progress of long work on standard error: one changing line on a terminal, an occasional line in a log. */
export interface ProgressLine {
  /** With `isNew` the estimate starts over. */
  readonly show: (done: number, total: number, isNew?: boolean) => void;
  readonly clear: () => void;
}

export function progressLine(text: (done: number, total: number) => string): ProgressLine {
  let begin: number | null = null;
  let counted = 0; // start of the estimate
  let shown = 0;
  let last: readonly [done: number, total: number] = [0, 0];
  let timer: NodeJS.Timeout | undefined;
  const told = (now: number): string => visibleLine(`${text(...last)}${timeOf(now - counted, ...last)}`);
  const log = (): void => {
    const now = Date.now();
    if (now - shown < LOG_EVERY_MS) return;
    shown = now;
    process.stderr.write(`${told(now)}\n`);
  };
  return {
    show: (done, total, isNew = false) => {
      const now = Date.now();
      if (isNew || begin === null) counted = now;
      last = [done, total];
      if (begin === null) {
        begin = now;
        if (!process.stderr.isTTY) {
          shown = now;
          // A task that waits for another process may report nothing for a long time.
          timer = setInterval(log, LOG_EVERY_MS).unref();
        }
      }
      if (!process.stderr.isTTY) log();
      else if (now - begin >= QUIET_MS && now - shown >= EVERY_MS) {
        shown = now;
        process.stderr.write(`\r\u001B[K${told(now)}`);
      }
    },
    clear: () => {
      clearInterval(timer);
      if (process.stderr.isTTY && shown > 0) process.stderr.write('\r\u001B[K');
      begin = null;
      shown = 0;
    },
  };
}

/** Estimate of the remaining time, if there is one, otherwise the elapsed time. */
function timeOf(ms: number, done: number, total: number): string {
  if (ms < ESTIMATED_AFTER_MS) return '';
  if (done > 0 && total > done && Number.isFinite(total))
    return `; about ${duration((ms * (total - done)) / done)} left`;
  return `; ${duration(ms)} so far`;
}

/** Progress of fetching and building an engine: the first message is printed, the steps are shown on a terminal. */
export function fetchingLine(printer: { note(text: string): void }): {
  readonly hear: (said: string) => void;
  readonly clear: () => void;
} {
  let step = '';
  let steps = 0;
  const line = progressLine((done) => `${step.trim()} (step ${done})`);
  return {
    hear: (said) => {
      if (steps++ === 0) return printer.note(said);
      step = said;
      line.show(steps, steps);
    },
    clear: line.clear,
  };
}

const QUIET_MS = 500;
const EVERY_MS = 100;
const ESTIMATED_AFTER_MS = 2000;
const LOG_EVERY_MS = 10_000;
