import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, findBrowser, openBrowser } from '@isolab/needs/browser';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Alarm,
  type ManyStatus,
  type WatchStatus,
  manyLine,
  postAlarm,
  servePage,
  showOne,
  statusLine,
} from '../src/index.ts';
import { asked } from './asked.ts';

const ALARM: Alarm = {
  number: 1,
  level: 'serializable',
  at: 0,
  anomalies: ['lost-update'],
  sentence: '<b>both</b> overwrite it',
  line: 3,
  contestedAt: null,
  files: null,
};

const STATUS: WatchStatus = {
  name: 'history.jsonl',
  since: 0,
  at: 10_000,
  isEnded: false,
  transactions: 123_456,
  perSecond: 789.4,
  sessions: 5,
  settled: 100_000,
  kept: 456,
  openReads: 2,
  oldestOpenMs: 1500,
  lagMs: 63,
  keys: 7,
  believed: 1,
  late: 0,
  scans: 0,
  unwritten: 0,
  lateWriters: 0,
  duplicates: 0,
  reopened: 0,
  memoryBytes: 150e6,
  levels: { serializable: 'violated', 'snapshot-isolation': 'stands' },
  looked: {},
  whyUndecided: {},
  alarms: [ALARM],
};

test('a line says how things are', () => {
  expect(statusLine(STATUS)).toBe(
    '00:00:10; 789/s, 123,456 in all; lag 63 ms; 5 sessions; 456 kept; 2 reads open, the oldest for 1.5 s; 1 read believed; 150 MB; serializable violated, snapshot-isolation stands',
  );
});

const MANY: ManyStatus = {
  name: 'shards/*.jsonl',
  since: 0,
  at: 10_000,
  isEnded: false,
  streams: 1204,
  open: 37,
  failed: 1,
  transactions: 7_900_000,
  perSecond: 12_000,
  kept: 300,
  believed: 0,
  late: 0,
  lagMs: 63,
  memoryBytes: 156e6,
  levels: { serializable: { stands: 1202, violated: 1, undecided: 1 } },
  alarmsInAll: 1,
  alarms: [{ ...ALARM, stream: 'shards/<i>.jsonl' }],
  noteworthy: [
    { stream: 'broken', transactions: 1, perSecond: 0, alarms: 0, levels: {}, why: 'line 2: found <garbage>' },
    {
      stream: 'shards/<i>.jsonl',
      transactions: 5,
      perSecond: 1,
      alarms: 1,
      levels: { serializable: 'violated' },
      why: null,
    },
  ],
};

test('a line says how many streams are', () => {
  expect(manyLine(MANY)).toBe(
    '00:00:10; 1,204 streams, 37 of them busy, 1 failed; 12,000/s, 7,900,000 in all; lag 63 ms; 300 kept; 156 MB; serializable stands in 1,202, violated in 1, undecided in 1',
  );
});

test('an alarm is posted again until it is taken', async () => {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      response.writeHead(bodies.length < 3 ? 500 : 204).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await postAlarm(address, ALARM, 1);
  expect(bodies).toEqual([ALARM, ALARM, ALARM]);
  server.close();
  server.closeAllConnections();
  await expect(postAlarm(address, ALARM, 1)).rejects.toThrow(`Alarm 1 could not be posted to ${address}`);
});

const program = findBrowser();

