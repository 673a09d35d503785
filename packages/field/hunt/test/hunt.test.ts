import { Ajv2020 } from 'ajv/dist/2020.js';
import { check, open, verify } from 'isolab';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Finding, type HuntEvent, type TrialRecord, hunt, resume, mergeHunts } from '../src/index.ts';
import { judge } from '../src/trials/judge.ts';
import { summaryOf } from '../src/trials/summary.ts';
import { MEMORY, freshFolder, options, settings } from './fixture.ts';

const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const schema = (name: string) => {
  const of = json(new URL(`../schema/${name}.schema.json`, import.meta.url).pathname) as object;
  return new Ajv2020({ formats: { 'date-time': true } }).compile(of);
};

const RECORD: TrialRecord = {
  trial: 1,
  seed: '1.1',
  draw: { workload: 'general', set: {}, layout: null, sessions: 2, transactions: 2 },
  isolation: 'serializable',
  level: 'serializable',
  committed: 2,
  aborted: 0,
  unknown: 0,
  seconds: 1,
  verdict: 'satisfied',
  reason: null,
  near: {},
  atSeconds: 1,
};

describe('a hunt', () => {
  test('a hunt asks a program only for its stated features', async () => {
    const client = fileURLToPath(new URL('../../../sources/collector/examples/memory-client.mjs', import.meta.url));
    const given = settings({ database: [`exec:node ${client}`], isolation: 'snapshot', trials: 8, drawing: 'random' });
    const events: HuntEvent[] = [];
    const summary = await hunt(given, options(freshFolder(), { onEvent: (event) => void events.push(event) }));
    expect(summary).toMatchObject({ verdict: 'satisfied', undecided: 0 });
    const drawn = events.flatMap((event) => (event.kind === 'judged' ? [event.record.draw.workload] : []));
    expect(drawn).toHaveLength(8);
    expect(drawn).not.toContain('ranges');
    expect(events).toContainEqual({
      kind: 'warning',
      text: 'memory 1.0 supports only registers, lists; workloads of rows are left out.',
    });
    await expect(hunt({ ...given, workload: 'ranges' }, options(freshFolder()))).rejects.toThrow(
      'a program of your own does not support the data of ranges; it supports registers, lists.',
    );
  });

  test('a hunt finds a violation, and keeps the history, its smallest part, the evidence and the story', async () => {
    const folder = freshFolder();
    const summary = await hunt(settings({ isolation: 'serializable' }), options(folder));
    expect(summary).toMatchObject({ verdict: 'violated', violated: 1, level: 'serializable' });
    const isSummary = schema('summary');
    isSummary(json(join(folder, 'summary.json')));
    expect(isSummary.errors).toBeNull();

    const at = join(folder, summary.findings[0]!);
    expect(readdirSync(at).toSorted()).toEqual([
      'certificate.json',
      'finding.json',
      'history.jsonl',
      'shrunk.jsonl',
      'story-narrow.svg',
      'story.html',
      'story.md',
      'story.svg',
    ]);
    const found = json(join(at, 'finding.json')) as Finding;
    const isFinding = schema('finding');
    isFinding(found);
    expect(isFinding.errors).toBeNull();
    expect(found.satisfies).toContain('strong-snapshot-isolation');
    expect(found.shrunkTo).toBeLessThan(found.transactions);
    const whole = await open(join(at, 'history.jsonl'));
    expect(verify(whole, json(join(at, 'certificate.json'))).ok).toBe(true);
    const part = await check(await open(join(at, 'shrunk.jsonl')), { level: 'serializable' });
    expect(part.verdict).toBe('violated');
  });

  test('a hunt finds nothing in a correct database, and reports only checked levels', async () => {
    const folder = freshFolder();
    const given = { isolation: 'snapshot', trials: 3 };
    const summary = await hunt(settings(given), options(folder));
    expect(summary).toMatchObject({ verdict: 'satisfied', trials: 3, satisfied: 3, reason: null });
    expect(readdirSync(folder).toSorted()).toEqual(['hunt.json', 'summary.json', 'trials.jsonl']);
    await expect(hunt(settings(given), options(folder))).rejects.toThrow('holds a hunt already');
  });

  test('a hunt takes a history that could not have shown a violation for no evidence, and goes by the others', async () => {
    const folder = freshFolder();
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'history.jsonl');
    const line = (op: unknown): string => JSON.stringify({ session: 1, ops: [op] });
    const header = JSON.stringify({ isolab: 'history', version: 1, initial: 0 });
    writeFileSync(path, [header, line(['w', 'x', 1]), line(['w', 'x', 2]), ''].join('\n'));
    const judging = { level: 'serializable', timeMs: 10_000, signal: new AbortController().signal } as const;
    const { verdict, reason } = await judge(path, judging);
    expect([verdict, reason]).toEqual(['empty', expect.stringContaining('nothing to judge')]);
    const levels = [{ isolation: 'serializable', level: 'serializable' }] as const;
    const described = { description: 'memory', levels, leftOut: [] };
    const record = (of: TrialRecord['verdict']): TrialRecord => ({ ...RECORD, verdict: of });
    const told = (...of: TrialRecord['verdict'][]) => summaryOf(settings({}), described, of.map(record), false);
    expect(told('satisfied', 'empty')).toMatchObject({ verdict: 'satisfied', satisfied: 1, empty: 1, undecided: 0 });
    expect(told('empty')).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringContaining('nothing in any history'),
    });
    expect(told('satisfied', 'empty', 'unknown')).toMatchObject({ verdict: 'unknown', empty: 1, undecided: 1 });
    const secret = settings({ database: ['postgres://me:hidden@localhost/d'] });
    expect(summaryOf(secret, described, [], false).database).toEqual(['postgres://me:…@localhost/d']);
  });

  test('a hunt takes turns at all levels, the strongest first', async () => {
    const events: HuntEvent[] = [];
    const onEvent = (event: HuntEvent): void => void events.push(event);
    const given = settings({ trials: 4, counts: true, workload: 'general' });
    const summary = await hunt(given, options(freshFolder(), { onEvent }));
    expect(summary).toMatchObject({ isolation: null, level: null });
    expect(summary.levels).toMatchObject([
      { isolation: 'serializable', level: 'serializable', trials: 2 },
      { isolation: 'snapshot', level: 'snapshot-isolation', trials: 1, satisfied: 1 },
      { isolation: 'mixed', level: 'stated', trials: 1 },
    ]);
    const turns = events.flatMap((event) => (event.kind === 'collecting' ? [event.isolation] : []));
    expect(turns).toEqual(['serializable', 'snapshot', 'serializable', 'mixed']);
  });

  test('a hunt leaves out a kind of data that the database refuses', async () => {
    const given = { database: [`${MEMORY}?lacks=lists`], isolation: 'snapshot', trials: 6, drawing: 'random' } as const;
    const summary = await hunt(settings(given), options(freshFolder()));
    expect(summary).toMatchObject({ verdict: 'satisfied', trials: 6, undecided: 0 });
    const [left, ...others] = summary.leftOut;
    expect(others).toEqual([]);
    expect(left).toMatchObject({ isolation: 'snapshot', what: 'lists' });
    expect(left!.why).toContain('append is not done here (the driver threw it without an outcome');
  });

  test('a hunt leaves nothing out because of a database that is silent for once', async () => {
    const hangs = `${freshFolder()}-hangs`;
    const given = { database: [`${MEMORY}?hangs=${hangs}`], isolation: 'snapshot', trials: 2 };
    const summary = await hunt(settings(given), options(freshFolder(), { stallMs: 1_000 }));
    expect(existsSync(hangs)).toBe(true);
    expect(summary).toMatchObject({ verdict: 'satisfied', trials: 2, undecided: 0, leftOut: [] });
  });

  test('a hunt without a violation reports how many chances of one there were', async () => {
    const given = { isolation: 'snapshot', trials: 2, workload: 'mini-transactions' };
    const { chances } = await hunt(settings(given), options(freshFolder()));
    expect(chances.map(({ anomaly }) => anomaly)).toContain('lost update');
    for (const { count, below, data } of chances) expect([below, data]).toEqual([Math.min(1, 3 / count), 'registers']);
  });

  test('a hunt does not count the time until the database is open', async () => {
    const given = { database: [`${MEMORY}?openMs=1500`], isolation: 'snapshot', trials: null, seconds: 1 };
    const summary = await hunt(settings(given), options(freshFolder()));
    expect(summary.verdict).toBe('satisfied');
    expect(summary.satisfied).toBeGreaterThan(0);
  });

  test('a hunt does not count a history that had no time for a transaction', async () => {
    const given = { database: [`${MEMORY}?connectMs=500`], isolation: 'snapshot', trials: null, seconds: 0.4 };
    const folder = freshFolder();
    const summary = await hunt(settings(given), options(folder));
    expect(summary).toMatchObject({ verdict: 'unknown', trials: 0, reason: 'no history was checked' });
    expect(readdirSync(folder).toSorted()).toEqual(['hunt.json', 'summary.json']);
  });

  test('a hunt strikes the database on request, and says so in the command that repeats it', async () => {
    const folder = freshFolder();
    const given = {
      isolation: 'serializable',
      workload: 'general',
      faults: { kinds: ['think'], everyMs: 50 } as const,
    };
    const { findings } = await hunt(settings(given), options(folder));
    const at = join(folder, findings[0]!);
    expect((json(join(at, 'finding.json')) as Finding).command).toContain(' --faults think --fault-every 50ms ');
    expect(readFileSync(join(at, 'history.jsonl'), 'utf8')).toContain('{"isolab":"fault","id":1,"kind":"think"');
    await expect(hunt(settings({ layout: 'tables=3' }), options(freshFolder()))).rejects.toThrow(
      'memory 1.0 does not support layouts of tables.',
    );
  });

  test('a hunt continues with a folder of a release that knew no faults', async () => {
    const folder = freshFolder();
    await hunt(settings({ isolation: 'snapshot', trials: 1 }), options(folder));
    const { layout: _, faults: __, ...older } = json(join(folder, 'hunt.json')) as Record<string, unknown>;
    writeFileSync(join(folder, 'hunt.json'), JSON.stringify({ ...older, trials: 2 }));
    expect(await resume(options(folder))).toMatchObject({ verdict: 'satisfied', trials: 2 });
  });

  test('a hunt counts violations where it is to continue', async () => {
    const given = { isolation: 'serializable', counts: true, trials: 4, workload: 'general' };
    const summary = await hunt(settings(given), options(freshFolder()));
    expect(summary.trials).toBe(4);
    expect(summary.violated).toBeGreaterThan(0);
    expect(summary.findings).toHaveLength(summary.violated);
  });

  test('a hunt asks the same in the same order of the same seed', async () => {
    const drawn = async (): Promise<unknown[]> => {
      const seen: unknown[] = [];
      const onEvent = (event: HuntEvent): void => void (event.kind === 'collecting' && seen.push(event.draw));
      await hunt(
        settings({ isolation: 'snapshot', trials: 3, drawing: 'random' }),
        options(freshFolder(), { onEvent }),
      );
      return seen;
    };
    const first = await drawn();
    expect(first).toHaveLength(3);
    expect(await drawn()).toEqual(first);
  });
});

