// Slow: fetches the test suites of drivers, and runs each twice.
/** Whole test suites of drivers give the same results through the proxy as without it. */
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge, startRecord } from '../../src/index.ts';
import type { Recorded } from '../../src/recording/finish.ts';
import { type Results, SUITES } from './suites.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-suites-'));
let server: EmbeddedServer;

beforeAll(async () => {
  const settings = { wal_level: 'logical', max_prepared_transactions: '10', max_connections: '100' };
  server = await startEmbedded({ connectMs: 10_000 }, settings);
  // Some suites insist on this role.
  await execute([`create role postgres superuser login password '${new URL(server.address).password}'`]);
});

afterAll(async () => {
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function execute(statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  for (const statement of statements) await client.query(statement).catch(() => {}); // the suite shows a lack of it
  await client.end();
}

type Run = (address: string) => Promise<Results>;

/** Runs a suite through the proxy. */
async function recorded(run: Run, path: string): Promise<{ results: Results; recorded: Recorded }> {
  const running = await startRecord({ upstream: server.address, path });
  const address = new URL(server.address);
  address.port = String(running.port);
  const results = await run(address.href);
  return { results, recorded: await running.finish() };
}

const differing = (one: Results, other: Results): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));

/** The share of the executed statements that no reason explains. */
function shareNotParsed({ shapes }: Recorded): number {
  const count = (all: Recorded['shapes']): number => all.reduce((sum, { calls }) => sum + calls, 0);
  return count(shapes.filter(({ opaque }) => opaque === 'not parsed')) / count(shapes);
}

for (const { title, skipping, setUp, prepare } of SUITES)
  test(`${title} has the same results through the proxy`, skipping, async () => {
    const own = mkdtempSync(join(folder, 'suite-'));
    const run = prepare(own);
    await execute(setUp);
    const direct = await run(server.address);
    expect([...direct.values()].filter((outcome) => outcome.startsWith('pass')).length).toBeGreaterThan(30);
    const through = await recorded(run, join(own, 'first.jsonl'));
    let differences = differing(direct, through.results);
    if (differences.length > 0) {
      const directAgain = await run(server.address);
      const throughAgain = await recorded(run, join(own, 'second.jsonl'));
      const unsteady = new Set([
        ...differing(direct, directAgain),
        ...differing(through.results, throughAgain.results),
      ]);
      const isUnsteady = (name: string): boolean => unsteady.has(name);
      if (differences.some(isUnsteady))
        process.stdout.write(`${title}: not compared: ${differences.filter(isUnsteady).join(', ')}\n`);
      differences = differences.filter((name) => !isUnsteady(name));
    }
    const told = differences.map((name) => `${name}: ${direct.get(name)}, ${through.results.get(name)} by proxy`);
    expect(told).toEqual([]);
    expect(shareNotParsed(through.recorded)).toBeLessThanOrEqual(0.005);
    const { promises } = await judge(join(own, 'first.jsonl'), { timeMs: 30_000 });
    expect(promises.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });
