import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-cli-'));
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const transfer = fileURLToPath(new URL('../../../datasets/histories/aborted-transfer.jsonl', import.meta.url));
const clean = file('clean.txt', 'w(1,1,0,0)\nr(1,1,1,1)\n');
const twice = file('twice.txt', 'w(1,1,0,0)\nr(1,1,1,1)\nr(1,1,1,1)\n');
const thinAir = file('thin-air.txt', 'r(1,7,0,0)\n');

/** Each of two transactions misses what the other one writes. */
const SKEW = `{"session":1,"ops":[["r","x",null],["w","y",1]]}
{"session":2,"ops":[["r","y",null],["w","x",1]]}
`;

/** Transaction 2 sees 1, which has seen 0, but not 0. */
const fork = file('fork.txt', 'w(1,1,0,0)\nr(1,1,1,1)\nw(2,1,1,1)\nr(2,1,2,2)\nr(1,0,2,2)\n');

describe('isolab check', () => {
  test('exits with 1 on a violation and tells its story with places in the source', async () => {
    const { code, out } = await isolab('check', transfer, '--level', 'si');
    expect(code).toBe(1);
    expect(out).toContain('violated   snapshot-isolation');
    expect(out).toContain(`Transaction statement has r(alice, 70) at ${transfer}, line 4.`);
    expect(out).toContain('but that transaction aborted.');
    expect(out).toContain('<w(alice, 70)>');
  });

  test('tells a cycle edge by edge', async () => {
    const { code, out } = await isolab('check', fork, '--level', 'causal');
    expect(code).toBe(1);
    expect(out).toContain('causality-violation: ');
    expect(out).toContain('Transaction 0 comes before the initial transaction: transaction 2 does not see its w(1, 1)');
    expect(out).toContain(
      'although transaction 2 reads from transaction 1, and transaction 1 reads from transaction 0.',
    );
    expect(out).toContain('The initial transaction comes before transaction 0, as before all others.');
  });

  test('exits with 0 when the level holds, and with 2 when it cannot tell', async () => {
    expect(await isolab('check', clean, '--level', 'causal')).toMatchObject({
      code: 0,
      out: expect.stringContaining('satisfied  causal'),
    });
    const { code, out } = await isolab('check', clean, '--level', 'causal', '--checker', 'polysi');
    expect(code).toBe(2);
    expect(out).toContain('polysi does not check causal');
  });

  test('prints one JSON object a line and nothing else', async () => {
    const { code, out, err } = await isolab('check', clean, thinAir, '--level', 'causal', '--output', 'json');
    expect(code).toBe(1);
    expect(err).toBe('');
    const [first, second] = out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toMatchObject({
      verdict: 'satisfied',
      level: 'causal',
      checker: 'weave',
      variant: null,
      history: { sessions: 2, transactions: 2, operations: 2, keys: 1 },
      anomalies: [],
      reason: null,
    });
    expect(first!['peakRssBytes']).toBeGreaterThan(1e6);
    expect(second).toMatchObject({
      verdict: 'violated',
      anomalies: [
        { name: 'thin-air-read', aliases: expect.arrayContaining(['TAP-a']), transactions: ['transaction 0'] },
      ],
      reason: null,
    });
    expect((second!['stages'] as { name: string }[])[0]).toMatchObject({ name: 'parse' });
  });

  test('walks the lattice for --level all', async () => {
    const { code, out } = await isolab('check', fork, '--level', 'all', '--output', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      level: 'all',
      strongest: ['read-atomic'],
      weakestViolated: ['causal', 'adya-snapshot-isolation'],
      levels: { 'read-committed': 'satisfied', causal: 'violated', serializable: 'violated' },
    });
    const text = await isolab('check', fork, '--level', 'all');
    expect(text.out).toContain('satisfied  read-atomic and every level below');
    expect(text.out).toContain('violated   causal, adya-snapshot-isolation and every level above');
  });

  test('takes a checker, a variant and options, and says which there are', async () => {
    expect(
      (await isolab('check', clean, '-l', 'causal', '-c', 'plume', '--variant', 'no-vectors', '--output', 'json')).out,
    ).toContain('"variant":"no-vectors"');
    expect(await isolab('check', clean, '-l', 'causal', '-c', 'plume', '--variant', 'x')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no-tree-clocks'),
    });
    expect(await isolab('check', clean, '-l', 'causal', '-c', 'plume', '--option', 'x=1')).toMatchObject({
      code: 3,
      err: expect.stringContaining("no option 'x'"),
    });
    expect(await isolab('check', clean, '-l', 'causal', '-c', './no-such-checker.js')).toMatchObject({ code: 3 });
    expect(await isolab('check', clean, '-l', 'causal', '--variant', 'x')).toMatchObject({
      code: 3,
      err: expect.stringContaining('--checker'),
    });
  });

  test('refuses a history whose values repeat where a read has a choice, and names the read', async () => {
    const ambiguous = file('ambiguous.txt', 'w(1,1,0,0)\nw(1,1,1,1)\nr(1,1,2,2)\n');
    const { code, out } = await isolab('check', ambiguous, '--level', 'causal', '--checker', 'weave');
    expect(code).toBe(2);
    expect(out).toContain('line 3');
  });

  test('keeps to a time limit in a worker and to a step limit', async () => {
    expect((await isolab('check', clean, '-l', 'causal', '--time', '20s')).code).toBe(0);
    expect(await isolab('check', fork, '-l', 'causal', '--steps', '1')).toMatchObject({
      code: 2,
      out: expect.stringContaining('steps'),
    });
    expect(await isolab('check', clean, '-l', 'causal', '--time', 'soon')).toMatchObject({
      code: 3,
      err: expect.stringContaining('500ms'),
    });
  });

  test.each([
    [clean, 'causal'],
    [fork, 'causal'],
    [thinAir, 'read-committed'],
    [twice, 'cut-isolation'],
  ])('writes a certificate for %s at %s that verify accepts, and another history’s it rejects', async (path, level) => {
    const certificate = join(folder, 'certificate.json');
    await isolab('check', path, '--level', level, '--certificate', certificate);
    expect(await isolab('verify', path, certificate)).toMatchObject({
      code: 0,
      out: expect.stringContaining('accepted'),
    });
    expect(await isolab('verify', transfer, certificate)).toMatchObject({
      code: 2,
      out: expect.stringContaining('rejected'),
    });
  });

  test.each([
    ['no operations', '{"session":1,"ops":[]}'],
    ['only aborted transactions', '{"session":1,"status":"aborted","ops":[["w","x",1],["r","x",1]]}'],
    ['only unknown outcomes', '{"session":1,"status":"unknown","ops":[["w","x",1],["r","x",1]]}'],
    ['no reads', '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["w","x",2]]}'],
    [
      'no reads with a result',
      '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",{"unknown":"value"}]]}',
    ],
    ['reads of what nothing writes', '{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","y",null]]}'],
  ])('a history with %s is unknown unless that is allowed', async (_, lines) => {
    const path = file('vacuous.jsonl', `{"isolab":"history","version":1}\n${lines}\n`);
    for (const level of ['si', 'strict-serializable', 'all']) {
      const { code, out } = await isolab('check', path, '--level', level);
      expect({ code, out }).toMatchObject({ code: 2, out: expect.stringContaining('nothing to judge: ') });
      expect(out).toContain('--allow-vacuous');
      const { code: second, out: allowed } = await isolab('check', path, '--level', level, '--allow-vacuous');
      expect({ second, allowed }).toMatchObject({ second: 0, allowed: expect.stringContaining('rests on 0 reads') });
    }
    const { code, out } = await isolab('check', path, '--level', 'si', '--output', 'json');
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 2,
      verdict: 'unknown',
      evidence: { reads: 0 },
      unknown: { 'snapshot-isolation': { reason: 'nothing-to-judge' } },
    });
  });

  test('a level of real time is unknown without times, and violated where a weaker one is', async () => {
    const header = '{"isolab":"history","version":1}';
    const fine = file(
      'timeless.jsonl',
      `${header}\n{"session":1,"ops":[["w","x",1]]}\n{"session":2,"ops":[["r","x",1]]}\n`,
    );
    const { code, out } = await isolab('check', fine, '--level', 'strict-serializable');
    expect({ code, out }).toMatchObject({ code: 2, out: expect.stringContaining('needs times: ') });
    expect((await isolab('check', fine, '--level', 'serializable')).code).toBe(0);
    const all = await isolab('check', fine, '--level', 'all');
    expect(all).toMatchObject({
      code: 2,
      out: expect.stringContaining('satisfied  serializable and every level below'),
    });
    expect(all.out).toContain(
      'rests on 1 read with a known writer, 1 pair of transactions that met, 2 sessions, no times',
    );
    const skewed = file('timeless-skew.jsonl', `${header}\n${SKEW}`);
    expect((await isolab('check', skewed, '--level', 'strict-serializable')).code).toBe(1);
  });

  test('says in every form what a satisfied verdict rests on', async () => {
    const line = /rests on \d+ reads? with a known writer, \d+ pairs? of transactions that met, \d+ sessions/;
    for (const form of ['text', 'json', 'junit', 'markdown', 'html'])
      expect((await isolab('check', clean, '--level', 'serializable', '--output', form)).out).toMatch(line);
    const { out: svg } = await isolab('check', clean, '--level', 'serializable', '--output', 'svg');
    expect(svg).toContain('The verdict rests on 1 read with a known writer'); // in lines of what the picture has room for
    expect((await isolab('compare', clean, '--level', 'serializable', '--checkers', 'weave,cobra')).out).toMatch(line);
  });

  test('refuses operations that isolab does not model, whatever else it is told', async () => {
    const bank = fileURLToPath(new URL('../../../datasets/examples/jepsen-edn/bank.edn', import.meta.url));
    for (const more of [[], ['--allow-vacuous']]) {
      expect(await isolab('check', bank, '--level', 'si', ...more)).toMatchObject({
        code: 3,
        err: expect.stringContaining('of a kind that isolab does not model'),
      });
    }
  });

  test('warns on standard error where a level’s name misleads', async () => {
    const { err, out } = await isolab('check', clean, '--level', 'rr', '--output', 'json');
    expect(err).toContain('Adya’s repeatable read (PL-2.99)');
    expect(JSON.parse(out)).toMatchObject({ level: 'snapshot-isolation' });
  });
});

