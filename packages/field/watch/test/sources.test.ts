import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSource } from '../src/index.ts';
import { until } from './until.ts';

let folder: string;
let path: string;
let latest: string | null; // position
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
  path = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Takes the lines of a source while a test changes it. */
async function taken(
  act: (text: () => string, stop: () => void) => Promise<void>,
  { notes = [], from = null }: { notes?: string[]; from?: string | null } = {},
) {
  const stop = new AbortController();
  let text = '';
  const source = fileSource(path, { isFollowed: () => true, onNote: (note) => notes.push(note), from });
  const reading = (async () => {
    for await (const { bytes, position } of source.chunks(stop.signal)) {
      text += Buffer.from(bytes).toString();
      latest = position;
    }
  })();
  reading.catch(() => {});
  await act(
    () => text,
    () => stop.abort(),
  );
  await reading;
  return text;
}

describe('a file', () => {
  test('a file is waited for, and followed while it grows', async () => {
    const notes: string[] = [];
    const text = await taken(
      async (sofar, stop) => {
        await until(() => notes.length > 0);
        writeFileSync(path, 'one\n');
        await until(() => sofar() === 'one\n');
        appendFileSync(path, 'two\nthr');
        await until(() => sofar().endsWith('thr'));
        stop();
      },
      { notes },
    );
    expect(text).toBe('one\ntwo\nthr');
    expect(notes).toEqual([`${path} does not exist yet; waiting for it.`]);
  });

  test('a file is read to its end before the entry that takes its name', async () => {
    writeFileSync(path, 'one\n');
    const text = await taken(async (sofar, stop) => {
      await until(() => sofar() === 'one\n');
      appendFileSync(path, 'two\n');
      renameSync(path, `${path}.1`);
      writeFileSync(path, 'three\n');
      await until(() => sofar().endsWith('three\n'));
      stop();
    });
    expect(text).toBe('one\ntwo\nthree\n');
  });

  test('a file that is cut short is an error', async () => {
    writeFileSync(path, 'one\ntwo\n');
    await expect(
      taken(async (sofar) => {
        await until(() => sofar() === 'one\ntwo\n');
        truncateSync(path, 4);
      }),
    ).rejects.toThrow('was cut to 4 bytes after 8 bytes had been read');
  });

  describe('a file is continued after its last whole line', () => {
    const readOne = (): Promise<string> =>
      taken(async (sofar, stop) => {
        await until(() => sofar() !== '');
        stop();
      });
    const readOn = (text: string, notes: string[] = []): Promise<string> =>
      taken(
        async (sofar, stop) => {
          await until(() => sofar().length >= text.length);
          stop();
        },
        { notes, from: latest },
      );

    test('under its name', async () => {
      writeFileSync(path, 'one\ntw');
      await readOne();
      appendFileSync(path, 'o\n');
      expect(await readOn('two\n')).toBe('two\n');
    });

    test('where it was moved to, and then with the new one', async () => {
      writeFileSync(path, 'one\n');
      await readOne();
      appendFileSync(path, 'two\n');
      renameSync(path, `${path}.1`);
      writeFileSync(path, 'three\n');
      const notes: string[] = [];
      expect(await readOn('two\nthree\n', notes)).toBe('two\nthree\n');
      expect(notes[0]).toBe(`${path} was moved to ${path}.1; continuing there.`);
    });

    test('a file is continued after its last whole line after it was moved while it was watched', async () => {
      writeFileSync(path, 'one\n');
      await taken(async (sofar, stop) => {
        await until(() => sofar() === 'one\n');
        renameSync(path, `${path}.1`);
        writeFileSync(path, 'two\n');
        await until(() => sofar() === 'one\ntwo\n');
        stop();
      });
      appendFileSync(path, 'three\n');
      expect(await readOn('three\n')).toBe('three\n');
    });

    test('a copy of the file is continued behind its last whole line', async () => {
      writeFileSync(path, 'one\n');
      await readOne();
      rmSync(path);
      writeFileSync(path, 'one\ntwo\n');
      expect(await readOn('two\n')).toBe('two\n');
    });

    test('a file that is gone is not continued', async () => {
      writeFileSync(path, 'one\n');
      await readOne();
      rmSync(path);
      writeFileSync(path, 'two\n');
      await expect(readOn('')).rejects.toThrow(`${path} is not the file that was watched before`);
    });

    test('a file that was moved twice is not continued, because the order of the lines is unknown', async () => {
      writeFileSync(path, 'one\n');
      await readOne();
      renameSync(path, `${path}.2`);
      utimesSync(`${path}.2`, 1000, 1000);
      writeFileSync(`${path}.1`, 'two\n');
      writeFileSync(path, 'three\n');
      await expect(readOn('')).rejects.toThrow(`${path}.1 was written later`);
    });
  });
});
