import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { History } from '@isolab/history';
import { afterAll, describe, expect, test } from 'vitest';
import {
  ALL_FORMATS,
  type ByteStream,
  FormatError,
  inputOfBytes,
  openInput,
  readDocumentAt,
  readDocumentFrom,
} from '../src/index.ts';
import { readWindows } from '../src/files/windows.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(bytes: Uint8Array | string, name = 'h.txt'): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

/** This many lines of text, all of different lengths, each transaction in a few of them. */
const textOf = (lines: number): string =>
  Array.from(
    { length: lines },
    (_, i) => `w(${i % 97},${i * 7919},${i % 3},${Math.floor(i / 9) * 3 + (i % 3)})\n`,
  ).join('');

const columnsOf = ({ txnStart, txnSession, opKind, opKey, opValue, keys, values }: History): string[] =>
  [txnStart, txnSession, opKind, opKey, opValue, keys.lo, values.lo].map((column) =>
    Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('latin1'),
  );

async function historyAt(path: string, onProgress?: (done: number, total: number) => void): Promise<History> {
  const document = await readDocumentAt(path, onProgress ? { onProgress } : {});
  if (document.kind !== 'history') throw new Error('a polygraph');
  return document.history;
}

const TRANSACTIONS = '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",1]]}\n';
const ISOLAB = `{"isolab":"history","version":1}\n${TRANSACTIONS}`;

describe('text from outside', () => {
  test.each(['h.jsonl', 'h.jsonl.gz'])('text from outside may begin with a byte-order mark: %s', async (name) => {
    const bytes = Buffer.from(`\uFEFF${ISOLAB}`);
    const marked = await historyAt(fileOf(name.endsWith('.gz') ? gzipSync(bytes) : bytes, name));
    expect(columnsOf(marked)).toEqual(columnsOf(await historyAt(fileOf(ISOLAB, 'plain.jsonl'))));
    const inMemory = await readDocumentFrom(inputOfBytes('h', bytes), { format: 'isolab' });
    expect(inMemory).toMatchObject({ format: { name: 'isolab' } });
  });

  test('text from outside in UTF-16 is refused with a remedy', async () => {
    for (const swap of [false, true]) {
      const bytes = Buffer.from(`\uFEFF${ISOLAB}`, 'utf16le');
      const path = fileOf(swap ? bytes.swap16() : bytes, 'utf16.jsonl');
      await expect(readDocumentAt(path)).rejects.toThrow('found text in UTF-16, expected UTF-8; convert it');
    }
  });

  test('text from outside without the header of isolab’s format is refused with that reason', async () => {
    await expect(readDocumentAt(fileOf(TRANSACTIONS))).rejects.toThrow(
      'line 1: found lines that look like isolab’s own format, but no header, expected {"isolab":"history","version":1} as the first line',
    );
  });

  test.each<[string, Uint8Array]>([
    ['one line of a gigabyte', Buffer.from('x'.repeat(1 << 20))],
    ['a gigabyte of blank lines', Buffer.from('\n'.repeat(1 << 20))],
    ['a gigabyte of spaces', Buffer.from(' '.repeat(1 << 20))],
  ])('text from outside that is %s, compressed, is refused long before its end', async (_, piece) => {
    for (const { name, layout } of ALL_FORMATS) {
      if (layout !== 'stream' || READ_WHOLE.has(name)) continue;
      let chunks = 0;
      const input: ByteStream = {
        kind: 'stream',
        name: 'bomb',
        head: piece.subarray(0, 1 << 16),
        chunks: (async function* () {
          for (; chunks < 1024; chunks++) yield piece;
        })(),
        share: () => 0,
      };
      await expect(readDocumentFrom(input, { format: name })).rejects.toThrow(FormatError);
      expect([name, chunks <= 66]).toEqual([name, true]);
    }
  });
});

describe('a directory of logs', () => {
  const logsWith = (name: string): string => {
    const logs = mkdtempSync(join(folder, 'logs-'));
    writeFileSync(join(logs, 'J0.log'), '{"value":[["w",1,2,true]]}\n');
    return join(logs, name);
  };

  test('a directory of logs is refused if a log is a directory', async () => {
    const log = logsWith('J1.log');
    mkdirSync(log);
    await expect(readDocumentAt(dirname(log))).rejects.toThrow(`${log}: found a directory, expected a log file`);
  });

  test('a directory of logs is refused if a log is a named pipe, without waiting for a writer', async () => {
    const log = logsWith('J1.log');
    execFileSync('mkfifo', [log]);
    await expect(readDocumentAt(dirname(log))).rejects.toThrow(`${log}: found a named pipe, expected a log file`);
  });

  test('a directory of logs is refused if a log is a link to a device', async () => {
    const log = logsWith('J1.log');
    symlinkSync('/dev/zero', log);
    await expect(readDocumentAt(dirname(log))).rejects.toThrow(`${log}: found a device, expected a log file`);
  });

  test('a directory of logs may hold logs with a byte-order mark', async () => {
    const log = logsWith('J1.log');
    writeFileSync(log, '\uFEFF{"value":[["w",1,3,true]]}\n');
    expect((await historyAt(dirname(log))).opKind.length).toBe(2);
  });
});

