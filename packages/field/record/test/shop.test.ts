import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge, possibleIn, reportPage, startRecord } from '../src/index.ts';
import { type OpenShop, busyDay, quietDay } from './shop/shop.ts';
import { openDrizzleShop } from './shop/with-drizzle.ts';
import { openKnexShop } from './shop/with-knex.ts';

let server: EmbeddedServer;
let folder: string;

beforeAll(async () => {
  server = await startEmbedded();
  folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function recorded(open: OpenShop, isCareful: boolean) {
  const problems: string[] = [];
  const path = join(folder, 'day.jsonl');
  const running = await startRecord({ upstream: server.address, path, onProblem: (problem) => problems.push(problem) });
  const url = new URL(server.address);
  url.port = String(running.port);
  const shop = open(url.href, isCareful);
  try {
    await busyDay(shop, isCareful);
  } finally {
    await shop.close();
  }
  const summary = await running.finish();
  expect(problems).toEqual([]);
  const judged = await judge(path);
  const possible = await possibleIn(summary, judged.troubles);
  return { summary, judged, page: await reportPage(summary, judged, possible) };
}

describe.each([
  ['Knex', openKnexShop],
  ['Drizzle', openDrizzleShop],
] as const)('an application by %s', (_, open) => {
  test('an application behaves through the proxy as without it', async () => {
    const direct = open(server.address, false);
    const expected = await quietDay(direct).finally(() => direct.close());
    const running = await startRecord({ upstream: server.address, path: join(folder, 'quiet.jsonl') });
    const url = new URL(server.address);
    url.port = String(running.port);
    const through = open(url.href, false);
    const seen = await quietDay(through).finally(() => through.close());
    await running.finish();
    expect(seen).toEqual(expected);
  });

  test('a careless application meets three anomalies, reported in its own SQL', async () => {
    const { summary, judged, page } = await recorded(open, false);
    expect(page).toContain('<h1>The application met 3 kinds of anomalies</h1>');
    expect(summary.shapes.filter(({ opaque }) => opaque !== null)).toEqual([]);
    expect(judged.promises.map(({ verdict }) => verdict)).toEqual(['satisfied', 'satisfied']);
    const named = Object.fromEntries(judged.troubles.map((trouble) => [trouble.title, trouble]));
    expect(Object.keys(named).toSorted()).toEqual(['Lost update', 'Non-repeatable read', 'Write skew']);
    expect(named['Lost update']).toMatchObject({ count: 2, preventedBy: 'repeatable read' });
    expect(named['Lost update']!.example.map(({ rows }) => rows)).toEqual([['items 1'], ['items 1']]);
    for (const { statements } of named['Lost update']!.example)
      expect(statements).toEqual([
        expect.stringMatching(/^select "stock" from "items" where /),
        expect.stringMatching(/^update "items" set "stock" = \$1 where /),
      ]);
    expect(named['Lost update']!.advice[0]).toMatch(/^Lock the row when it is read: select .* FOR UPDATE$/);
    expect(named['Write skew']).toMatchObject({ count: 1, preventedBy: 'serializable' });
    expect(named['Non-repeatable read']).toMatchObject({ count: 2, preventedBy: 'repeatable read' });
  });

  test('a careful application meets no anomaly', async () => {
    const { judged, page } = await recorded(open, true);
    expect(page).toContain('<h1>The application met no anomaly</h1>');
    expect(judged.troubles).toEqual([]);
    expect(judged.isComplete).toBe(true);
    expect(judged.verdict).not.toBe('violated');
  });
});
