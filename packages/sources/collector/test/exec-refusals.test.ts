/** Outcome of a collection where a program answers that the transaction was aborted or the connection lost. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkload, resolveParameters } from '@isolab/workloads';
import { describe, expect, test } from 'vitest';
import { CollectorError, collect, driverFor, isolationNamed } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-refusals-'));
let files = 0;

/** A program that answers well, but for one request, which it always answers like this. */
function program(to: string, answer: string): string {
  const path = join(folder, `${files++}.mjs`);
  const code = `
    import { createInterface } from 'node:readline';
    for await (const line of createInterface({ input: process.stdin })) {
      const request = JSON.parse(line);
      if (${JSON.stringify(to)} in request) {
        if (${JSON.stringify(answer)} === 'exit') process.exit(3);
        console.log(JSON.stringify({ [${JSON.stringify(answer)}]: 'busy' }));
      } else console.log(request.hello ? '{"database":"x"}' : request.kind === 'read' ? '{"value":null}' : '{}');
    }`;
  writeFileSync(path, code);
  return `exec:node ${path}`;
}

async function run(address: string): Promise<void> {
  const driver = await driverFor(address);
  const database = await driver.open(address, { connectMs: 3000 });
  const workload = findWorkload('general')!;
  const parameters = resolveParameters(workload, { keys: '5', operations: '3' });
  const isolation = isolationNamed(driver, 'serializable');
  const path = join(folder, `${files++}.jsonl`);
  try {
    const limits = { connectMs: 3000, stallMs: 3000 };
    await collect({
      database,
      isolation,
      workload,
      parameters,
      sessions: 2,
      transactions: 3,
      seed: 1,
      path,
      ...limits,
    });
  } finally {
    await database.close();
  }
}

describe('a program that refuses while the collection is prepared', () => {
  test.each([
    ['hello', 'lost', 'The program was asked {"hello":1} and answered lost, "busy"; expected {}'],
    ['hello', 'aborted', 'The program was asked {"hello":1} and answered aborted, "busy"; expected {}'],
    ['prepare', 'lost', 'The program was asked {"prepare":"registers","keep":false} and answered lost, "busy"'],
    ['prepare', 'aborted', 'The program was asked {"prepare":"registers","keep":false} and answered aborted, "busy"'],
    ['prepare', 'exit', 'ended with exit code 3'],
    ['begin', 'lost', 'The program says lost: busy'],
    ['begin', 'aborted', 'The database refused the first transaction: The program says aborted: busy'],
    ['begin', 'exit', 'ended with exit code 3'],
    ['kind', 'lost', 'The program says lost: busy'],
    ['kind', 'aborted', 'The database refused the first transaction: The program says aborted: busy'],
    ['commit', 'lost', 'The program says lost: busy'],
    ['commit', 'aborted', 'The database refused the first transaction: The program says aborted: busy'],
    ['commit', 'error', 'The program says error: busy'],
  ])('%s: %s is reported at once, and as its own mistake', async (to, answer, message) => {
    const begin = performance.now();
    const failure = await run(program(to, answer)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CollectorError);
    expect((failure as Error).message).toContain(message);
    expect(performance.now() - begin).toBeLessThan(6_000);
  });
});
