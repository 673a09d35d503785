// Slow: applications run again and again on two databases.
import { startEmbedded } from '@isolab/collector';
import { findEngine, startIn } from '@isolab/engines';
import { unless } from '@isolab/needs';
import { expect, test } from 'vitest';
import { APPLICATIONS, confirmed } from './support/applications.ts';

const BINARY_LOG = { log_bin: 'binlog', binlog_format: 'ROW', binlog_row_image: 'FULL', binlog_row_metadata: 'FULL' };

/** With ISOLAB_SUITES=whole, all applications run; otherwise only some. */
const isWhole = process.env['ISOLAB_SUITES'] === 'whole';

/** Returns the number of predictions, and of those that happened or were prevented. */
async function outcomesOn(
  server: string,
  share: readonly string[],
): Promise<{ readonly all: number; readonly decided: number }> {
  let [all, decided] = [0, 0];
  for (const name of isWhole ? APPLICATIONS : share)
    for (const { anomaly, confirmation } of await confirmed(server, name)) {
      all++;
      if (confirmation.outcome === 'happened' || confirmation.outcome === 'prevented') decided++;
      process.stdout.write(`${name}: ${anomaly} ${JSON.stringify(confirmation)}\n`);
    }
  return { all, decided };
}

test('predictions for ten applications happen on PostgreSQL, or are prevented', async () => {
  const server = await startEmbedded(undefined, { wal_level: 'logical' });
  try {
    const { all, decided } = await outcomesOn(server.address, ['bank', 'seats']);
    expect(all).toBeGreaterThan(isWhole ? 20 : 2);
    expect(decided / all).toBeGreaterThan(isWhole ? 0.85 : 0.99);
  } finally {
    await server.database.close();
  }
});

test('predictions for ten applications happen on MariaDB, or are prevented', unless('mariadb'), async () => {
  const server = await startIn('/', findEngine('mariadb@10.11.19'), BINARY_LOG);
  try {
    const { all, decided } = await outcomesOn(server.addresses[0]!, ['voting', 'coupons']);
    expect(all).toBeGreaterThan(isWhole ? 20 : 2);
    expect(decided / all).toBeGreaterThan(isWhole ? 0.85 : 0.99);
  } finally {
    await server.end();
  }
});
