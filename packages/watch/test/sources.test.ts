import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSource } from '../src/index.ts';
import { until } from './until.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
  path = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Takes what a source has while something is done to it. */
async function taken(act: (text: () => string, stop: () => void) => Promise<void>, notes: string[] = []) {
  const stop = new AbortController();
  let text = '';
  const source = fileSource(path, { isFollowed: () => true, onNote: (note) => notes.push(note) });
  const reading = (async () => {
    for await (const chunk of source.chunks(stop.signal)) text += Buffer.from(chunk.bytes).toString();
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
  test('is waited for, and followed while it grows', async () => {
    const notes: string[] = [];
    const text = await taken(async (sofar, stop) => {
      await until(() => notes.length > 0);
      writeFileSync(path, 'one\n');
      await until(() => sofar() === 'one\n');
      appendFileSync(path, 'two\nthr');
      await until(() => sofar().endsWith('thr'));
      stop();
    }, notes);
    expect(text).toBe('one\ntwo\nthr');
    expect(notes).toEqual([`${path} does not exist yet; waiting for it.`]);
  });

  test('is read to its end before the one that takes its name', async () => {
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

  test('that is cut short is an error', async () => {
    writeFileSync(path, 'one\ntwo\n');
    await expect(
      taken(async (sofar) => {
        await until(() => sofar() === 'one\ntwo\n');
        truncateSync(path, 4);
      }),
    ).rejects.toThrow('was cut to 4 bytes after 8 had been read');
  });
});
