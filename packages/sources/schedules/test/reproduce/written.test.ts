import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { driverFor } from '@isolab/collector';
import type { History } from '@isolab/history';
import { parseHistory } from '@isolab/testkit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import {
  type Account,
  expectationsOf,
  readSchedule,
  replay,
  reproduce,
  scriptOf,
  sentence,
  writeFolder,
} from '../../src/index.ts';
import { CLAIM, fakeDatabase, judgeAt } from './fake.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../schema/schedule.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv2020({ strict: false, strictSchema: true }).compile(schema);
const judge = judgeAt('serializable');
const TRYING = { isolation: CLAIM, judge, trials: 2, tries: 2, load: 0, seed: 1, blockedMs: 20, patienceMs: 2_000 };

/** Files about a violation that a database without any checks shows, in the SQL of some database. */
async function written(history: History, address: string, given: Partial<Account> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-written-'));
  const found = await reproduce(history, { ...TRYING, database: fakeDatabase(), folder });
  const { sql } = await driverFor(address);
  const { schedule, shown, tally, alike, load } = found;
  const account: Account = {
    database: 'A <b>fake</b> | 1',
    isolation: CLAIM.name,
    levelName: 'serializable',
    level: 'Serializability',
    schedule,
    script: await scriptOf(schedule, sql, CLAIM.name),
    observed: shown.trial.observed,
    expected: await expectationsOf(schedule, shown.trial.observed, judge),
    isViolated: shown.trial.judged.verdict === 'violated',
    tally,
    alike,
    load,
    result: sentence(found, 'Serializability'),
    ...given,
  };
  const files = writeFolder(folder, account, sql, shown.path);
  return { account, files, folder, text: (name: string): string => readFileSync(join(folder, name), 'utf8') };
}

const WRITE_SKEW = parseHistory('r(x,0) w(y,1)\nr(y,0) w(x,2)');
const LISTS = parseHistory('r(x,[]) a(y,1)\nr(y,[]) a(x,2)');
const STALE = parseHistory('w(x,1) | r(x,0)');

describe('the written files', () => {
  test.each([
    ['postgres://nowhere/', 'pg'],
    ['mysql://nowhere/', 'mysql2'],
    ['sqlite:nowhere.db', 'better-sqlite3'],
    ['duckdb:', '@duckdb/node-api'],
  ])('the written file for %s is a test that needs %s alone', async (address, client) => {
    const { files, text } = await written(WRITE_SKEW, address);
    expect(files.includes('schedule.spec')).toBe(client === 'pg');
    const imports = [...text('schedule.test.mjs').matchAll(/^import .* from '(.*)';$/gm)].map(([, name]) => name);
    expect(imports.filter((name) => !name!.startsWith('node:'))).toEqual([
      client === 'mysql2' ? 'mysql2/promise' : client,
    ]);
  });

  test.each([
    ['registers', WRITE_SKEW, ['read'], 0],
    ['lists', LISTS, ['read-list'], 0],
    ['registers under a load', WRITE_SKEW, ['read'], 2],
  ])('the written file of %s is a test of these alone', async (_, history, kinds, load) => {
    const { text, folder } = await written(history, 'postgres://nowhere/', { load });
    const code = text('schedule.test.mjs');
    expect([...code.matchAll(/case '([a-z-]+)':/g)].map(([, kind]) => kind)).toEqual(kinds);
    expect(/\bload\b/i.test(code)).toBe(load > 0);
    expect(code).not.toMatch(/rushes|expected|query\(write\)/);
    const { status, stderr } = spawnSync(process.execPath, ['--check', join(folder, 'schedule.test.mjs')]);
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  });

  test('the written file for other databases is a test that runs the schedule by the library', async () => {
    const { files, text } = await written(WRITE_SKEW, 'mongodb://nowhere/');
    expect(files).toEqual(['schedule.json', 'transcript.md', 'schedule.test.mjs', 'history.jsonl']);
    expect(text('schedule.test.mjs')).toContain("import { replay } from 'isolab';");
    expect(text('transcript.md')).toContain('`read x`');
  });

  test('the written file is a schedule that its schema accepts, and that can be run again', async () => {
    for (const history of [WRITE_SKEW, LISTS]) {
      const { text, account } = await written(history, 'postgres://nowhere/');
      const data = JSON.parse(text('schedule.json')) as object;
      validate(data);
      expect(validate.errors).toBeNull();
      const { schedule, level, isolation } = readSchedule(text('schedule.json'), 'schedule.json');
      expect({ level, isolation }).toEqual({ level: 'serializable', isolation: CLAIM.name });
      expect(schedule).toEqual(account.schedule);
      const folder = mkdtempSync(join(tmpdir(), 'isolab-written-'));
      const again = await replay(schedule, { ...TRYING, database: fakeDatabase(), folder });
      expect(again.tally).toMatchObject({ trials: 2, violated: 2, asTold: 2 });
    }
  });

  test('the written file states the answer of a correct database', async () => {
    const { account, text } = await written(STALE, 'postgres://nowhere/');
    expect(account.isViolated).toBe(false); // a fake without checks still reads committed versions
    expect(text('transcript.md')).toContain('0 of 2 trials violated serializability; 2 kept it');
    const { account: skew } = await written(WRITE_SKEW, 'postgres://nowhere/');
    const refused = skew.schedule.steps.filter((_, i) => skew.expected[i]!.refuses);
    expect(refused.map(({ does }) => does.kind)).toEqual(['commit']);
    expect(skew.expected.every(({ others }) => others.length === 0)).toBe(true); // nothing else was committed
  });

  test('the written file has no markup of a stranger', async () => {
    const { text } = await written(WRITE_SKEW, 'postgres://nowhere/');
    expect(text('transcript.md')).not.toContain('<b>');
    expect(text('transcript.md')).toContain('A \\<b\\>fake\\</b\\> \\| 1');
  });
});

