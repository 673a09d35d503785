import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelName } from '@isolab/contract';
import { type History, fromPlain } from '@isolab/history';
import { randomRows } from '@isolab/testkit';
import { check, open, verify } from 'isolab';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULTS, watchFolder } from '../src/index.ts';
import { returnedRows } from '../src/engine/returned-rows.ts';
import { linesOf } from './lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const standing = async (history: History, level: LevelName): Promise<string> => {
  const { verdict } = await check(history, { level, checker: 'weave', allowVacuous: true });
  return verdict === 'satisfied' ? 'stands' : verdict;
};

test('a scan counts by its returned rows, in windows as in the whole', async () => {
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const found = { violated: 0, stands: 0, restarted: 0, scans: 0 };
  for (let run = 0; run < 90; run++) {
    const history = fromPlain(randomRows(random, run % 3 === 0 ? { open: true } : {}));
    const level = (['serializable', 'snapshot-isolation', 'read-committed'] as const)[run % 3]!;
    const { history: returned, scansOf } = returnedRows(history);
    const expected = await standing(returned, level);
    if (expected === 'unknown') continue;
    const own = join(folder, String(run));
    const options = {
      ...DEFAULTS,
      name: 'rows',
      levels: [level],
      horizon: { transactions: 100, ms: Infinity } /* lines stand session by session */,
      mostReopened: Infinity,
    };
    let watched = await watchFolder(own, options);
    for (const line of await linesOf(history)) {
      watched.watcher.take(Buffer.from(`${line}\n`));
      await watched.watcher.judge();
      if (random() > 0.2) continue;
      await watched.save();
      watched.close();
      watched = await watchFolder(own, options);
      found.restarted++;
    }
    const status = await watched.watcher.finish();
    watched.close();
    expect([run, status.levels[level]]).toEqual([run, expected]);
    const scans = scansOf?.reduce((sum, each) => sum + each, 0) ?? 0;
    if (expected === 'stands') expect([run, status.scans]).toEqual([run, scans]);
    found.scans += scans;
    found[expected as 'violated' | 'stands']++;
    for (const { files } of status.alarms) {
      const certificate = JSON.parse(readFileSync(files!.certificate, 'utf8'));
      expect(verify(await open(files!.history), certificate)).toMatchObject({ ok: true });
      expect([run, await standing(history, level)]).toEqual([run, 'violated']); // fewer reads violate no further level
    }
  }
  for (const count of Object.values(found)) expect(count).toBeGreaterThan(5);
});

test('rows that are settled are the state of later windows, also after a restart', async () => {
  const options = {
    ...DEFAULTS,
    name: 'rows',
    levels: ['serializable'] as const,
    horizon: { transactions: 3, ms: Infinity },
    mostReopened: 0,
  };
  const row = (n: number): string => `{"v":${n}}`;
  const header = '{"isolab":"history","version":2,"tables":["t"]}';
  const lines = [header, `{"rows":[["t",1,${row(0)}]]}`];
  for (let n = 0; n < 40; n++)
    lines.push(`{"session":${n % 2},"ops":[["scan","t",[">=","v",0],[[1,${row(n)}]]],["put","t",1,${row(n + 1)}]]}`);
  let watched = await watchFolder(folder, options);
  for (const [i, line] of [
    ...lines,
    `{"session":7,"ops":[["scan","t",[">=","v",0],[[1,${row(38)}]]],["put","t",1,${row(99)}]]}`,
  ].entries()) {
    if (i === lines.length) expect(watched.watcher.status()).toMatchObject({ levels: { serializable: 'stands' } });
    watched.watcher.take(Buffer.from(`${line}\n`));
    await watched.watcher.judge();
    if (i % 15 !== 14) continue;
    await watched.save();
    watched.close();
    watched = await watchFolder(folder, options);
  }
  expect(watched.watcher.status().kept).toBeLessThan(8);
  const status = await watched.watcher.finish();
  expect(status).toMatchObject({ levels: { serializable: 'violated' }, transactions: 41 });
  expect(status.alarms[0]!.anomalies).toEqual(['lost-update']);
});

test('rows of the beginning are settled: they keep no log from being bounded, and are evidence still', async () => {
  const options = {
    ...DEFAULTS,
    name: 'rows',
    levels: ['serializable'] as const,
    horizon: { transactions: 3, ms: Infinity },
    segmentBytes: 500,
    keep: { bytes: 1500, ms: Infinity },
  };
  const lines = [
    '{"isolab":"history","version":2,"tables":["t"]}',
    '{"rows":[["t",1,{"v":0}],["t",2,{"v":0}]]}',
    ...Array.from(
      { length: 60 },
      (_, n) => `{"session":${n % 2},"ops":[["get","t",2,{"v":${n}}],["put","t",2,{"v":${n + 1}}]]}`,
    ),
  ];
  const before = await watchFolder(folder, options);
  for (const line of lines) {
    before.watcher.take(Buffer.from(`${line}\n`));
    await before.watcher.judge();
  }
  await before.save();
  expect(before.watcher.needed.from).toBeGreaterThan(50);
  expect(before.watcher.needed.lines).toContain(2);
  before.close();
  const { watcher } = await watchFolder(folder, options);
  const lost = (session: number): string =>
    `{"session":${session},"ops":[["get","t",1,{"v":0}],["put","t",1,{"v":${session}}]]}`;
  watcher.take(Buffer.from(`${lost(7)}\n${lost(8)}\n`));
  const { alarms } = await watcher.finish();
  expect(alarms).toMatchObject([{ anomalies: ['lost-update'] }]);
  const certificate = JSON.parse(readFileSync(alarms[0]!.files!.certificate, 'utf8'));
  expect(verify(await open(alarms[0]!.files!.history), certificate)).toMatchObject({ ok: true });
  expect(readFileSync(alarms[0]!.files!.history, 'utf8')).toContain('["t/1","{\\"v\\":0}"]');
});
