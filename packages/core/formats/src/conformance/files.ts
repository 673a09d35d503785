import type { Shown } from '@isolab/contract';
import { type History, findInvalid } from '@isolab/history';
import fc from 'fast-check';
import { FormatError } from '../files/errors.ts';
import type { HistoryFormat } from '../format/format.ts';
import { type Input, directoryOfBytes, inputOfBytes } from '../files/input.ts';
import { outputToMemory } from '../files/output.ts';

/** The files of a history by name. The file of a single-file format has no name. */
export type Files = ReadonlyMap<string, Uint8Array>;

export async function writeFiles(format: HistoryFormat, history: History): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  await (await format.writer!()).write(history, outputToMemory(files));
  return files;
}

export const readFiles = (format: HistoryFormat, files: Files): Promise<History> =>
  format.read(inputOf(format, files), {});

export function inputOf(format: Pick<HistoryFormat, 'layout'>, files: Files): Input {
  if (format.layout === 'directory') return directoryOfBytes('test', Object.fromEntries(files));
  return inputOfBytes('test', [...files.values()][0] ?? new Uint8Array(0));
}

/** Returns a name that the format accepts for one of its files. */
export const fileNameFor = (format: HistoryFormat): string =>
  format.layout === 'directory' ? format.fileName.replace('<n>', '1').replace('*', '1') : '';

/** Reads a history from files; returns null where the reader refuses them. Throws if the reader does anything else. */
export async function readOrRefused(format: HistoryFormat, files: Files): Promise<History | null> {
  let history: History;
  try {
    history = await inTime(readFiles(format, files), files);
  } catch (error) {
    if (!isFormatError(error)) throw new Error(`it threw ${wordsOf(error)} on ${shown(files)}`, { cause: error });
    if (MESSAGE.test(error.message)) return null;
    const expected = 'expected the name of the file, the position if there is one, and the problem';
    throw new Error(`it said '${error.message}' of ${shown(files)}; ${expected}`, { cause: error });
  }
  const problem = problemOf(history);
  if (problem === null) return history;
  throw new Error(`it returned an invalid history for ${shown(files)}: ${problem}`);
}

/** Returns whether an error is a FormatError, from any copy of the package. */
export const isFormatError = (error: unknown): error is FormatError =>
  error instanceof FormatError || (error instanceof Error && (error as { code?: unknown }).code === 'ISOLAB_FORMAT');

const MESSAGE = /^test\S*(, (line|byte|record) \d+(, column \d+)?)?: /;

/** Problem with the result of a reader; null if it is a history. */
function problemOf(history: unknown): string | null {
  if (typeof history !== 'object' || history === null) return `it is ${String(history)}`;
  try {
    return findInvalid(history as History);
  } catch (error) {
    return `it lacks columns (${wordsOf(error)})`;
  }
}

/** A reader that waits forever would block the process. */
async function inTime<T>(result: Promise<T>, files: Files): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s on ${shown(files)}`)),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

const PATIENCE_MS = 20_000;

export const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

export async function onRandomBytes(format: HistoryFormat, tried: (files: Files) => Promise<unknown>): Promise<Shown> {
  const property = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
    await tried(new Map([[fileNameFor(format), bytes]]));
  });
  const { failed, errorInstance } = await fc.check(property, { numRuns: 200, seed: 1 });
  return failed ? { holds: false, found: wordsOf(errorInstance).replace(/^Error: /, '') } : HOLDS;
}

export const HOLDS: Shown = { holds: true, found: '' };

/** Prints files for a message, as far as they fit on one line. */
export function shown(files: Files): string {
  const texts = [...files.entries()].map(([name, bytes]) => {
    const text = JSON.stringify(new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES)));
    return `${name === '' ? '' : `${name}: `}${text}${bytes.length > SHOWN_BYTES ? ' …' : ''}`;
  });
  return texts.join(', ');
}

const SHOWN_BYTES = 200;
