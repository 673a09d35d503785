import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileSource, httpSource } from '../src/index.ts';
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

test('over HTTP, whole lines are taken, and all else is refused with a reason', async () => {
  const stop = new AbortController();
  const address = 'http://127.0.0.1:17431/';
  const chunks = httpSource(new URL(address)).chunks(stop.signal)[Symbol.asyncIterator]();
  const first = chunks.next();
  await sleep(100);
  const post = async (body: string, method = 'POST'): Promise<[number, unknown]> => {
    const response = await fetch(address, { method, ...(method === 'POST' && { body }) });
    return [response.status, await response.json()];
  };
  expect(await post('{"a":1}\n{"b":2}\n')).toEqual([200, { taken: 2 }]);
  expect(Buffer.from((await first).value.bytes as Uint8Array).toString()).toBe('{"a":1}\n{"b":2}\n');
  expect(await post('{"a":1}')).toEqual([400, { error: expect.stringContaining('cut off') }]);
  expect(await post('{"a":1}\nno\n')).toEqual([400, { error: expect.stringContaining('line 2: ') }]);
  expect(await post('', 'GET')).toEqual([405, { error: 'found GET, expected POST with lines' }]);
  stop.abort();
  expect((await chunks.next()).done).toBe(true);
});
