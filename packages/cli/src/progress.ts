import process from 'node:process';
import { visibleLine } from '@isolab/history';

/** One line on standard error that says how far something is, where a person looks and it takes a while. */
export interface ProgressLine {
  readonly show: (done: number, total: number) => void;
  readonly clear: () => void;
}

export function progressLine(text: (done: number, total: number) => string): ProgressLine {
  const begin = Date.now();
  let shown = 0;
  return {
    show: (done, total) => {
      const now = Date.now();
      if (!process.stderr.isTTY || now - begin < QUIET_MS || now - shown < EVERY_MS) return;
      shown = now;
      process.stderr.write(`\r\u001B[K${visibleLine(text(done, total))}`);
    },
    clear: () => {
      if (shown > 0) process.stderr.write('\r\u001B[K');
    },
  };
}

/** What is fetched and built for an engine: the first thing is said, the steps are shown where a person looks. */
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