test('a hunt of the simulated database finds its rare fault, the same each time', async () => {
  const given = { database: ['simulated:snapshot-isolation?lost-update=0.01'], transactions: null, seed: '3' };
  const found = async () => (await hunt(settings({ ...given, drawing: 'near' }), options(freshFolder()))).committed;
  const committed = await found();
  expect(committed).toBeGreaterThan(0);
  expect(await found()).toBe(committed);
  const without = settings({ database: ['simulated:snapshot-isolation'], trials: 2, workload: 'general' });
  expect((await hunt(without, options(freshFolder()))).verdict).toBe('satisfied');
  for (const [database, why] of [
    ['simulated:nothing', 'There is no simulated database at nothing'],
    ['simulated:causal?fire=1', 'There is no fault fire'],
    ['simulated:causal?lost-session=often', 'expected a number from 0 to 1'],
  ] as const)
    await expect(hunt(settings({ database: [database] }), options(freshFolder()))).rejects.toThrow(why);
});

describe('a hunt that is cut short', () => {
  test('a hunt that is cut short is no pass, leaves the collected histories, and continues', async () => {
    const folder = freshFolder();
    const interrupt = new AbortController();
    const onEvent = (event: HuntEvent): void => {
      if (event.kind === 'collected' && event.done > 20) interrupt.abort();
    };
    const given = settings({ isolation: 'snapshot', trials: 3 });
    const cut = await hunt(given, options(folder, { signal: interrupt.signal, onEvent }));
    expect(cut).toMatchObject({ verdict: 'unknown', reason: 'the hunt was interrupted' });
    const path = join(folder, `trial-${cut.trials + 1}.jsonl`);
    expect((await open(path)).kind).toBe('history');

    const whole = await resume(options(folder));
    expect(whole.trials).toBe(3);
    // The history that was cut off shows no violation, but its missing part may have one.
    expect(whole).toMatchObject({ verdict: 'unknown', satisfied: 2, undecided: 1 });
    expect(existsSync(path)).toBe(false);
  });

  test('a hunt that is cut short finds the violation in a history that a killed hunt left', async () => {
    const folder = freshFolder();
    const given = settings({ isolation: 'serializable', trials: 0 });
    await hunt(given, options(folder));
    const draw = { workload: 'general', set: {}, sessions: 2, transactions: 2 };
    writeFileSync(join(folder, 'trial-1.json'), JSON.stringify({ trial: 1, seed: '1.1', draw }));
    const line = (session: string, ops: unknown): string => JSON.stringify({ session, ops });
    const collected = { run: 1, isolation: 'serializable', data: 'registers' };
    const head = { isolab: 'history', version: 1, database: 'memory', initial: 0, times: 'none', collected };
    const lines = [
      JSON.stringify(head),
      line('0', [
        ['r', 1, 0],
        ['w', 2, 1],
      ]),
      line('1', [
        ['r', 2, 0],
        ['w', 1, 1],
      ]),
    ];
    writeFileSync(join(folder, 'trial-1.jsonl'), `${lines.join('\n')}\n{"session":"0","op`);
    expect(await resume(options(folder))).toMatchObject({ verdict: 'violated', findings: ['finding-1'] });
    expect(existsSync(join(folder, 'trial-1.json'))).toBe(false);
  });

  test('a hunt that is cut short continues after a database that failed, and gives up one that always does', async () => {
    const address = `${MEMORY}?fails=400`;
    const given = { database: [address], isolation: 'snapshot', trials: 4, workload: 'mini-transactions' };
    const reasons: (string | null)[] = [];
    const onEvent = (event: HuntEvent): void => void (event.kind === 'judged' && reasons.push(event.record.reason));
    const folder = freshFolder();
    const summary = await hunt(settings(given), options(folder, { onEvent }));
    expect(summary.verdict).toBe('unknown');
    expect(reasons.join()).toContain('the disk is on fire');
    const kept = readdirSync(folder).filter((name) => name.startsWith('undecided-'));
    expect(kept).toHaveLength(summary.undecided);
    const always = settings({ ...given, database: [`${MEMORY}?fails=2`] });
    await expect(hunt(always, options(freshFolder()))).rejects.toThrow('the disk is on fire');
  });

  test('a hunt that is cut short refuses a folder that holds something else, and one without a hunt', async () => {
    const folder = freshFolder();
    await expect(resume(options(folder))).rejects.toThrow('holds no hunt');
    const refused = freshFolder();
    await expect(hunt(settings({ workload: 'tpcc' }), options(refused))).rejects.toThrow(
      'hunt does not support the workload',
    );
    expect(existsSync(refused)).toBe(false);
    mkdirSync(refused); // one's own stays
    await expect(hunt(settings({ workload: 'tpcc' }), options(refused))).rejects.toThrow(
      'hunt does not support the workload',
    );
    expect(readdirSync(refused)).toEqual([]);
  });
});

