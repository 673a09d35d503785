import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  DEFAULTS,
  httpSource,
  keepInFolder,
  openMany,
  runMany,
  runWatch,
  splitSource,
  watchFolder,
} from '../src/index.ts';
import { asked } from './asked.ts';
import { until } from './until.ts';

const PROGRAM = fileURLToPath(new URL('fixtures/watch-http.mjs', import.meta.url));
const HEADER = '{"isolab":"history","version":1,"initial":0}';
const add = (n: number, session = 1): string => `{"session":${session},"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
const END = '{"isolab":"end"}';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Answer = readonly [status: number, body: Record<string, unknown>];

async function send(address: string, body: string, method = 'POST'): Promise<Answer> {
  const response = await fetch(address, { method, ...(method === 'POST' && { body }) });
  return [response.status, (await response.json()) as Record<string, unknown>];
}

const linesIn = (log: string): string[] =>
  readdirSync(log)
    .toSorted()
    .flatMap((name) => readFileSync(join(log, name), 'utf8').split('\n'))
    .filter((line) => line !== '');

describe('a sender of lines', () => {
  async function watching(port: number) {
    const address = `http://127.0.0.1:${port}/`;
    const watched = await watchFolder(folder, { ...DEFAULTS, name: 'a stream', levels: ['serializable'] });
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const over = runWatch(httpSource(new URL(address)), watched, {
      intervalMs: 1e9,
      signal: stop.signal,
      onStatus: () => {},
    });
    over.catch(() => {});
    await until(() =>
      send(address, '').then(
        () => true,
        () => false,
      ),
    );
    const post = (...lines: readonly string[]): Promise<Answer> =>
      send(address, lines.map((line) => `${line}\n`).join(''));
    return { address, post, over, log: () => linesIn(join(folder, 'log')) };
  }

  test('a sender of lines is answered once they are in the log, also by the end', async () => {
    const { post, over, log } = await watching(17431);
    expect(await post(HEADER, add(0))).toEqual([200, { taken: 2 }]);
    expect(log()).toEqual([HEADER, add(0)]);
    expect(await post(add(1), END)).toEqual([200, { taken: 2 }]);
    expect(await over).toMatchObject({
      ending: 'ended',
      status: { transactions: 2, levels: { serializable: 'stands' } },
    });
  });

  test('a sender of lines is refused with a reason, and the lines before it are taken', async () => {
    const { address, post, over, log } = await watching(17432);
    expect(await post(add(0))).toEqual([400, { error: expect.stringContaining('expected a header'), taken: 0 }]);
    expect(await post(HEADER)).toEqual([200, { taken: 1 }]);
    for (const wrong of [
      'no',
      '{"a":1}',
      '{"session":1,"ops":[["r","x"]]}',
      '{"session":1,"number":1,"ops":[["r","x"]]}',
      '{"isolab":"history"',
    ])
      expect(await post(add(0), wrong, add(1))).toEqual([400, { error: expect.stringMatching(/^line 2: /), taken: 1 }]);
    expect(await post('{"session":1,"ops":[["range",1,2,[]]]}')).toEqual([
      400,
      { error: expect.stringContaining('range reads') },
    ]);
    expect(await post('{"session":1,"ops":[["inc","n",1]]}')).toEqual([
      400,
      { error: expect.stringContaining('increments') },
    ]);
    expect(await send(address, add(0))).toEqual([400, { error: expect.stringContaining('cut off') }]);
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }, { origin: 'null' }] as const)
      expect(await asked(address, 'POST', { headers, body: `${add(0)}\n` })).toMatchObject({ status: 403 });
    expect(await send(address, '', 'GET')).toEqual([405, { error: 'found GET, expected POST with lines' }]);
    const numbered = (number: number): string => `{"session":7,"number":${number},"ops":[]}`;
    expect(await post(numbered(1), numbered(3))).toEqual([
      400,
      { error: expect.stringContaining('after transaction 1, expected 2'), taken: 1 },
    ]);
    expect(await post(numbered(1), numbered(2), END)).toEqual([200, { taken: 3 }]);
    expect((await over).status).toMatchObject({ transactions: 7, duplicates: 1 });
    expect(log()).toEqual([HEADER, ...Array.from({ length: 5 }, () => add(0)), numbered(1), numbered(2), END]);
  });

  test('a sender of lines may repeat the header, but not change it', async () => {
    const { post, over, log } = await watching(17433);
    await post(HEADER, add(0));
    expect(
      await post(
        '{"initial":0,"version":1,"isolab":"history"}'.replace(/(.*),("isolab".*)}/, '{$2,"initial":0,"version":1}'),
        add(1, 2),
      ),
    ).toEqual([200, { taken: 2 }]);
    expect(await post('{"isolab":"history","version":1,"initial":7}', add(2, 3))).toEqual([
      400,
      {
        error: expect.stringMatching(/^line 1: found a header with "initial" 7, expected 0, as in the first header/),
        taken: 0,
      },
    ]);
    expect(await post('{"isolab":"history","version":1,"initial":0,"initialTransaction":"first"}')).toEqual([
      400,
      { error: expect.stringContaining('"initialTransaction" "first", expected absent'), taken: 0 },
    ]);
    await post(HEADER, END);
    expect((await over).status).toMatchObject({ transactions: 2, levels: { serializable: 'stands' } });
    expect(log()).toEqual([HEADER, add(0), add(1, 2), END]);
  });
});

