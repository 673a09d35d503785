import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, runWatch, socketSource, watchFolder } from '../src/index.ts';
import { until } from './until.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
  path = join(folder, 'socket');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Taking {
  readonly text: () => string;
  readonly notes: string[];
  /** Where it listens. */
  readonly port: () => number;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

async function take(address: Parameters<typeof socketSource>[0] = { kind: 'unix', path }): Promise<Taking> {
  const notes: string[] = [];
  const stop = new AbortController();
  let text = '';
  const source = socketSource(address, (note) => notes.push(note));
  const over = (async () => {
    for await (const { bytes } of source.chunks(stop.signal)) text += Buffer.from(bytes).toString();
  })();
  over.catch(() => {});
  await Promise.race([until(() => notes.length > 0), over]);
  return { text: () => text, notes, port: () => Number(/:(\d+)\.$/.exec(notes[0]!)![1]), stop, over };
}

async function sender(to: string | number): Promise<Socket> {
  const socket = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const line = (word: string): string => `{"word":"${word}"}\n`;
const END = '{"isolab":"end"}\n';

describe('a socket', () => {
  test('a socket takes whole lines of several senders, wherever they are cut, and is complete when all have said so', async () => {
    const taking = await take();
    const [a, b] = [await sender(path), await sender(path)];
    a.write(line('a1').slice(0, 5));
    b.write(line('b1'));
    await until(() => taking.text() !== '');
    a.write(line('a1').slice(5) + line('a2') + END);
    await until(() => taking.text().includes('a2'));
    a.end();
    await once(a, 'close');
    b.end(line('b2') + END);
    await taking.over;
    expect(taking.text()).toBe(line('b1') + line('a1') + line('a2') + line('b2') + END);
    expect(taking.notes).toEqual([`Listening for lines at unix:${path}.`]);
  });

  test('a socket loses no whole line of a sender that is cut off, says so, and is not complete', async () => {
    const taking = await take({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    const cut = await sender(taking.port());
    cut.write(line('a1') + line('a2') + line('a3').slice(0, 7));
    await until(() => taking.text().includes('a2'));
    cut.destroy();
    await until(() => taking.notes.length > 1);
    expect(taking.notes[1]).toBe('Sender 1 was cut off after 7 bytes of a line; the 2 lines before it were accepted.');
    const again = await sender(taking.port());
    again.end(line('a3') + END);
    await once(again, 'close');
    await until(() => taking.text().includes('a3'));
    expect(taking.text()).toBe(line('a1') + line('a2') + line('a3'));
    taking.stop.abort();
    await taking.over;
  });

  test('a socket says that a recorder left that was to say that it is complete', async () => {
    const taking = await take();
    const left = await sender(path);
    left.end(`{"isolab":"history","version":1,"recorded":{"by":"x"}}\n${line('a1')}`);
    await until(() => taking.notes.length > 1);
    expect(taking.notes[1]).toBe('Sender 1 disconnected after 2 lines without an end mark.');
    taking.stop.abort();
    await taking.over;
  });

  test('a socket refuses a sender of something else, or of another header, with the line, and continues with the others', async () => {
    const notes: string[] = [];
    const watched = await watchFolder(folder, { ...DEFAULTS, name: 'a stream', levels: ['serializable'] });
    const stop = new AbortController();
    const source = socketSource({ kind: 'unix', path }, (note) => notes.push(note));
    const over = runWatch(source, watched, { intervalMs: 1e9, signal: stop.signal, onStatus: () => {} });
    await until(() => notes.length > 0);
    const header = '{"isolab":"history","version":1}\n';
    const write = (session: string, value: number): string => `{"session":"${session}","ops":[["w","x",${value}]]}\n`;
    const refused = async (...texts: readonly string[]): Promise<unknown> => {
      const socket = await sender(path);
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      for (const text of texts) socket.write(text);
      await until(() => answer !== '');
      return JSON.parse(answer);
    };
    const right = await sender(path);
    right.write(header + write('a', 1));
    await until(() => watched.watcher.line === 2);
    expect(await refused(`${header}${write('b', 2)}GET / HTTP/1.1\n${write('b', 3)}`, write('b', 4))).toEqual({
      error: expect.stringMatching(/^line 3: .*; 2 lines before it were accepted$/),
    });
    expect(notes[1]).toMatch(/^Sender 2 is refused: line 3: .*; 2 lines before it were accepted\.$/);
    expect(await refused('{"isolab":"history","version":1,"initial":5}\n')).toEqual({
      error: expect.stringContaining('line 1: found a header with "initial" 5, expected absent'),
    });
    right.write(write('a', 6));
    await until(() => watched.watcher.status().transactions === 3);
    stop.abort();
    await over;
    expect(watched.watcher.line).toBe(4);
  });

  test('a socket whose only sender says nothing but that it is complete has no verdict, and is no error', async () => {
    const notes: string[] = [];
    const watched = await watchFolder(folder, { ...DEFAULTS, name: 'a stream', levels: ['serializable'] });
    const { signal } = new AbortController();
    const source = socketSource({ kind: 'unix', path }, (note) => notes.push(note));
    const over = runWatch(source, watched, { intervalMs: 1e9, signal, onStatus: () => {} });
    await until(() => notes.length > 0);
    (await sender(path)).end(END);
    expect(await over).toMatchObject({ ending: 'cut off', status: { transactions: 0 } });
    expect(notes[1]).toMatch(/^The end of all senders is refused: found \{"isolab":"end"\}, expected a header/);
  });

  test('a socket takes no faster than lines are asked for', async () => {
    const notes: string[] = [];
    const stop = new AbortController();
    const chunks = socketSource({ kind: 'unix', path }, (note) => notes.push(note)).chunks(stop.signal);
    const iterator = chunks[Symbol.asyncIterator]();
    const first = iterator.next();
    await until(() => notes.length > 0);
    const fast = await sender(path);
    const [lines, bytes] = [80, 1 << 20];
    const long = `{"word":"${'x'.repeat(bytes)}"}\n`;
    for (let i = 0; i < lines; i++) fast.write(long);
    fast.end(END);
    let taken = (await first).value!.bytes.length as number;
    await until(() => fast.writableLength === 0, 50);
    expect(fast.writableLength).toBeGreaterThan(0); // it waits
    for await (const chunk of { [Symbol.asyncIterator]: () => iterator }) taken += chunk.bytes.length;
    expect(taken).toBe(lines * long.length + END.length);
  });

  test('a socket that was left behind is taken over, and one in use is not', async () => {
    const other = createServer().listen(path);
    await once(other, 'listening');
    await expect(take()).rejects.toThrow('exists and is not an abandoned socket');
    other.close();
    await once(other, 'close');
    writeFileSync(path, '');
    await expect(take()).rejects.toThrow('exists and is not an abandoned socket');
    rmSync(path);
    const leave = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', leave]), 'exit');
    expect(existsSync(path)).toBe(true);
    const taking = await take();
    taking.stop.abort();
    await taking.over;
  });

  test('a socket whose port is taken is an error', async () => {
    const taking = await take({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    await expect(take({ kind: 'tcp', host: '127.0.0.1', port: taking.port() })).rejects.toThrow('EADDRINUSE');
    taking.stop.abort();
    await taking.over;
  });
});
