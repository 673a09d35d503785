import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-generate-'));
const tiny = ['--sessions', '4', '--transactions', '50', '--set', 'keys=20', '--set', 'operations=4'];

describe('isolab generate', () => {
  test('isolab generate writes a history that keeps the level at which the database ran', async () => {
    const path = join(folder, 'good.jsonl');
    const made = await isolab('generate', 'general', path, '--to', 'isolab', '--level', 'causal', ...tiny);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toContain('200 committed transactions');
    expect(await isolab('check', path, '--level', 'causal')).toMatchObject({ code: 0 });
  });

  test('isolab generate writes a history with a fault that breaks the level', async () => {
    const path = join(folder, 'bad.jsonl');
    await isolab(
      'generate',
      'general',
      path,
      '--to',
      'isolab',
      '--level',
      'prefix',
      '--faults',
      'fractured-write',
      ...tiny,
    );
    expect(await isolab('check', path, '--level', 'read-atomic')).toMatchObject({ code: 1 });
  });

  test('isolab generate gives the same file for the same seed', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, `${name}.jsonl`)) as [string, string, string];
    await isolab('generate', 'blindw', a, '--to', 'isolab', '--seed', '5', '--transactions', '3');
    await isolab('generate', 'blindw', b, '--to', 'isolab', '--seed', '5', '--transactions', '3');
    await isolab('generate', 'blindw', c, '--to', 'isolab', '--seed', '6', '--transactions', '3');
    expect(readFileSync(a)).toEqual(readFileSync(b));
    expect(readFileSync(a)).not.toEqual(readFileSync(c));
  });

  test('isolab generate reports its work as JSON', async () => {
    const { out } = await isolab(
      'generate',
      'rw-register',
      join(folder, 'j.jsonl'),
      '--to',
      'isolab',
      '--output',
      'json',
    );
    expect(JSON.parse(out)).toMatchObject({
      workload: 'rw-register',
      level: 'serializable',
      committed: 2000,
      seed: '1',
    });
  });

  test('isolab generate names a feature that a format lacks', async () => {
    const { code, err } = await isolab('generate', 'general', join(folder, 'g.txt'), '--to', 'text', ...tiny);
    expect(code).toBe(0);
    expect(err).toContain('times');
  });

  test.each([
    [['nothing', 'x', '--to', 'isolab'], 'There is no workload nothing'],
    [['general', 'x', '--to', 'isolab', '--level', 'linearizable'], 'does not support linearizable'],
    [['general', 'x', '--to', 'isolab', '--faults', 'gremlins'], 'There is no fault gremlins'],
    [['general', 'x', '--to', 'isolab', '--faults', 'lost-update=2'], 'probability from 0 to 1'],
    [['general', 'x', '--to', 'isolab', '--sessions', '0'], '--sessions needs a whole number'],
    [['general', 'x', '--to', 'isolab', '--set', 'keys=none'], 'keys is none, expected a number'],
    [['general', 'x', '--to', 'isolab', '--set', 'keys'], '--set needs name=value'],
    [['general', 'x', '--to', 'isolab', '--faults', 'lost-session'], 'needs replicas'],
    [['general', 'x'], 'Missing --to FORMAT for x'],
    [['general', 'x', '--to', 'isolab', '--set', 'constructor=3'], 'The workload general has no parameter constructor'],
    [['general', 'x', '--to', 'isolab', '--set', '__proto__=3'], 'The workload general has no parameter __proto__'],
    [['genral', 'x.jsonl'], 'There is no workload genral; did you mean general? isolab list workloads lists them.'],
    [['general', 'x', '--to', 'isolabs'], 'There is no format isolabs; did you mean isolab? isolab list formats lists'],
    [['general', 'x', '--to', '__proto__'], 'There is no format __proto__; isolab list formats lists them.'],
  ])('isolab generate refuses %j', async (args, message) => {
    const { code, err } = await isolab('generate', ...args);
    expect(code).toBe(3);
    expect(err).toContain(message);
    expect(err).not.toContain('bug in isolab');
  });

  test('isolab generate writes lightweight transactions, which are linearizable unless a fault strikes', async () => {
    const [good, bad] = [join(folder, 'lwt.jsonl'), join(folder, 'bad-lwt.jsonl')];
    expect(await isolab('generate', 'lightweight', good, '--sessions', '5')).toMatchObject({ code: 0 });
    await isolab('generate', 'lightweight', bad, '--sessions', '5', '--set', 'fault=lost-update');
    for (const checker of ['mtc', 'porcupine']) {
      expect(await isolab('check', good, '--level', 'linearizable', '-c', checker)).toMatchObject({ code: 0 });
      expect(await isolab('check', bad, '--level', 'linearizable', '-c', checker)).toMatchObject({ code: 1 });
    }
  });

  test('isolab list workloads lists workloads, parameters and faults', async () => {
    const { out } = await isolab('list', 'workloads');
    expect(out).toContain('--set distribution=uniform');
    expect(out).toContain('--faults lost-update=0.05');
    const { out: json } = await isolab('list', 'workloads', '--output', 'json');
    expect(JSON.parse(json)).toMatchObject({
      workloads: expect.arrayContaining([expect.objectContaining({ name: 'tpcc' })]),
    });
  });
});