describe('the page', () => {
  let page: Awaited<ReturnType<typeof servePage>>;
  beforeAll(async () => {
    page = await servePage(
      new URL('http://127.0.0.1:0/'),
      showOne(() => STATUS),
    );
  });
  afterAll(() => page?.close());

  test('the page has metrics', async () => {
    const text = await (await fetch(`${page.url}metrics`)).text();
    expect(text).toContain('# TYPE isolab_watch_transactions_total counter\nisolab_watch_transactions_total 123456\n');
    expect(text).toContain('isolab_watch_level{level="serializable",is="violated"} 1\n');
    expect(text).toContain('isolab_watch_oldest_open_read_seconds 1.5\n');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) |isolab_watch_\w+(\{[^}]*\})? [\d.]+$)/);
  });

  test('the page runs only its own script, and no page can frame it', async () => {
    const { headers } = await fetch(page.url);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/]+='; style-src 'sha256-[\w+/]+=';/);
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test.each([
    ['/', { host: 'evil.example' }, 403],
    ['/metrics', { host: 'evil.example:8080' }, 403],
    ['/status.json', { origin: 'http://evil.example' }, 403],
    ['/status.json', { origin: 'null' }, 403],
    ['/status.json', { host: '[::1' }, 403],
    ['//[', {}, 400],
    ['/', { host: 'localhost:1' }, 200],
    ['/', { host: '[::1]:1' }, 200],
    ['/', { host: hostname() }, 200],
    ['/metrics', {}, 200],
  ])('%s with %j is answered %d', async (path, headers, status) => {
    expect((await asked(page.url, 'GET', { path, headers })).status).toBe(status);
  });

  test('the page has nothing elsewhere', async () => {
    expect((await fetch(`${page.url}alarms/1/story.html`)).status).toBe(404);
    expect((await fetch(`${page.url}../../etc/passwd`)).status).toBe(404);
  });

  describe('in a browser', unless('chromium'), () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(program!);
    });
    afterAll(() => browser?.close());

    test.each([390, 1400])(
      'the page in a browser shows the streams and the violations, %d pixels wide',
      async (width) => {
        for (const dark of [false, true]) {
          const opened = await browser.open(new URL(page.url), { width, dark });
          await opened.page.waitForSelector('#levels li');
          const text = String(await opened.page.evaluate('document.body.innerText'));
          for (const words of [
            'history.jsonl',
            '123,456 transactions',
            'serializable violated',
            'snapshot-isolation stands so far',
          ])
            expect(text).toContain(words);
          expect(text).toContain('lost-update at line 3. <b>both</b> overwrite it');
          expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
          expect(opened.complaints).toEqual([]);
          await opened.close();
        }
      },
    );
  });
});

describe('the page of many streams', () => {
  let page: Awaited<ReturnType<typeof servePage>>;
  const story = join(tmpdir(), `isolab-story-${process.pid}.html`);
  const names = ['eu', 'a "b"\\\n'];
  beforeAll(async () => {
    writeFileSync(story, 'the story');
    const alarm = { ...ALARM, files: { history: '', certificate: '', story } };
    page = await servePage(new URL('http://127.0.0.1:0/'), {
      status: () => MANY,
      measured: () => names.map((stream) => ({ stream, status: STATUS })),
      of: (stream) => (stream === names[1] ? { ...STATUS, alarms: [alarm] } : null),
    });
  });
  afterAll(() => {
    page?.close();
    rmSync(story);
  });

  test('the page of many streams has one set of metrics, with a label for the stream', async () => {
    const text = await (await fetch(`${page.url}metrics`)).text();
    expect(text.match(/^# TYPE isolab_watch_transactions_total counter$/gm)).toHaveLength(1);
    expect(text).toContain('isolab_watch_transactions_total{stream="eu"} 123456\n');
    expect(text).toContain('isolab_watch_transactions_total{stream="a \\"b\\"\\\\\\n"} 123456\n');
    expect(text).toContain('isolab_watch_level{stream="eu",level="serializable",is="violated"} 1\n');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) |isolab_watch_\w+(\{(\w+="([^"\\]|\\.)*",?)+\})? [\d.]+$)/);
  });

  test('the page of many streams has the stories of each stream', async () => {
    const of = (stream: string): string => `${page.url}alarms/1/story.html?stream=${encodeURIComponent(stream)}`;
    expect(await (await fetch(of(names[1]!))).text()).toBe('the story');
    expect((await fetch(of('eu'))).status).toBe(404);
  });

  describe('in a browser', unless('chromium'), () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser(program!);
    });
    afterAll(() => browser?.close());

    test.each([390, 1400])(
      'the page in a browser says which streams there is most to say of, %d pixels wide',
      async (width) => {
        const opened = await browser.open(new URL(page.url), { width, dark: false });
        await opened.page.waitForSelector('#streams tbody tr');
        const text = String(await opened.page.evaluate('document.body.innerText'));
        for (const words of [
          'serializable stands so far in 1,202, violated in 1, undecided in 1',
          'Streams (2 of 1,204)',
          '(line 2: found <garbage>)',
          'lost-update at line 3 of shards/<i>.jsonl. <b>both</b> overwrite it',
        ])
          expect(text).toContain(words);
        expect(await opened.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(opened.complaints).toEqual([]);
        await opened.close();
      },
    );
  });
});
