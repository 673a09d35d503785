import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const page = readFileSync(new URL('../../../../docs/certificates.md', import.meta.url), 'utf8');
const [, lines, json] = /```jsonl\n([^`]*)```\s+```json\n([^`]*)```/.exec(page)!;
const file = JSON.parse(json!) as { history: object; certificate: { order: number[] } };

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'isolab-certificates-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the file of docs/certificates.md', () => {
  const verdictOn = async (history: string, certificate: object): Promise<string> => {
    const path = write('certificate.json', JSON.stringify(certificate));
    return (await isolab('verify', history, path)).out;
  };

  test('the file of docs/certificates.md is accepted for its history, also when that was converted', async () => {
    const history = write('history.jsonl', lines!);
    expect(await verdictOn(history, file)).toContain('accepted');
    const converted = join(folder, 'converted.jsonl');
    expect((await isolab('convert', history, converted, '--to', 'isolab')).code).toBe(0);
    expect(readFileSync(converted, 'utf8')).not.toBe(lines);
    expect(await verdictOn(converted, file)).toContain('accepted');
  });

  test('numbers sessions as they are first named, and counts operations before they are lowered', async () => {
    const history = write('history.jsonl', lines!);
    const reordered = { ...file, certificate: { kind: 'commit-order', order: [0, 2, 3] } };
    expect(await verdictOn(history, reordered)).toContain('transaction 2, which did not happen');
    const lowered = { ...file, history: { transactions: 4, operations: 8 } };
    expect(await verdictOn(history, lowered)).toContain('a history of 8 operations, but this history has 7');
    // Operation 6 is the row that the range did not return.
    const internal = { kind: 'internal', anomaly: 'thin-air-read', read: 6, other: -1 };
    expect(await verdictOn(history, { ...file, verdict: 'violated', certificate: internal })).toContain(
      'operation 6 does not show thin-air-read: it may see the initial state',
    );
  });
});

describe('isolab verify', () => {
  const TABLE = '{"isolab":"history","version":2}\n{"rows":[["t",1,{"a":1}]]}\n';
  /** Verdict on a certificate of `satisfied` that a stranger made. */
  const verify = (text: string, level: string, certificate: object, ...more: readonly string[]) => {
    const counts = { transactions: text.split('\n').length, operations: text.match(/\["(?!t")[a-z]+"/g)!.length };
    const head = {
      isolab: 'certificate',
      version: 1,
      level,
      checker: 'stranger',
      history: counts,
      verdict: 'satisfied',
    };
    const history = write(
      'history.jsonl',
      text.includes('"t"') ? `${TABLE}${text}` : `{"isolab":"history","version":1}\n${text}`,
    );
    return isolab('verify', history, write('certificate.json', JSON.stringify({ ...head, certificate })), ...more);
  };
  const commits = (...order: number[]) => ({ kind: 'commit-order', order });

  test.each(['causal', 'prefix', 'snapshot-isolation', 'read-committed', 'regular-sequential-serializable'])(
    'isolab verify rejects at %s that a table of one row has seven',
    async (level) => {
      const { code, out } = await verify('{"session":"A","ops":[["count","t",true,7]]}', level, commits(0));
      expect(out).toContain('rejected');
      expect(out).toContain('no rows give the count of operation 0');
      expect(code).toBe(2);
    },
  );

  test('isolab verify accepts a certificate in part, names the unchecked part, and exits with 2', async () => {
    const aborted = '{"session":"A","status":"aborted","ops":[["put","t",2,{"a":4.5}]]}';
    const { code, out } = await verify(
      `${aborted}\n{"session":"B","ops":[["sum","t",true,"a",5.5]]}`,
      'causal',
      commits(1),
    );
    expect(out).toContain('accepted in part');
    expect(out).toContain('\n  checked: the order of 1 session, that the history was not cut off\n');
    expect(out).toContain('\n  not checked: the sum of operation 1: the certificate does not state their rows');
    expect(code).toBe(2);
  });

  test('isolab verify accepts a history that was cut off, or has no times, where that is allowed', async () => {
    const read = '{"session":"A","ops":[["r","x",null]]}';
    const timeless = await verify(read, 'strict-serializable', commits(0));
    expect(timeless.out).toContain(
      'real time: no two transactions have comparable times; --allow-vacuous accepts that',
    );
    expect(timeless.code).toBe(2);
    expect((await verify(read, 'strict-serializable', commits(0), '--allow-vacuous')).code).toBe(0);
    expect((await verify(read, 'serializable', commits(0))).code).toBe(0);
    const printed = await verify(read, 'strict-serializable', commits(0), '--output', 'json');
    expect(JSON.parse(printed.out)).toMatchObject({
      ok: false,
      result: 'accepted in part',
      unchecked: [{ what: 'times' }],
    });
  });

  test('isolab verify refuses a field that is there twice, with the place', async () => {
    const whole = JSON.stringify(file);
    const twice = write('twice.json', `${whole.slice(0, -1)},"verdict":"violated"}`);
    const { code, err } = await isolab('verify', write('history.jsonl', lines!), twice);
    expect(err).toContain(
      `twice.json, line 1, column ${whole.length + 1}: found "verdict", expected a key that is not in the object yet`,
    );
    expect(code).toBe(3);
  });
});

describe('a violation without a certificate', () => {
  const skew = `{"isolab":"history","version":1,"initial":0}
{"session":"A","ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":"B","ops":[["r","x",0],["r","y",0],["w","y",1]]}
`;
  const why =
    'The violation of serializable has no certificate: the solver reports that no order exists, but gives no proof. --checker weave proves its violations, if it supports the history.';
  const check = (...more: readonly string[]) =>
    isolab('check', write('skew.jsonl', skew), '--level', 'serializable', '--checker', 'baselines-sat', ...more);

  test.each(['text', 'json', 'markdown', 'junit'])(
    'a violation without a certificate says why as %s',
    async (output) => {
      expect((await check('--output', output)).out).toContain(why);
    },
  );

  test.each(['html', 'svg', 'dot'])(
    'a violation without a certificate says why beside a picture as %s',
    async (output) => {
      expect((await check('--output', output)).err).toContain(why);
    },
  );

  test('a violation without a certificate writes none, says why, and removes an older one', async () => {
    const path = join(folder, 'none.json');
    const { code, err } = await check('--certificate', path);
    expect(code).toBe(1);
    expect(err).toBe(
      `isolab: no certificate was written to ${path}: the verdict on serializable (violated) has none, because the solver reports that no order exists, but gives no proof.`,
    );
    writeFileSync(path, JSON.stringify(file));
    expect((await check('--certificate', path)).err).toContain(', and the earlier certificate is removed: ');
    expect(existsSync(path)).toBe(false);
  });
});

describe('a satisfied verdict without a certificate', () => {
  const check = (...more: readonly string[]) =>
    isolab('check', write('history.jsonl', lines!), '--level', 'causal', '--checker', ...more);
  const uncertain = ['plume:as-published'];

  test('stands, but is no success where a certificate was asked for', async () => {
    expect((await check(...uncertain)).code).toBe(0);
    const path = join(folder, 'none.json');
    const { code, out, err } = await check(...uncertain, '--certificate', path);
    expect({ code, out }).toEqual({ code: 2, out: expect.stringContaining('satisfied  causal') });
    expect(err).toMatch(
      /^isolab: no certificate was written to .*: the verdict on causal \(satisfied\) has none, because /,
    );
    expect(existsSync(path)).toBe(false);
    expect((await check('plume', '--certificate', path)).code).toBe(0);
    expect(existsSync(path)).toBe(true);
  });
});
