import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-plugins-'));
const history = join(folder, 'history.jsonl');
const ask = (plugin: string, ...more: readonly string[]) =>
  isolab('check', history, '--level', 'serializable', '--checker', join(folder, plugin), ...more);

const saying = (verdict: string, before = ''): string => `${before}
export default {
  info: { name: 'mine', title: 'Mine', version: '1.0.0', apiVersion: 1, paper: null, levels: ['serializable'],
    sound: true, complete: true, requires: [], options: {}, variants: {} },
  check: () => (${verdict}),
};`;

beforeAll(() => {
  const lines = [
    '{"isolab":"history","version":1,"initial":0}',
    '{"session":"a","ops":[["w","x",1]]}',
    '{"session":"b","ops":[["r","x",1],["w","x",2]]}',
  ];
  writeFileSync(history, `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'bare.mjs'), saying("{ status: 'satisfied' }"));
  const order = (numbers: string): string =>
    saying(`{ status: 'satisfied', certificate: { kind: 'commit-order', order: [${numbers}] } }`);
  writeFileSync(join(folder, 'proved.mjs'), order('0, 1'));
  writeFileSync(join(folder, 'wrong.mjs'), order('1, 0'));
  const warning = "{ name: 'contradicted-timestamp', transactions: [0], text: 'It committed too early.' }";
  writeFileSync(join(folder, 'warns.mjs'), saying(`{ status: 'satisfied', warnings: [${warning}] }`));
  writeFileSync(join(folder, 'exits.mjs'), saying('process.exit(0)'));
  writeFileSync(join(folder, 'exits-when-loaded.mjs'), saying("{ status: 'satisfied' }", 'process.exit(0);'));
});

describe('a plug-in', () => {
  test('a plug-in without a certificate is said to be unverified in every output', async () => {
    const text = await ask('bare.mjs');
    expect(text.code).toBe(0);
    expect(text.out).toContain('unverified serializable: the plug-in mine gave no certificate');
    const json = JSON.parse((await ask('bare.mjs', '--output', 'json')).out) as object;
    expect(json).toMatchObject({ verdict: 'satisfied', proof: 'absent', unverified: ['serializable'] });
    for (const output of ['markdown', 'junit'])
      expect((await ask('bare.mjs', '--output', output)).out).toContain('(unverified');
  });

  test('a plug-in with a certificate that the verifier accepts is believed', async () => {
    const { code, out } = await ask('proved.mjs', '--output', 'json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ proof: 'verified', unverified: [] });
    expect((await ask('proved.mjs')).out).not.toContain('unverified');
  });

  test('a plug-in with a certificate that the verifier refuses is not', async () => {
    const { code, out } = await ask('wrong.mjs');
    expect(code).toBe(2);
    expect(out).toContain('its verdict is satisfied, but the verifier refuses its certificate');
  });

  test('a plug-in may warn of a claim that the reads contradict, beside its verdict', async () => {
    const { code, out } = await ask('warns.mjs');
    expect(code).toBe(0);
    expect(out).toMatch(/^warning +contradicted-timestamp: /m);
    expect((await ask('proved.mjs')).out).not.toContain('warning');
  });

  test('a plug-in that exits is never green', async () => {
    for (const place of [[], ['--place', 'thread'], ['--place', 'worker'], ['--place', 'process']]) {
      const { code, out } = await ask('exits.mjs', ...place);
      expect({ place, code }).toEqual({ place, code: 2 });
      expect(out).toContain('unknown');
      expect(await ask('exits-when-loaded.mjs', ...place)).toMatchObject({ code: 3 });
    }
  });

  test('a plug-in is not looked for among the properties of every object', async () => {
    const { code, err } = await isolab('check', history, '--level', 'serializable', '--checker', '__proto__');
    expect(code).toBe(3);
    expect(err).toContain("Package '__proto__'");
  });
});
