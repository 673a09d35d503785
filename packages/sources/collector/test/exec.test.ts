import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildReadFrom, findInternalAnomalies } from '@isolab/history';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { collect, driverFor, isolationNamed } from '../src/index.ts';
import { readBack } from './fake.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-exec-'));
const example = fileURLToPath(new URL('../examples/file-client.mjs', import.meta.url));

async function run(address: string, workload: string, given: Record<string, string>) {
  const driver = await driverFor(address);
  const database = await driver.open(address, { connectMs: 5000 });
  const found = findWorkload(workload)!;
  const path = join(folder, `${workload}.jsonl`);
  try {
    const options = { database, isolation: isolationNamed(driver, 'serializable'), workload: found, path, seed: 1 };
    await collect({ ...options, parameters: resolveParameters(found, given), sessions: 3, transactions: 5 });
  } finally {
    await database.close();
  }
  return readBack(path);
}

/** A client that answers every line with the same one. */
function parrot(answer: string): string {
  const path = join(folder, `parrot-${answer.length}.mjs`);
  writeFileSync(
    path,
    `process.stdin.on('data', (d) => { for (const _ of String(d).trim().split('\\n')) console.log(${JSON.stringify(answer)}); });`,
  );
  return `exec:node ${path}`;
}

describe('a program of one’s own', () => {
  test.each([
    ['general', { keys: '5', operations: '3' }],
    ['list-append', {}],
  ])('the example serves %s', async (workload, given) => {
    const history = await run(
      `exec:node ${example} ${join(folder, 'store.json')}`,
      workload,
      given as Record<string, string>,
    );
    expect(history.source.database).toBe('a JSON file');
    expect(history.txnStatus.length).toBe(15);
    const index = buildReadFrom(history);
    expect(findInternalAnomalies(history, index).count).toBe(0);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
  });

  test.each([
    [parrot('hello'), 'The program was asked {"hello":1} and answered hello: expected one JSON object on one line.'],
    [parrot('{"error":"no such table"}'), 'The program reports an error: no such table'],
    ['exec:exit 3', 'ended with exit code 3'],
    ['exec:no-such-program-at-all', 'ended with exit code 127'],
    ['exec:', 'exec: needs a command'],
  ])('%s is reported', async (address, message) => {
    await expect(run(address, 'general', {})).rejects.toThrow(message);
  });

  test('a missing ability of a program is reported', async () => {
    const failure = run(`exec:node ${example} ${join(folder, 'rows.json')}`, 'ranges', { keys: '5' });
    await expect(failure).rejects.toThrow(
      'The workload ranges needs rows, but a JSON file supports only registers, lists.',
    );
  });

  test('a program lists its abilities when it is greeted, or else is asked everything', async () => {
    const driver = await driverFor('exec:x');
    const dataOf = async (answer: string) => {
      const database = await driver.open(parrot(answer), { connectMs: 5000 });
      await database.close();
      return database.data;
    };
    expect(await dataOf('{"database":"x","data":["rows"]}')).toEqual(['rows']);
    expect(await dataOf('{"database":"x"}')).toBeUndefined();
    for (const data of ['[]', '["rows","rows"]', '["trees"]', '"rows"', '[1]', 'null'])
      await expect(dataOf(`{"database":"x","data":${data}}`)).rejects.toThrow(
        'data must be a list of one or more of registers, counters, lists, rows, each once',
      );
  });
});
