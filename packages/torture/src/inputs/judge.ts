import {
  type HistoryFormat,
  type Input,
  FormatError,
  directoryOfBytes,
  findFormat,
  inputOfBytes,
  outputToMemory,
} from '@isolab/formats';
import { type History, findInvalid, sameHistory } from '@isolab/history';

/** What is wrong with how files are read as a format; null if they are refused, or read whole, in time. */
export async function judge(format: string, files: ReadonlyMap<string, Uint8Array>): Promise<string | null> {
  const problem = await judgeOnce(format, files);
  // A busy machine may take a second for anything; an input that is slow is slow again.
  return problem === SLOW ? judgeOnce(format, files) : problem;
}

async function judgeOnce(name: string, files: ReadonlyMap<string, Uint8Array>): Promise<string | null> {
  const format = findFormat(name)!;
  const begin = performance.now();
  try {
    const input = inputOf(files, format.layout);
    if ('readPolygraph' in format) await format.readPolygraph(input as never);
    else {
      const history = await format.read(input as never, {});
      const problem = await whyNotWhole(history);
      if (problem !== null) return problem;
    }
  } catch (error) {
    if (!(error instanceof FormatError)) return `it crashed: ${error instanceof Error ? error.stack : String(error)}`;
  }
  return performance.now() - begin > LIMIT_MS ? SLOW : null;
}

function inputOf(files: ReadonlyMap<string, Uint8Array>, layout: 'stream' | 'directory'): Input {
  if (layout === 'directory') return directoryOfBytes('input', Object.fromEntries(files));
  return inputOfBytes('input', files.values().next().value!);
}

/** A history that was understood comes back as it is from isolab's own format. */
async function whyNotWhole(history: History): Promise<string | null> {
  const invalid = findInvalid(history);
  if (invalid !== null) return `the history is invalid: ${invalid}`;
  const isolab = findFormat('isolab') as HistoryFormat;
  const written = new Map<string, Uint8Array>();
  await (await isolab.writer!()).write(history, outputToMemory(written));
  try {
    const back = await isolab.read(inputOf(written, 'stream') as never, {});
    return sameHistory(back, history) ? null : 'written in isolab’s format and read back, it is another history';
  } catch (error) {
    return `written in isolab’s format, it cannot be read back: ${(error as Error).message}`;
  }
}

const LIMIT_MS = 1000;
const SLOW = `it took more than ${LIMIT_MS} ms`;
