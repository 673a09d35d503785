import { FormatError } from '@isolab/formats';
import { isMark, isOutcome } from '../stream/lines.ts';
import { type NewReader, finished, readerBehind, syntaxProblemOf } from '../engine/snapshot.ts';
import type { Refusal } from '../sources/source.ts';

/**
 * Finds a problem with a sender's complete lines, under the header of the stream. In the log, such lines would end this
 * watch and every later one. Null if there is no problem.
 */
export function problemIn(bytes: Uint8Array, header: Uint8Array, newReader: NewReader): Refusal | null {
  const rest = new Uint8Array(bytes); // a copy
  let line = 0;
  try {
    for (let from = 0; from < bytes.length;) {
      line++;
      const to = bytes.indexOf(LINE_FEED, from) + 1;
      const isNumbered = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).includes(NUMBER);
      if (isMark(bytes, from) || isOutcome(bytes, from) || isNumbered) {
        rest.fill(BLANK, from, to - 1);
        // A numbered line may be a duplicate: it is then dropped without an error.
        if (isNumbered && !isOutcome(bytes, from)) read(newReader, header, bytes.subarray(from, to));
        else JSON.parse(Buffer.from(bytes.subarray(from, to)).toString());
      }
      from = to;
    }
    line = 0;
    read(newReader, header, rest);
    return null;
  } catch (error) {
    if (error instanceof SyntaxError) return { line, problem: error.message };
    if (error instanceof FormatError) return { line: null, problem: error.problem };
    const problem = syntaxProblemOf(error);
    if (problem === null) throw error;
    const { found, expected } = problem;
    return { line: line > 0 ? line : problem.line - 1, problem: `found ${found}, expected ${expected}` };
  }
}

function read(newReader: NewReader, header: Uint8Array, lines: Uint8Array): void {
  const reader = readerBehind(newReader, header, NAME);
  reader.readLines(lines, 0, lines.length);
  reader.endFile();
  finished(reader, NAME);
}

/** Returns the lines before a line, which is counted from 1. */
export function linesBefore(bytes: Uint8Array, line: number): Uint8Array {
  let at = 0;
  for (let i = 1; i < line; i++) at = bytes.indexOf(LINE_FEED, at) + 1;
  return bytes.subarray(0, at);
}

/** Adjusts a refusal of lines that were sent after `lines` others. */
export const later = (refusal: Refusal | null, lines: number): Refusal | null =>
  refusal && { ...refusal, line: refusal.line && refusal.line + lines };

/** Returns the number, from 1, of the line with a given byte. */
export function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let i = 0; i < at; i++) if (bytes[i] === LINE_FEED) line++;
  return line;
}

/** Converts an error that occurred while a line was taken into a refusal. */
export const asRefusal = (error: unknown, line: number): Refusal => {
  if (!(error instanceof FormatError)) throw error;
  return { line, problem: error.problem };
};

const NAME = 'what was sent';
const LINE_FEED = 10;
const BLANK = 0x20;
const NUMBER = '"number"';