describe('isolab elle', () => {
  const paper = join(folder, 'skew.jsonl');

  test('isolab elle explains a cycle in prose, and names the models that it rules out', async () => {
    writeFileSync(
      paper,
      `{"isolab":"history","version":1}
{"session":0,"ops":[["r",1,[]],["append",2,1]]}
{"session":1,"ops":[["r",2,[]],["append",1,1]]}
{"session":2,"ops":[["r",1,[1]],["r",2,[1]]]}
`,
    );
    const { code, out, err } = await isolab('elle', paper, '-m', 'list-append', '-c', 'serializable');
    expect(code).toBe(1);
    expect(out).toBe(`${paper} \t false`); // as elle-cli prints it
    expect(err).toMatch(/T1 < T2, because T1 did r\(\d, \[\]\), and did not observe T2’s append/);
    expect(err).toContain('not:      repeatable-read');
    expect(await isolab('elle', paper, '-c', 'snapshot-isolation')).toMatchObject({ code: 0 });
  });

  test('isolab elle refuses a model that it does not know', async () => {
    const { code, err } = await isolab('elle', paper, '-c', 'eventual');
    expect(code).toBe(3);
    expect(err).toContain('There is no consistency model eventual');
  });
});

describe('a violation', () => {
  const path = join(folder, 'lost.jsonl');
  const flags = ['--level', 'snapshot-isolation'] as const;

  beforeAll(async () => {
    const fault = ['--faults', 'lost-update=0.2', '--level', 'snapshot-isolation'];
    await isolab('generate', 'mini-transactions', path, '--set', 'keys=5', ...fault);
  });

  test('a violation is shrunk to a minimal history that can be checked', async () => {
    const small = join(folder, 'small.jsonl');
    const { code, out } = await isolab('explain', path, small, ...flags);
    expect(code).toBe(1);
    expect(out).toMatch(/small\.jsonl: [2-5] of \d{4} transactions.*the violation needs each of them/);
    expect(await isolab('check', small, ...flags)).toMatchObject({ code: 1 });
  });

  test('a violation is explained by its smallest part', async () => {
    const { code, out } = await isolab('check', path, ...flags, '--shrink');
    expect(code).toBe(1);
    expect(out).toContain('Lost update');
  });

  test.each([
    ['junit', /<testcase name="snapshot-isolation".*\n\s*<failure message="/],
    ['markdown', /\| snapshot-isolation \| ❌ violated \|[^]*Lost update/],
    ['dot', /^digraph story/],
    ['svg', /^<svg /],
    ['html', /^<!doctype html>/i],
  ])('a violation is printed as %s', async (form, pattern) => {
    const { code, out } = await isolab('check', path, ...flags, '--output', form);
    expect(code).toBe(1);
    expect(out).toMatch(pattern);
  });

  test('a violation has a page', async () => {
    const page = join(folder, 'page.html');
    expect(await isolab('explain', path, page, ...flags)).toMatchObject({ code: 1 });
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('<svg');
    expect(html).not.toMatch(/<(script|link)[^>]+(src|href)=/);
  });
});

describe('a satisfied history', () => {
  const path = join(folder, 'kept.jsonl');

  beforeAll(async () => {
    await isolab('generate', 'mini-transactions', path, '--sessions', '3', '--transactions', '5');
  });

  test('a satisfied history has a page that shows an order', async () => {
    const page = join(folder, 'kept.html');
    expect(await isolab('explain', path, page, '--level', 'serializable')).toMatchObject({ code: 0 });
    expect(readFileSync(page, 'utf8')).toContain('Serializability holds');
  });

  test('a satisfied history passes as a JUnit case, and is not shrunk', async () => {
    const { out } = await isolab('check', path, '--level', 'serializable', '--output', 'junit');
    expect(out).toContain('failures="0" errors="0"');
    expect(await isolab('explain', path, join(folder, 'no.jsonl'), '--level', 'serializable')).toMatchObject({
      code: 0,
    });
  });

  test('a satisfied history that cannot be decided is an error in JUnit, and exits with 2', async () => {
    const asked = ['--level', 'causal', '--checker', 'polysi', '--output', 'junit'];
    const { code, out } = await isolab('check', path, ...asked);
    expect(code).toBe(2);
    expect(out).toContain('errors="1"');
  });
});