describe('wrong calls and wrong input', () => {
  test.each([
    [['check', clean], 'Which level? Say --level LEVEL'],
    [['check', clean, '--level', 'eventual'], 'isolab: There is no level eventual; isolab levels lists them.'],
    [['check', clean, '--level', 'seriaizable'], 'There is no level seriaizable; did you mean serializable? isolab'],
    [['check', clean, '--level', '__proto__'], 'isolab: There is no level __proto__; isolab levels lists them.'],
    [['check', clean, '-l', 'ser', '-c', 'weav'], 'There is no checker weav; did you mean weave? isolab checkers'],
    [['elle', clean, '-c', '__proto__'], 'There is no consistency model __proto__ here'],
    [['stats', 'no-such-file'], 'isolab: no-such-file: there is no such file or directory'],
    [['stats', file('nothing', '')], 'found an empty file, expected a history'],
    [['stats', file('prose', 'Once upon a time\n')], 'found no known format, expected one of'],
    [['stats', folder, '--format', 'text'], 'found a directory, expected one file, as text has it'],
    [['stats', clean, '--format', 'xml'], 'there is no format xml; the formats are'],
    [['stats', clean, '--output', 'xml'], "argument 'xml' is invalid"],
    [['stats', file('cut.txt', 'r(1,2,3')], 'found no known format'],
    [['stats', file('late.txt', 'r(1,2,3,4)\nr(1,2,3')], 'late.txt, line 2, column 8: found the end of the line'],
    [['convert', clean, join(folder, 'out.unknown')], 'Which format is'],
    [['verify', clean, '/dev/zero'], '/dev/zero: found neither a file nor a directory'],
    [['verify', clean, folder], 'is a directory, expected a certificate'],
    [['verify', clean, clean], 'is no JSON'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['stats', clean, '--frobnicate'], "unknown option '--frobnicate'"],
  ])('%j exits with 3 and says why in one line', async (args, message) => {
    const { code, out, err } = await isolab(...args);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(message);
    expect(err.split('\n')).toHaveLength(1);
  });

  test('--verbose adds a stack', async () => {
    const { err } = await isolab('stats', 'no-such-file', '--verbose');
    expect(err).toMatch(/\n\s+at /);
  });
});

