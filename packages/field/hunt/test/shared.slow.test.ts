// Slow: needs a Redis, and hunts from several processes.
import { connectRedis } from '@isolab/collector/queue';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { check, open } from 'isolab';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HuntEvent, type HuntSettings, type Summary, type TrialRecord, hunt, resume } from '../src/index.ts';
import { SharedHunt } from '../src/trials/shared.ts';
import { freshFolder, options, settings } from './fixture.ts';

const recordsIn = (folder: string): TrialRecord[] =>
  readFileSync(join(folder, 'trials.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as TrialRecord);

describe('machines that hunt together', unless('redis'), () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.server.kill());
  let queue: string;
  let database = 0;
  beforeEach(() => {
    queue = `${redis.address}/${database++}`; // one of 16
  });

  /** Several workers of one process, each in a folder of its own. */
  async function together(workers: number, given: Partial<HuntSettings>) {
    const folders = Array.from({ length: workers }, freshFolder);
    const events: HuntEvent[] = [];
    const summaries = await Promise.all(
      folders.map((folder, i) =>
        hunt(
          settings({ ...given, seed: String(i) }),
          options(folder, { queue, onEvent: (event) => void events.push(event) }),
        ),
      ),
    );
    return { folders, summaries, events };
  }

  test('each judge other histories, as many as were asked for together', async () => {
    const { folders, summaries, events } = await together(3, { isolation: 'snapshot', trials: 6 });
    const trials = folders.flatMap((folder) => recordsIn(folder).map(({ trial }) => trial));
    expect(trials.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 6 }, (_, i) => i + 1));
    expect(new Set(summaries.map(({ seed }) => seed)).size).toBe(1);
    expect(summaries.map(({ verdict }) => verdict)).toEqual(['satisfied', 'satisfied', 'satisfied']);
    const whole = summaries.find(({ together: all }) => all!.open === 0)!.together!;
    expect(whole).toMatchObject({ workers: 3, trials: 6, satisfied: 6, violated: 0, undecided: 0 });
    const joined = events.flatMap((event) => (event.kind === 'joined' ? [event.worker] : []));
    expect(joined.toSorted()).toEqual([1, 2, 3]);
  });

  test('machines that hunt together end with the first violation, whose evidence all of them have', async () => {
    const { folders, summaries, events } = await together(3, { isolation: 'serializable', trials: null, seconds: 60 });
    for (const [i, { verdict, findings, level, together: all }] of summaries.entries()) {
      expect(verdict).toBe('violated');
      expect(all!.violated).toBeGreaterThan(0);
      for (const finding of findings) {
        const part = await open(join(folders[i]!, finding, 'shrunk.jsonl'));
        expect(await check(part, { level: level! })).toMatchObject({ verdict: 'violated' });
        expect(readdirSync(join(folders[i]!, finding))).toContain('story.svg');
      }
    }
    const kinds = events.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'found' || kind === 'found elsewhere').length).toBeGreaterThanOrEqual(3);
  });

  test('machines that hunt together count all violations', async () => {
    const { summaries } = await together(2, {
      isolation: 'serializable',
      trials: 4,
      counts: true,
      workload: 'general',
    });
    const last = summaries.find(({ together: all }) => all!.open === 0)!;
    expect(last.together).toMatchObject({ trials: 4 });
    expect(last.findings.length).toBe(last.together!.violated);
    expect(new Set(last.findings).size).toBe(last.findings.length);
  });

  test('machines that hunt together take the histories of one that is gone for not judged, until it is resumed', async () => {
    const given = settings({ isolation: 'snapshot', trials: 4 });
    const interrupt = new AbortController();
    const folder = freshFolder();
    const onEvent = ({ kind }: HuntEvent): void => void (kind === 'collected' && interrupt.abort());
    const cut = await hunt(given, options(folder, { queue, signal: interrupt.signal, onEvent }));
    expect(cut.verdict).toBe('unknown');
    const stays = await SharedHunt.join(queue, given, null); // no machine is left: a hunt of its own
    expect(stays.membership.worker).toBe(1);
    await stays.leave();
    await expect(resume(options(folder, { queue }))).rejects.toThrow('no longer knows the hunt of this folder');
    expect(await resume(options(folder))).toMatchObject({ trials: 4 });
  });

  test('machines that hunt together continue while one is left, and leave nothing out', async () => {
    const given = settings({ isolation: 'snapshot', trials: 4 });
    const stays = await SharedHunt.join(queue, given, null);
    const interrupt = new AbortController();
    const folder = freshFolder();
    const onEvent = ({ kind }: HuntEvent): void => void (kind === 'collected' && interrupt.abort());
    const cut = await hunt(given, options(folder, { queue, signal: interrupt.signal, onEvent }));
    expect(cut.together).toMatchObject({ workers: 2, active: 1, trials: 0, open: 1 });
    const whole = await resume(options(folder, { queue }));
    expect(whole.together).toMatchObject({ workers: 2, open: 0 });
    expect(whole.trials).toBe(4);
    await stays.leave();
  });

  test('machines that hunt together begin again once a hunt has found something', async () => {
    const given = { isolation: 'serializable', trials: null, seconds: 60 } as const;
    const first = await together(1, given);
    const second = await together(1, given);
    expect([...first.summaries, ...second.summaries].map(({ verdict }) => verdict)).toEqual(['violated', 'violated']);
    expect(second.summaries[0]!.together).toMatchObject({ workers: 1 });
  });

  test('machines that hunt together do not join a hunt for something else', async () => {
    const other = await SharedHunt.join(queue, settings({ isolation: 'snapshot', trials: 3 }), null);
    const [summary] = (await together(1, { isolation: 'snapshot', trials: 2 })).summaries as [Summary];
    expect(summary.together).toMatchObject({ workers: 1, trials: 2 });
    await other.leave();
  });

  test('a hunt passes over foreign files in the queue, and names them', async () => {
    const shared = await SharedHunt.join(queue, settings({ isolation: 'snapshot', trials: 3 }), null);
    const client = await connectRedis(queue);
    const [state] = (await client.keys('isolab:hunt:*')).filter((key) => !key.endsWith(':alive'));
    const told = JSON.stringify({ verdict: 'violated', committed: 1, worker: 9 });
    const good = { 'finding.json': '{}', 'story.md': 'told' };
    const findings: Record<string, unknown> = {
      1: good,
      2: { ...good, '../outside': 'x' },
      3: { 'finding.json': 'no JSON' },
      4: { ...good, 'story.md': 7 },
      5: null,
      x: good,
    };
    for (const [trial, files] of Object.entries(findings)) {
      await client.hset(`${state}:records`, trial, trial === 'x' ? 'no JSON' : told);
      await client.hset(`${state}:findings`, trial, JSON.stringify(files));
    }
    const into = join(freshFolder(), 'hunt');
    const foreign: string[] = [];
    expect(await shared.together()).toMatchObject({ trials: 5, violated: 5 });
    const fetched = await shared.fetchFindings(into, (text) => foreign.push(text));
    expect(fetched).toMatchObject([{ trial: 1, worker: 9 }]);
    expect(readdirSync(into, { recursive: true }).toSorted()).toEqual([
      'finding-1',
      'finding-1/finding.json',
      'finding-1/story.md',
    ]);
    expect(foreign).toHaveLength(5);
    for (const text of foreign)
      expect(text).toMatch(/^Finding (?:[2-5]|NaN) in the queue is not a finding of isolab hunt/);
    client.disconnect();
    await shared.leave();
  });

  test('machines that hunt together report a damaged queue', async () => {
    const folder = freshFolder();
    await expect(hunt(settings(), options(folder, { queue: 'redis://127.0.0.1:1' }))).rejects.toThrow(
      'There is no Redis server at redis://127.0.0.1:1',
    );
    await expect(hunt(settings(), options(folder, { queue: 'http://127.0.0.1' }))).rejects.toThrow(
      '--queue is http://127.0.0.1, expected the address of a Redis server, such as redis://localhost:6379.',
    );
    expect(() => readdirSync(folder)).toThrow('ENOENT');
    const alone = freshFolder();
    await hunt(settings({ isolation: 'snapshot', trials: 1 }), options(alone));
    await expect(resume(options(alone, { queue }))).rejects.toThrow('holds a hunt of this machine only');
  });

  test('hear within two seconds that one of them has found something', async () => {
    const given = settings({ isolation: 'snapshot', trials: null, seconds: 600 });
    const stays = await SharedHunt.join(queue, given, null);
    const folder = freshFolder();
    const hunting = hunt(given, options(folder, { queue }));
    await sleep(1500);
    const found = freshFolder();
    const elsewhere = await hunt(settings({ isolation: 'serializable' }), options(found));
    const began = Date.now();
    const [record] = recordsIn(found).slice(-1);
    await stays.tell({ ...record!, trial: 999 }, join(found, elsewhere.findings[0]!));
    const { verdict, findings } = await hunting;
    expect(Date.now() - began).toBeLessThan(10_000); // two where the machine is idle
    expect({ verdict, findings }).toEqual({ verdict: 'violated', findings: ['finding-999'] });
    await stays.leave();
  });
});
