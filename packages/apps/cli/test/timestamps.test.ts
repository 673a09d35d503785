import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { isolab } from './support/isolab.ts';

const examples = fileURLToPath(new URL('../../../../datasets/examples/timekiller/', import.meta.url));
const stale = join(examples, 'stale-by-timestamps.json');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-timestamps-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('isolab check --trust timestamps', () => {
  test('isolab check --trust timestamps finds a read that contradicts them, where the level itself holds', async () => {
    expect((await isolab('check', stale, '--level', 'si')).code).toBe(ExitCode.Satisfied);
    const { code, out } = await isolab('check', stale, '--level', 'si', '--trust', 'timestamps');
    expect(out).toContain('This verdict trusts the timestamps of the database.');
    expect(out).toContain(
      'By the database’s own timestamps, T3, which started at 5, should have seen the write of T2, which committed at 4; it reads key 1 = 1.',
    );
    expect(code).toBe(ExitCode.Violated);
  });

  test('its certificate is accepted only if the timestamps are taken for facts', async () => {
    const certificate = join(folder, 'c.json');
    await isolab('check', stale, '--level', 'si', '--trust', 'timestamps', '--certificate', certificate);
    const doubted = await isolab('verify', stale, certificate);
    expect(doubted.out).toMatch(
      /^accepted in part .*\n.*\n  not checked: whether the timestamps that the database states are right; --trust timestamps accepts that$/m,
    );
    expect(doubted.code).toBe(ExitCode.Unknown);
    const trusted = await isolab('verify', stale, certificate, '--trust', 'timestamps');
    expect(trusted.out).toMatch(/^accepted .*\n  checked: .*, if the timestamps that the database states are right$/m);
    expect(trusted.code).toBe(ExitCode.Satisfied);
  });

  test('isolab check names its assumption, and blames no checker', async () => {
    const { code, out, err } = await isolab('check', stale, '--level', 'si', '--checker', 'all');
    expect(out).toMatch(/^ {2}chronos +violated, if the timestamps that the database states are right /m);
    expect(out + err).not.toMatch(/disagree|wrong/);
    expect(code).toBe(ExitCode.Satisfied);
  });

  test('isolab check --trust timestamps is satisfied where both agree, and unknown without timestamps', async () => {
    const both = await isolab('check', join(examples, 'snapshots.json'), '--level', 'si,ser', '--trust', 'timestamps');
    expect(both.code).toBe(ExitCode.Satisfied);
    const plain = join(folder, 'plain.jsonl');
    await isolab('generate', 'general', plain, '--set', 'keys=5');
    const without = await isolab('check', plain, '--level', 'si', '--trust', 'timestamps');
    expect(without.out).toContain('chronos needs timestamps');
    expect(without.code).toBe(ExitCode.Unknown);
  });

  test('isolab check --trust timestamps agrees with the timestamps of the simulated database', async () => {
    const made = join(folder, 'made.jsonl');
    for (const level of ['si', 'ser']) {
      await isolab('generate', 'general', made, '--level', level, '--timestamps', '--set', 'keys=5', '--force');
      for (const checker of ['chronos', 'chronos:aion', 'chronos:aion-delayed'])
        expect((await isolab('check', made, '--level', level, '--checker', checker)).code).toBe(ExitCode.Satisfied);
    }
    await isolab(
      'generate',
      'general',
      made,
      '--level',
      'si',
      '--timestamps',
      '--faults',
      'stale-snapshot=0.2',
      '--force',
    );
    expect((await isolab('check', made, '--level', 'si', '--checker', 'chronos')).out).toContain(
      'contradicted-timestamp',
    );
  });

  test('isolab merge judges a history by the results of all its shards', async () => {
    const history = join(folder, 'h.jsonl');
    const lines = [
      '{"isolab":"history","version":1,"initial":0}',
      '{"session":0,"startTs":1,"commitTs":2,"ops":[["w",1,1],["w",2,1]]}',
      '{"session":1,"startTs":3,"commitTs":4,"ops":[["r",1,1],["r",2,1]]}',
    ];
    const parts = [1, 2, 3].map((index) => join(folder, `${index}.json`));
    const checkShards = async (text: string): Promise<void> => {
      writeFileSync(history, text);
      for (const [i, part] of parts.entries()) {
        const queue = ['--trust', 'timestamps', '--queue', `${i + 1}/3`, '--force'];
        await isolab('check', history, '--level', 'si', ...queue, '--output', `json=${part}`);
      }
    };
    await checkShards(lines.join('\n'));
    const kept = await isolab('merge', ...parts);
    expect(kept.out).toMatch(/^satisfied +snapshot-isolation  h.jsonl  in all 3 shards\n/);
    expect(kept.code).toBe(ExitCode.Satisfied);
    const without = await isolab('merge', parts[0]!, parts[2]!);
    expect(without.out).toMatch(/^unknown .* without 1 of 3 shards: 2$/);
    expect(without.code).toBe(ExitCode.Unknown);
    await checkShards(lines.join('\n').replace('["r",2,1]', '["r",2,0]'));
    const broken = await isolab('merge', ...parts, '--output', 'json');
    expect(JSON.parse(broken.out)).toMatchObject({ verdict: 'violated', missing: [], transactions: 2 });
    expect(broken.code).toBe(ExitCode.Violated);
    const [level, queue] = [
      ['--level', 'ser'],
      ['--trust', 'timestamps', '--queue', '1/3'],
    ];
    await isolab('check', history, ...level, ...queue, '--force', '--output', `json=${parts[0]}`);
    const mixed = await isolab('merge', ...parts);
    expect(mixed.err).toContain('found the level snapshot-isolation, expected the level serializable, as in ');
    expect((await isolab('merge', history)).err).toContain('h.jsonl, line 2, column 1: found');
  });

  test('isolab merge refuses shards of another file of the same name and size, and results without a shard', async () => {
    const parts = [1, 2].map((seed) => join(folder, `${seed}.json`));
    for (const seed of [1, 2]) {
      mkdirSync(join(folder, `run ${seed}`));
      const history = join(folder, `run ${seed}`, 'h.jsonl');
      const times = `"startTs":1,"commitTs":2`;
      writeFileSync(history, `{"isolab":"history","version":1}\n{"session":0,${times},"ops":[["w",1,${seed}]]}\n`);
      const queue = ['--trust', 'timestamps', '--queue', `${seed}/2`];
      await isolab('check', history, '--level', 'si', ...queue, '--output', `json=${parts[seed - 1]}`);
    }
    const { code, err } = await isolab('merge', ...parts);
    expect(err).toMatch(
      /2\.json: found a shard of h\.jsonl, sha256 \w{12}, expected a shard of h\.jsonl, sha256 \w{12}/,
    );
    expect(code).toBe(ExitCode.Failed);
    const whole = JSON.parse(readFileSync(parts[0]!, 'utf8'));
    for (const shard of [null, {}, { index: 1 }, { ...whole.shard, of: 0 }, { ...whole.shard, sha256: undefined }]) {
      writeFileSync(parts[0]!, JSON.stringify({ ...whole, shard }));
      expect((await isolab('merge', parts[0]!)).code).toBe(ExitCode.Failed);
    }
    for (const cut of ['', '{', JSON.stringify(whole).slice(0, -2), '[]', 'null']) {
      writeFileSync(parts[0]!, cut);
      expect((await isolab('merge', parts[0]!)).code).toBe(ExitCode.Failed);
    }
  });

  test('isolab check --trust versions decides by the order of versions, and finds wrong versions', async () => {
    const path = join(folder, 'v.jsonl');
    const write = (...versions: readonly (number | null)[]): void => {
      const lines = versions.map((version, i) =>
        JSON.stringify({ session: `${i}`, ops: [['w', 'x', i + 1, ...(version === null ? [] : [{ version }])]] }),
      );
      const reader = {
        session: 'r',
        ops: [
          ['r', 'x', 1],
          ['w', 'y', 1],
        ],
      };
      const other = {
        session: 's',
        ops: [
          ['r', 'x', 2],
          ['r', 'y', null],
        ],
      };
      writeFileSync(
        path,
        [
          '{"isolab":"history","version":1}',
          ...lines,
          ...[reader, other].map((each) => JSON.stringify(each)),
          '{"isolab":"end"}',
          '',
        ].join('\n'),
      );
    };
    const trusting = (...words: readonly string[]) =>
      isolab('check', path, '--level', 'ser', '--trust', 'versions', '--force', '--allow-vacuous', ...words);
    write(2, 1);
    const certificate = join(folder, 'v.json');
    const right = await trusting('--certificate', certificate);
    expect(right.err).toContain('stated versions are trusted: 1 write with the version that it replaced');
    expect(right.code).toBe(ExitCode.Satisfied);
    const verified = await isolab('verify', path, certificate, '--trust', 'versions', '--allow-vacuous');
    expect(verified.code).toBe(ExitCode.Satisfied);
    // Reads alone place the second write before the first, because its reader saw no write of y.
    write(1, 2);
    const wrong = await trusting();
    expect(wrong.err).toContain('wrong versions: no order agrees with the stated versions');
    expect(wrong.code).toBe(ExitCode.Violated);
    write(1, 1);
    const same = await trusting();
    expect(same.err).toMatch(/wrong versions: .* state the same version of x: 1 and 1\./);
    expect(same.code).toBe(ExitCode.Violated);
    write(null, null);
    expect((await trusting()).err).toContain('states no versions');
  });

  test.each([
    [['--level', 'rc', '--trust', 'timestamps'], '--trust timestamps needs --level snapshot-isolation or serializable'],
    [['--level', 'si', '--trust', 'clocks'], '--trust is clocks; expected timestamps or versions.'],
    [['--level', 'si', '--db', 'postgres://h/d'], '--db replays a serial order; name one level that has it'],
    [['--level', 'ser', '--db', 'embedded'], '--db is embedded; expected postgres://…'],
    [['--level', 'si', '--queue', '1/2'], '--queue 1/2 needs --trust timestamps, and no --checker.'],
    [['--level', 'si', '--trust', 'timestamps', '--queue', '3/2'], '--queue 3/2 is no shard'],
    [['--level', 'si', '--trust', 'timestamps', '--queue', '1/2'], 'found the format timekiller for a shard'],
  ])('%j is a wrong call', async (words, message) => {
    const { code, err } = await isolab('check', stale, ...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });
});