describe('isolab stats', () => {
  test('says what is in a history, as text and as JSON', async () => {
    const { code, out } = await isolab('stats', transfer);
    expect(code).toBe(0);
    expect(out).toMatch(/transactions +5 +4 committed, 1 aborted/);
    expect(out).toContain('Internal anomalies: 1 aborted-read.');
    const json = JSON.parse((await isolab('stats', transfer, '--output', 'json')).out) as Record<string, unknown>;
    expect(json).toMatchObject({
      format: 'isolab',
      database: 'a bank, made up',
      history: {
        sessions: 3,
        transactions: 5,
        aborted: 1,
        timeSpan: 90,
        initialTransaction: 'transaction open accounts',
      },
    });
  });

  test('puts an explicit initial transaction first when asked', async () => {
    const json = JSON.parse(
      (await isolab('stats', transfer, '--output', 'json', '--initial-transaction', 'first')).out,
    ) as object;
    expect(json).toMatchObject({ history: { transactions: 4, reads: { initial: 3 } } });
  });

  test('says that a history without conflicts tells nothing', async () => {
    const { out } = await isolab('stats', file('lonely.txt', 'w(1,1,0,0)\nw(2,1,1,1)\n'));
    expect(out).toContain('every level holds trivially');
  });
});

describe('isolab convert', () => {
  test('is lossless, or lists what would be lost and writes nothing', async () => {
    const out = join(folder, 'transfer.txt');
    const refused = await isolab('convert', transfer, out, '--to', 'text');
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('cannot be written as text without loss');
    for (const loss of ['aborted-transactions', 'session-names', 'times', 'key-names', 'database-name'])
      expect(refused.err).toContain(loss);
    expect(() => readFileSync(out)).toThrow('ENOENT');

    const some = await isolab('convert', transfer, out, '--to', 'text', '--allow-lossy=times,key-names');
    expect(some.code).toBe(3);
    expect(some.err).not.toMatch(/^ {2}times/m);

    const allowed = await isolab('convert', transfer, out, '--to', 'text', '--allow-lossy');
    expect(allowed.code).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('w(0,');
  });

  test('goes there and back', async () => {
    const there = join(folder, 'clean.jsonl');
    const back = join(folder, 'back.txt');
    expect((await isolab('convert', clean, there)).code).toBe(0);
    expect((await isolab('convert', there, back, '--to', 'text')).code).toBe(0);
    expect(readFileSync(back, 'utf8')).toBe(readFileSync(clean, 'utf8'));
  });

  test('packs and unpacks gzip by the name', async () => {
    const packed = join(folder, 'clean.jsonl.gz');
    expect((await isolab('convert', clean, packed)).code).toBe(0);
    expect(readFileSync(packed).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    const json = JSON.parse((await isolab('stats', packed, '--output', 'json')).out) as object;
    expect(json).toMatchObject({ format: 'isolab', history: { transactions: 2 } });
  });
});

describe('isolab compare', () => {
  test('puts several checkers into one table', async () => {
    const { code, out } = await isolab(
      'compare',
      fork,
      clean,
      '-l',
      'causal',
      '--checkers',
      'weave,plume:no-vectors,dbcop',
    );
    expect(code).toBe(1); // they agree that one of the two is violated
    expect(out).toMatch(/plume:no-vectors +violated/);
    expect(out).toMatch(/dbcop +satisfied/);
  });

  test('fails when checkers disagree', async () => {
    const liar = file('liar.mjs', LIAR);
    const { code, out, err } = await isolab('compare', fork, '-l', 'causal', '--checkers', `weave,${liar}`);
    expect(code).toBe(3);
    expect(out).toContain('the checkers disagree');
    expect(err).toContain('at least one of them is wrong');
  });
});

/** A plug-in that finds everything in order. */
const LIAR = `export default {
  info: { name: 'liar', title: 'always content', version: '1.0.0', apiVersion: 1, paper: null, levels: ['causal'],
    sound: true, complete: true, requires: [], options: {}, variants: {} },
  check: () => ({ status: 'satisfied' }),
};`;

describe('the rest', () => {
  test('isolab checkers lists levels, variants and options', async () => {
    const { out } = await isolab('checkers');
    expect(out).toMatch(/weave {2}/);
    expect(out).toContain('--variant no-tree-clocks');
    expect(JSON.parse((await isolab('checkers', '--output', 'json')).out)).toMatchObject({
      checkers: expect.arrayContaining([
        expect.objectContaining({ name: 'weave' }),
        expect.objectContaining({ name: 'plume' }),
      ]),
    });
  });

  test.each([
    [['check', clean, '--levle', 'si'], "unknown option '--levle'"],
    [['compare', clean], 'Which level? Say --level LEVEL'],
    [['shrink', clean, 'out.jsonl'], 'Which level? Say --level LEVEL'],
  ])('%j is answered with what is wrong', async (args, message) => {
    const { code, err } = await isolab(...args);
    expect(code).toBe(3);
    expect(err).toContain(message);
  });

  test('isolab levels lists every level with what it implies', async () => {
    const { out } = await isolab('levels');
    expect(out).toContain('snapshot-isolation (si');
    const { levels } = JSON.parse((await isolab('levels', '--output', 'json')).out) as { levels: { name: string }[] };
    expect(levels.map(({ name }) => name)).toContain('strict-serializable');
  });

  test('isolab formats lists every format', async () => {
    const { out } = await isolab('formats');
    expect(out).toMatch(/text +\*\.txt +read, write/);
  });

  test('--version and --help exit with 0', async () => {
    expect(await isolab('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    const help = await isolab('--help');
    expect(help.code).toBe(0);
    expect(help.out).toMatch(
      /Exit codes of every command:\n +0 .*\n +1 +a violation was shown.*\n +2 +unknown.*\n +3 +failed/,
    );
  });
});

describe('the program', () => {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const program = (input: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [main, ...args], { input, encoding: 'utf8' });

  test('makes a tour that shows what a real PostgreSQL keeps and does not', { timeout: 120_000 }, () => {
    // In a folder of ours, where its histories go.
    const { status, stdout } = spawnSync(process.execPath, [main, 'tour'], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toMatch(/Serializability +NO +NO +yes/);
    expect(stdout).toContain('violated   serializable');
    expect(status).toBe(0);
  });

  test('reads standard input for -', () => {
    const { status, stdout, stderr } = program('w(1,1,0,0)\nr(1,1,1,1)\n', 'stats', '-', '--output', 'json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ path: '-', format: 'text', history: { operations: 2 } });
  });

  test('says of a collection that it was cut off, and judges what is there', () => {
    const header = '{"isolab":"history","version":1,"initial":0,"collected":{"run":1}}';
    const written = '{"session":"0","status":"unknown","ops":[["w","x",1]]}';
    const lines = [
      header,
      written,
      '{"outcome":"committed","session":"0"}',
      '{"session":"1","ops":[["r","x",1]]}',
      '{"ses',
    ];
    const { status, stdout, stderr } = program(lines.join('\n'), 'check', '-', '--level', 'rc', '--output', 'json');
    expect(status).toBe(2);
    expect(stderr).toContain('-: its collection was cut off after line 4; the verdict is about what was recorded');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'unknown', cutOff: expect.stringContaining('line 4') });
    const allowed = program(lines.join('\n'), 'check', '-', '--level', 'rc', '--allow-cut-off');
    expect(allowed).toMatchObject({ status: 0, stdout: expect.stringContaining('satisfied') });
    expect(program(lines.join('\n'), 'stats', '-').stdout).toContain('Cut off after line: 4.');
    // Before its outcome was written, the transaction may have happened.
    const early = program([header, written, lines[3], ''].join('\n'), 'check', '-', '--level', 'rc', '--allow-cut-off');
    expect(early.status).toBe(0);
    // A violation stands, whatever is missing.
    expect(
      program([header, '{"session":"1","ops":[["r","x",7]]}', ''].join('\n'), 'check', '-', '-l', 'rc').status,
    ).toBe(1);
  });

  test('passes the exit code on', () => {
    expect(program('r(1,7,0,0)\n', 'check', '-', '--level', 'rc').status).toBe(1);
    expect(program('nonsense', 'check', '-', '--level', 'rc')).toMatchObject({ status: 3, stdout: '' });
  });

  test('writes to standard output for -', () => {
    const { status, stdout } = program('w(1,1,0,0)\nr(1,1,1,1)\n', 'convert', '-', '-', '--to', 'isolab');
    expect(status).toBe(0);
    expect(stdout.split('\n')[1]).toBe('{"session":0,"id":0,"at":1,"ops":[["w",1,1]]}');
  });
});