/** One document each, of 256 MB at most. */
const READ_WHOLE: ReadonlySet<string> = new Set(['dbcop-json', 'dbcop-yaml', 'timekiller']);

describe('a file', () => {
  test.each([1, 3000, 4500, 30_000, 60_000])(
    'a file of %i lines is read like the same bytes in memory',
    async (lines) => {
      const bytes = textOf(lines);
      const inMemory = await readDocumentFrom(inputOfBytes('h.txt', bytes));
      expect(inMemory).toMatchObject({ kind: 'history', format: { name: 'text' } });
      const { history } = inMemory as { readonly history: History };
      const expected = columnsOf(history);
      expect(columnsOf(await historyAt(fileOf(bytes)))).toEqual(expected);
      expect(columnsOf(await historyAt(fileOf(gzipSync(bytes), 'h.txt.gz')))).toEqual(expected);
    },
  );

  test('a file reports how far it is read, to the end', async () => {
    const path = fileOf(textOf(60_000));
    const told: number[] = [];
    const { length } = readFileSync(path);
    await historyAt(path, (done, total) => {
      expect(total).toBe(length);
      told.push(done);
    });
    expect(told.toSorted((a, b) => a - b)).toEqual(told);
    expect(told.at(-1)).toBe(length);
  });

  test.each(['h.txt', 'h.txt.gz'])('a file that takes too long to read is abandoned: %s', async (name) => {
    const bytes = textOf(200_000);
    const path = fileOf(name.endsWith('.gz') ? gzipSync(bytes) : bytes, name);
    await expect(readDocumentAt(path, { timeMs: 0.001 })).rejects.toThrow(
      'reading took longer than the limit of 0.000001 s',
    );
    await expect(readDocumentAt(path, { timeMs: 600_000 })).resolves.toMatchObject({ kind: 'history' });
  });

  test.each([
    ['nobody writes to', null],
    ['says nothing more after its first bytes', 'w(1,1,0,0)\n'],
  ])('a file is abandoned in time if it is a pipe that %s', async (name, bytes) => {
    const path = join(folder, name);
    execFileSync('mkfifo', [path]);
    // Opened for reading as well, so that this does not wait for a reader.
    const writer = bytes === null ? null : openSync(path, 'r+');
    if (writer !== null) writeSync(writer, bytes!);
    await expect(readDocumentAt(path, { timeMs: 10 })).rejects.toThrow('reading took longer than the limit of 0.01 s');
    closeSync(writer ?? openSync(path, 'r+')); // lets the system end pending work
  });

  test('a file also gives all its bytes in chunks', async () => {
    const bytes = textOf(60_000);
    const input = (await openInput(fileOf(bytes))) as ByteStream;
    const chunks: Uint8Array[] = [];
    for await (const chunk of input.chunks) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(bytes);
    expect(input.share()).toBe(1);
  });

  test('a file is closed by a reader that stops before its end', async () => {
    const path = fileOf(`${textOf(60_000)}nonsense\n`);
    const input = (await openInput(path)) as ByteStream;
    await expect(readDocumentFrom(input)).rejects.toThrow(
      "line 60001, column 1: found 'nonsense', expected 'r(' or 'w('",
    );
    expect(input.readInto!(new Uint8Array(10))).toBe(0);
  });
});

describe('windows over a file', () => {
  /** Reads records that end with a zero byte, and says how long each of them was. */
  async function lengthsIn(bytes: Uint8Array, longest?: number): Promise<number[]> {
    const lengths: number[] = [];
    const read = (window: Uint8Array, start: number, end: number, last: boolean): number => {
      for (let at = window.indexOf(0, start); at >= 0 && at < end; at = window.indexOf(0, start)) {
        lengths.push(at - start);
        start = at + 1;
      }
      return last ? end : start;
    };
    await readWindows((await openInput(fileOf(bytes, 'records'))) as ByteStream, read, longest);
    return lengths;
  }

  const recordsOf = (lengths: readonly number[]): Uint8Array =>
    Buffer.concat(lengths.map((length) => Buffer.concat([Buffer.alloc(length, 7), Buffer.alloc(1)])));

  test('windows over a file grow with a record that is longer than the window', async () => {
    const lengths = [3, 70_000, 5, 600_000, 1, 5_000_000, 0, 100];
    expect(await lengthsIn(recordsOf(lengths))).toEqual(lengths);
  });

  test('windows over a file do not grow without limit', async () => {
    await expect(lengthsIn(recordsOf([3, 5_000_000]), 1_000_000)).rejects.toThrow(
      'byte 4: found a record (perhaps a line) of more than',
    );
  });
});
