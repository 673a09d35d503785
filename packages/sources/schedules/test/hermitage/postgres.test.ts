import { type EmbeddedServer, driverFor, startEmbedded } from '@isolab/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CASES } from '../../src/hermitage/cases/index.ts';
import { LOCK_WAIT_MS } from '../../src/hermitage/play/play.ts';
import { hermitage } from '../../src/hermitage/play/run.ts';
import { differencesFrom, publishedOf } from '../../src/hermitage/play/published.ts';

let server: EmbeddedServer;
beforeAll(async () => {
  server = await startEmbedded({ connectMs: 10_000, lockWaitMs: LOCK_WAIT_MS });
});
afterAll(() => server?.database.close(), 60_000);

test('PostgreSQL behaves as published', async () => {
  const { isolations } = await driverFor(server.address);
  const names = ['G0', 'PMP', 'P4', 'G2-item', 'G2, two edges', 'unique booking'];
  const cases = CASES.filter(({ name }) => names.includes(name));
  const report = await hermitage(server.database, { levels: isolations, cases, waitMs: 150 });
  const outcomes = report.levels.map(({ name, cells }) => [name, ...cells.map(({ outcome }) => outcome)]);
  expect(outcomes).toEqual([
    ['read committed', 'prevented', 'possible', 'possible', 'possible', 'possible', 'possible'],
    ['repeatable read', 'prevented', 'prevented', 'prevented', 'possible', 'possible', 'possible'],
    ['serializable', 'prevented', 'prevented', 'prevented', 'prevented', 'prevented', 'prevented'],
  ]);
  expect(differencesFrom(publishedOf(report.database)!, report)).toEqual([]);
});