test('shards share the histories of a hunt without a service, and are put together', async () => {
  const given = { isolation: 'snapshot', workload: 'general', transactions: 30, trials: 3 } as const;
  const [whole, merged, ...shards] = Array.from({ length: 4 }, freshFolder) as [string, string, string, string];
  for (const [i, folder] of shards.entries())
    await hunt(settings({ ...given, shard: { index: i + 1, of: 2 } }), options(folder));
  const { summary, missing } = await mergeHunts(shards, merged);
  expect(missing).toEqual([]);
  expect(summary).toMatchObject({ verdict: 'satisfied', trials: 3, satisfied: 3 });
  const log = readFileSync(join(merged, 'trials.jsonl'), 'utf8').trim().split('\n');
  expect(log.map((line) => (JSON.parse(line) as { seed: string }).seed)).toEqual(['1.1', '1.2', '1.3']);
  const alone = await mergeHunts([shards[0]!], freshFolder());
  expect(alone.summary).toMatchObject({ verdict: 'unknown', reason: 'shards are missing: 2' });
  await expect(mergeHunts([shards[0]!, shards[0]!], freshFolder())).rejects.toThrow('are both shard 1');
  await hunt(settings({ ...given, trials: 1 }), options(whole));
  await expect(mergeHunts([whole], freshFolder())).rejects.toThrow('is a whole hunt; expected a shard');
});