test('an answered line outlives a kill at any moment', async () => {
  const address = 'http://127.0.0.1:17434/';
  const numbered = (n: number): string => `{"session":1,"number":${n},"ops":[["r","x",${n - 1}],["w","x",${n}]]}`;
  const start = (): ChildProcess => spawn(process.execPath, [PROGRAM, folder, address], { stdio: 'inherit' });
  let watching = start();
  onTestFinished(() => void watching.kill('SIGKILL'));
  const sure = async (body: string): Promise<Answer> => {
    for (;;) {
      const answer = await send(address, body).catch(() => null);
      if (answer !== null) return answer;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  let answered = 0;
  expect(await sure(`${HEADER}\n`)).toEqual([200, { taken: 1 }]);
  for (let n = 1; n <= 60; n++) {
    const sending = sure(`${numbered(n)}\n`);
    if (n % 12 === 0) {
      watching.kill('SIGKILL');
      await once(watching, 'exit');
      const kept = linesIn(join(folder, 'log')).filter((line) => line.endsWith('}')).length - 1;
      expect(kept).toBeGreaterThanOrEqual(answered);
      watching = start();
    }
    expect(await sending).toEqual([200, { taken: 1 }]);
    answered = n;
  }
  expect(await sure(`${END}\n`)).toEqual([200, { taken: 1 }]);
  await once(watching, 'exit');
  expect(linesIn(join(folder, 'log'))).toEqual([HEADER, ...Array.from({ length: 60 }, (_, i) => numbered(i + 1)), END]);
});

describe('many streams', () => {
  async function watching(port: number) {
    const address = `http://127.0.0.1:${port}/`;
    const options = { ...DEFAULTS, levels: ['serializable'] as const };
    const source = splitSource(httpSource(new URL(address)), false);
    const many = await openMany(source, keepInFolder(folder, options), { onAlarm: () => {}, onFailure: () => {} });
    const stop = new AbortController();
    const over = runMany(source, many, { intervalMs: 1e9, onStatus: () => {}, signal: stop.signal });
    over.catch(() => {});
    await until(() =>
      send(address, '').then(
        () => true,
        () => false,
      ),
    );
    const post = (...lines: readonly string[]): Promise<Answer> =>
      send(address, lines.map((line) => `${line}\n`).join(''));
    const log = (stream: string): string[] => linesIn(join(folder, 'streams', stream, 'log'));
    return { many, over, post, log, stop: () => stop.abort() };
  }
  const of = (stream: string, line: string): string => `{"stream":"${stream}",${line.slice(1)}`;

  test('lines are answered once all are kept, and a refused line names its stream', async () => {
    const { many, over, post, log } = await watching(17435);
    expect(await post(HEADER)).toEqual([200, { taken: 1 }]);
    expect(await post(of('eu', add(0)), of('us', add(0)))).toEqual([200, { taken: 2 }]);
    expect([log('eu'), log('us')]).toEqual([
      [HEADER, add(0)],
      [HEADER, add(0)],
    ]);
    expect(await post(of('eu', '{"session":1,"ops":[["r"]]}'), of('us', add(1)))).toEqual([
      400,
      {
        error: expect.stringMatching(
          /^stream eu, line 1 of its lines: found .*; the lines of other streams were accepted$/,
        ),
      },
    ]);
    expect(await post(of('us', add(2)), 'no', of('us', add(3)))).toEqual([
      400,
      { error: expect.stringMatching(/^line 2: /), taken: 1 },
    ]);
    expect(await post(HEADER.replace('0}', '7}'))).toEqual([
      400,
      { error: expect.stringContaining('"initial" 7, expected 0'), taken: 0 },
    ]);
    expect(await post(of('eu', END))).toEqual([200, { taken: 1 }]);
    await until(() => many.streams.all.get('eu')?.ending === 'ended');
    expect(await post(of('eu', add(9)))).toEqual([400, { error: expect.stringContaining('stream eu, it has ended') }]);
    expect(await post(END)).toEqual([200, { taken: 1 }]);
    await over;
    expect(log('us')).toEqual([HEADER, add(0), add(1), add(2), END]);
  });

  test('a stream name or a header that is wrong is refused where it was sent, and ends nothing else', async () => {
    const { over, post, log } = await watching(17436);
    const long = 'x'.repeat(1001);
    for (const [name, problem] of [
      ['\\q', 'the stream name "\\q", expected a string of whole characters'],
      ['\\ud800', 'the stream name "\\ud800", expected a string of whole characters'],
      [long, 'a stream name of more than 1000 bytes, expected a shorter one'],
      ['x'.repeat(1 << 23), 'a stream name of more than 1000 bytes'],
    ])
      expect(await post(of('eu', HEADER), of(name!, add(0)))).toEqual([
        400,
        { error: expect.stringContaining(`line 2: found ${problem}`), taken: 1 },
      ]);
    for (const header of ['{"isolab":"history","version":99}', '{"isolab":"history","version":1'])
      expect(await post(header)).toEqual([400, { error: expect.stringMatching(/^line 1: found /), taken: 0 }]);
    expect(await post(of('us', '{"isolab":"history","version":99}'))).toEqual([
      400,
      { error: expect.stringMatching(/^stream us, line 1 of its lines: found .*99/) },
    ]);
    expect(await post(HEADER)).toEqual([200, { taken: 1 }]);
    expect(await post(of('us', add(0)), of('', add(0)), of('eu', add(0)))).toEqual([200, { taken: 3 }]);
    expect(await post(END)).toEqual([200, { taken: 1 }]);
    await over;
    for (const name of ['eu', 'us', '%empty']) expect(log(name)).toEqual([HEADER, add(0), END]);
  });

  test('a different header is compared with that of the continued streams', async () => {
    const before = await watching(17437);
    await before.post(HEADER, of('eu', add(0)));
    before.stop();
    await before.over;
    const after = await watching(17438);
    expect(await after.post(HEADER.replace('0}', '7}'))).toEqual([200, { taken: 1 }]);
    expect(await after.post(of('eu', add(1)))).toEqual([
      400,
      { error: expect.stringMatching(/^stream eu, the header of all streams: found a header with "initial" 7/) },
    ]);
    expect(await after.post(of('eu', HEADER), of('eu', add(1)))).toEqual([200, { taken: 2 }]);
    after.stop();
    await after.over;
    expect(after.log('eu')).toEqual([HEADER, add(0), add(1)]);
  });
});