describe('a file that is no schedule', () => {
  const good = {
    isolab: 'schedule',
    version: 1,
    isolation: 'serializable',
    level: 'serializable',
    load: 0,
    differs: [],
    data: 'registers',
    setup: [],
    transactions: [{ name: 'T1', terminal: 0, role: 'story' }],
    steps: [
      { name: 'a', terminal: 0, transaction: 0, does: { kind: 'begin' } },
      { name: 'b', terminal: 0, transaction: 0, does: { kind: 'read', key: 'x' } },
      { name: 'c', terminal: 0, transaction: 0, does: { kind: 'commit' } },
    ],
  };

  test('a file that is no schedule is distinguished from one', () => {
    expect(readSchedule(JSON.stringify(good), 'f').schedule.terminals).toBe(1);
    validate(good);
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['{', 'f is not valid JSON'],
    ['[]', 'the file: found [], expected an object'],
    [{ ...good, version: 2 }, 'expected a schedule of version 1'],
    [{ ...good, data: 'tables' }, 'data: found "tables", expected registers, lists, rows'],
    [{ ...good, steps: good.steps.slice(1) }, 'step 0: found "read", expected a statement of the transaction'],
    [{ ...good, steps: good.steps.slice(0, 2) }, 'expected every transaction to end'],
    [{ ...good, steps: [...good.steps, good.steps[1]] }, 'step 3'],
    [{ ...good, load: -1 }, 'load: found -1'],
    [{ ...good, transactions: [{ name: 'T1', terminal: 1e9, role: 'story' }] }, 'terminal: found 1000000000'],
    [{ ...good, setup: [{ kind: 'write', key: "'; DROP TABLE t; --", value: 1 }] }, 'key: found'],
    [{ ...good, setup: [{ kind: 'write', key: 'x', value: 0.5 }] }, 'value: found 0.5, expected a whole number'],
  ])('a file that is no schedule is refused: %j', (file, message) => {
    expect(() => readSchedule(typeof file === 'string' ? file : JSON.stringify(file), 'f')).toThrow(message);
  });
});
