import { type History, type PlainHistory, fromPlain, sameHistory, toPlain } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatError } from '../../src/errors.ts';
import type { HistoryFormat } from '../../src/format.ts';
import { type Input, directoryOfBytes, inputOfBytes } from '../../src/input.ts';
import { outputToMemory } from '../../src/output.ts';

export interface FormatExpectations {
  /** Histories that the format expresses in full. */
  readonly expressible: fc.Arbitrary<PlainHistory>;
  /** Any histories at all, to show that losses are stated and that writing never fails. */
  readonly anything?: fc.Arbitrary<PlainHistory>;
}

/** What every format with a writer must do. */
export function describeFormat(
  format: HistoryFormat,
  { expressible, anything = expressible }: FormatExpectations,
): void {
  describe(`every format: ${format.name}`, () => {
    test('reads back the history that it wrote', async () => {
      await fc.assert(
        fc.asyncProperty(expressible, async (plain) => {
          const history = fromPlain(plain);
          expect((await format.writer!()).losses(history)).toEqual([]);
          const back = await readFiles(format, await writeFiles(format, history));
          if (!sameHistory(back, history)) expect(toPlain(back)).toEqual(toPlain(history));
        }),
        { numRuns: 300 },
      );
    });

    test('recognises what it wrote', async () => {
      await fc.assert(
        fc.asyncProperty(expressible, async (plain) => {
          expect(await format.matches(asInput(format, await writeFiles(format, fromPlain(plain))))).toBe(true);
        }),
        { numRuns: 50 },
      );
    });

    test('writes any history so that it can be read back, and says what is lost', async () => {
      await fc.assert(
        fc.asyncProperty(anything, async (plain) => {
          const history = fromPlain(plain);
          const losses = (await format.writer!()).losses(history);
          for (const loss of losses) expect(loss.count).toBeGreaterThan(0);
          const files = await writeFiles(format, history);
          const back = await readFiles(format, files).catch((error: unknown) => {
            // What is left may be nothing at all.
            if (error instanceof FormatError && losses.length > 0) return null;
            throw error;
          });
          if (losses.length === 0) expect(back !== null && sameHistory(back, history)).toBe(true);
        }),
        { numRuns: 300 },
      );
    });

    test('gives a format error or a history, and nothing else, for every truncation and many damaged bytes', async () => {
      const [sample] = fc.sample(expressible, { numRuns: 1, seed: 7 });
      const files = await writeFiles(format, fromPlain(sample!));
      let refused = 0;
      for (const [name, bytes] of files) {
        for (let length = 0; length < bytes.length; length++) {
          if (!(await reads(format, new Map(files).set(name, bytes.subarray(0, length))))) refused++;
        }
        for (let i = 0; i < bytes.length; i++) {
          for (const flip of [0x01, 0x80, 0xff]) {
            const damaged = bytes.slice();
            damaged[i]! ^= flip;
            if (!(await reads(format, new Map(files).set(name, damaged)))) refused++;
          }
        }
      }
      expect(refused).toBeGreaterThan(0);
    });

    test('never fails otherwise on random bytes', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
          expect([true, false]).toContain(await reads(format, new Map([[fileNameFor(format), bytes]])));
        }),
        { numRuns: 200 },
      );
    });

    test('says that an empty input is empty', async () => {
      await expect(readFiles(format, new Map([[fileNameFor(format), new Uint8Array(0)]]))).rejects.toThrow(FormatError);
    });
  });
}

export async function writeFiles(format: HistoryFormat, history: History): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  await (await format.writer!()).write(history, outputToMemory(files));
  return files;
}

export const readFiles = (format: HistoryFormat, files: ReadonlyMap<string, Uint8Array>): Promise<History> =>
  format.read(asInput(format, files), {});

/** Reads a text as a history of this format. */
export const readText = (format: HistoryFormat, text: string): Promise<History> =>
  format.read(inputOfBytes('test', text), {});

function asInput(format: HistoryFormat, files: ReadonlyMap<string, Uint8Array>): Input {
  if (format.layout === 'directory') return directoryOfBytes('test', Object.fromEntries(files));
  return inputOfBytes('test', [...files.values()][0] ?? new Uint8Array(0));
}

/** A name that the format takes for one of its files. */
const fileNameFor = (format: HistoryFormat): string =>
  format.layout === 'directory' ? format.fileName.replace('<n>', '1') : '';

/** Whether files can be read; anything but a format error with the name of the file is passed on. */
async function reads(format: HistoryFormat, files: ReadonlyMap<string, Uint8Array>): Promise<boolean> {
  try {
    await readFiles(format, files);
    return true;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    expect(error.message).toMatch(/^test\S*(, (line|byte) \d+(, column \d+)?)?: /);
    return false;
  }
}
