import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { run } from '../src/index.ts';
import { printerTo } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-reproduce-'));
const skew = join(folder, 'skew.txt');
writeFileSync(skew, 'r(x,0) w(y,1)\nr(y,0) w(x,2)\n');

async function said(...args: readonly string[]) {
  const out: string[] = [];
  const notes: string[] = [];
  const code = await run(['reproduce', ...args], printerTo(out, notes)).catch(
    (error: unknown) => (error as Error).message,
  );
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}

describe('isolab reproduce', () => {
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startEmbedded();
  });
  afterAll(() => server?.database.close(), 60_000);

  test('isolab reproduce reproduces write skew at REPEATABLE READ, writes it down, and runs it again at SERIALIZABLE', async () => {
    const to = join(folder, 'written');
    const trying = ['--db', server.address, '--level', 'serializable', '--trials', '3'];
    const { code, out } = await said(skew, ...trying, '--isolation', 'repeatable read', '--out', to);
    expect(code).toBe(ExitCode.Violated);
    expect(out).toContain('repeatable read: 3 of 3 trials violated serializability.');
    expect(readdirSync(to).toSorted()).toEqual([
      'history.jsonl',
      'schedule.json',
      'schedule.spec',
      'schedule.test.mjs',
      'transcript.md',
    ]);

    const schedule = join(to, 'schedule.json');
    const again = await said(schedule, ...trying, '--isolation', 'repeatable read', '--output', 'json');
    expect(again.code).toBe(ExitCode.Violated);
    expect(JSON.parse(again.out)).toMatchObject({ level: 'serializable', tally: { trials: 3, violated: 3 } });
    const control = await said(schedule, '--db', server.address, '--trials', '3');
    expect(control.code).toBe(ExitCode.Satisfied);
    expect(control.out).toContain('serializable: 0 of 3 trials violated serializability; 3 aborted.');
  });

  test('isolab reproduce tries nothing where the history does not violate the claimed level', async () => {
    const { code, notes } = await said(skew, '--db', server.address, '--isolation', 'repeatable read');
    expect(code).toBe(ExitCode.Satisfied);
    expect(notes).toContain(
      'is not known to violate snapshot-isolation: the verdict is satisfied. There is nothing to reproduce.',
    );
  });
});

describe('isolab reproduce refuses', () => {
  const occupied = join(folder, 'occupied');
  mkdirSync(occupied);
  writeFileSync(join(occupied, 'mine'), '');
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, '{"isolab":"schedule","version":1}');

  test.each([
    [[skew, '--trials', '0'], '--trials needs a whole number of at least 1'],
    [[skew, '--level', 'seriously'], 'There is no level seriously'],
    [[skew, '--isolation', 'chaos'], 'has no isolation level chaos'],
    [[skew, '--db', 'nothing:'], 'There is no driver for nothing:'],
    [[skew, '--out', occupied], 'is not empty; --force writes into it'],
    [[skew, '--out', skew], 'is a file; expected a folder'],
    [[broken], 'transactions: found nothing, expected a list'],
    [[join(folder, 'missing')], 'no such file'],
  ])('%j', async (args, message) => {
    const { code, notes } = await said(...args);
    expect(`${code} ${notes}`).toContain(message);
  });
});
