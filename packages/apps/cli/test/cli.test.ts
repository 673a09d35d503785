import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLEAN, FORK, folderOf, transfer } from './support/histories.ts';
import { isolab } from './support/isolab.ts';

const { folder, file } = folderOf('cli');
const main = fileURLToPath(new URL('../isolab.cjs', import.meta.url));
const clean = file('clean.txt', CLEAN);
const fork = file('fork.txt', FORK);

describe('wrong calls and wrong input', () => {
  test.each([
    [['check', clean, '--level', 'eventual'], 'isolab: There is no level eventual; isolab list levels lists them.'],
    [['check', clean, '--level', 'seriaizable'], 'There is no level seriaizable; did you mean serializable? isolab'],
    [['check', clean, '--level', '__proto__'], 'isolab: There is no level __proto__; isolab list levels lists them.'],
    [['check', clean, '-l', 'ser', '-c', 'weav'], 'There is no checker weav; did you mean weave? isolab list checkers'],
    [['elle', clean, '-c', '__proto__'], 'There is no consistency model __proto__;'],
    [['stats', 'no-such-file'], 'isolab: no-such-file: no such file or directory'],
    [['stats', file('nothing', '')], 'found an empty file, expected a history'],
    [['stats', file('prose', 'Once upon a time\n')], 'found no known format, expected one of'],
    [['stats', folder, '--format', 'text'], 'found a directory, expected one file for the format text'],
    [['stats', clean, '--format', 'xml'], 'unknown format xml; expected one of'],
    [['stats', clean, '--output', 'xml'], "argument 'xml' is invalid"],
    [['stats', file('cut.txt', 'r(1,2,3')], 'cut.txt, line 1, column 8: found the end of the line'],
    [['stats', file('nil.txt', 'inc(n,nil)')], "nil.txt, line 1, column 1: found 'inc(n,nil)', expected an increment"],
    [['stats', file('late.txt', 'r(1,2,3,4)\nr(1,2,3')], 'late.txt, line 2, column 8: found the end of the line'],
    [['convert', clean, join(folder, 'out.unknown')], 'Missing --to FORMAT'],
    [['verify', clean, '/dev/zero'], '/dev/zero: found neither a file nor a directory'],
    [['verify', clean, folder], 'is a directory; expected a certificate file'],
    [['verify', clean, clean], ", line 1, column 1: found 'w'"],
    [['collect', join(folder, 'none', 'h.jsonl')], 'h.jsonl cannot be written: there is no folder '],
    [['run', folder, '--force'], 'is a directory; name a file in it.'],
    [['frobnicate'], "unknown command 'frobnicate'; isolab --help lists the commands."],
    [['chek', clean], "unknown command 'chek'; did you mean check? isolab --help lists the commands."],
    [['stats', clean, '--frobnicate'], "unknown option '--frobnicate'; isolab stats --help lists its arguments."],
    [['stats'], "missing required argument 'path'; isolab stats --help lists its arguments."],
  ])('%j exits with 3 and says why in one line', async (args, message) => {
    const { code, out, err } = await isolab(...args);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(message);
    expect(err.split('\n')).toHaveLength(1);
  });

  test('isolab check --verbose prints the steps of the checker', async () => {
    const { out, err } = await isolab('check', clean, '--level', 'ser', '--verbose');
    expect(out).not.toContain('conflicts');
    expect(err).toMatch(/^  solve: \d+ ms$/m);
    expect(err).toMatch(/^  conflicts: \d+$/m);
  });

  test('the stages of --verbose add up to the time of the program', () => {
    const lines = Array.from({ length: 60_000 }, (_, t) => `w(${t},1,0,${t})\nr(${t},1,1,${60_000 + t})\n`);
    const medium = file('medium.txt', lines.join(''));
    // The part of the time that no stage names. A busy machine starts and ends processes late: one quiet run suffices.
    let missing = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 20 && missing >= 0.03; run++) {
      const begin = performance.now();
      const { stderr } = spawnSync(process.execPath, [main, 'check', medium, '-l', 'rc', '-v'], { encoding: 'utf8' });
      const wallMs = performance.now() - begin;
      const stages = [...stderr.matchAll(/^  (\w+): (\d+) ms$/gm)];
      expect(stages.map(([, name]) => name)).toEqual(expect.arrayContaining(['start', 'parse', 'index', 'tell']));
      missing = Math.abs(1 - stages.reduce((sum, [, , ms]) => sum + Number(ms), 0) / wallMs);
    }
    expect(missing).toBeLessThan(0.03);
  });

  test('--verbose adds a stack', async () => {
    const { err } = await isolab('stats', 'no-such-file', '--verbose');
    expect(err).toMatch(/\n\s+at /);
  });
});

describe('isolab stats', () => {
  test('isolab stats counts the parts of a history, as text and as JSON', async () => {
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

  test('isolab stats puts an explicit initial transaction first when asked', async () => {
    const json = JSON.parse(
      (await isolab('stats', transfer, '--output', 'json', '--initial-transaction', 'first')).out,
    ) as object;
    expect(json).toMatchObject({ history: { transactions: 4, reads: { initial: 3 } } });
  });

  test('isolab stats says that a history without conflicts shows nothing', async () => {
    const { out } = await isolab('stats', file('lonely.txt', 'w(1,1,0,0)\nw(2,1,1,1)\n'));
    expect(out).toContain('every level holds trivially');
  });
});

describe('isolab convert', () => {
  test('isolab convert is lossless, or lists the losses and writes nothing', async () => {
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

  test('isolab convert goes there and back', async () => {
    const there = join(folder, 'clean.jsonl');
    const back = join(folder, 'back.txt');
    expect((await isolab('convert', clean, there)).code).toBe(0);
    expect((await isolab('convert', there, back, '--to', 'text')).code).toBe(0);
    expect(readFileSync(back, 'utf8')).toBe(readFileSync(clean, 'utf8'));
  });

  test('isolab convert packs and unpacks gzip by the name', async () => {
    const packed = join(folder, 'clean.jsonl.gz');
    expect((await isolab('convert', clean, packed)).code).toBe(0);
    expect(readFileSync(packed).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    const json = JSON.parse((await isolab('stats', packed, '--output', 'json')).out) as object;
    expect(json).toMatchObject({ format: 'isolab', history: { transactions: 2 } });
  });
});

describe('isolab check of several checkers', () => {
  test('isolab check puts several checkers into one table', async () => {
    const { code, out } = await isolab(
      'check',
      fork,
      clean,
      '-l',
      'causal',
      '--checker',
      'weave,plume:no-vectors,dbcop',
    );
    expect(code).toBe(1); // they agree that one of the two is violated
    expect(out).toMatch(/plume:no-vectors +violated/);
    expect(out).toMatch(/dbcop +satisfied/);
  });

  test('isolab check fails when checkers disagree', async () => {
    const liar = file('liar.mjs', LIAR);
    const { code, out, err } = await isolab('check', fork, '-l', 'causal', '--checker', `weave,${liar}`);
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
  test('isolab list checkers lists levels, variants and options', async () => {
    const { out } = await isolab('list', 'checkers');
    expect(out).toMatch(/weave {2}/);
    expect(out).toContain('--checker plume:no-tree-clocks');
    expect(JSON.parse((await isolab('list', 'checkers', '--output', 'json')).out)).toMatchObject({
      checkers: expect.arrayContaining([
        expect.objectContaining({ name: 'weave' }),
        expect.objectContaining({ name: 'plume' }),
      ]),
    });
  });

  test.each([
    [['check', clean, '--levle', 'si'], "unknown option '--levle'; did you mean --level?"],
    [['watch', clean, '--until', 'end'], 'Missing --level LEVEL'],
    [['explain', clean, 'out.jsonl'], 'Missing --level LEVEL'],
  ])('%j is answered with its mistake', async (args, message) => {
    const { code, err } = await isolab(...args);
    expect(code).toBe(3);
    expect(err).toContain(message);
  });

  test('isolab list levels names every level with the levels that it implies', async () => {
    const { out } = await isolab('list', 'levels');
    expect(out).toContain('snapshot-isolation (si');
    const { levels } = JSON.parse((await isolab('list', 'levels', '--output', 'json')).out) as {
      levels: { name: string }[];
    };
    expect(levels.map(({ name }) => name)).toContain('strict-serializable');
  });

  test('isolab list formats lists every format', async () => {
    const { out } = await isolab('list', 'formats');
    expect(out).toMatch(/text +\*\.txt +read, write/);
  });

  test('isolab list tools lists the published programs, and one in full', async () => {
    const { out } = await isolab('list', 'tools');
    for (const name of ['veristrong', 'awdit', 'polysi', 'plume', 'dbcop', 'viper', 'cobra', 'porcupine', 'mtc'])
      expect(out).toMatch(new RegExp(`^ *${name} `, 'm'));
    expect(out).not.toContain('isolab-text');
    const { out: one } = await isolab('list', 'tools', 'veristrong-cobra');
    expect(one).toContain('"checker":"tool:veristrong-cobra"');
    expect(one).toContain('errs:    The transaction of initial values');
    const { tools } = JSON.parse((await isolab('list', 'tools', 'awdit', '--output', 'json')).out) as {
      tools: object[];
    };
    expect(tools).toMatchObject([{ name: 'awdit', ways: [{ format: 'text', answers: 'as its patterns say' }] }]);
    expect(await isolab('list', 'tools', 'awdid')).toMatchObject({ code: 3, err: expect.stringContaining('awdit') });
  });

  test('--version and --help exit with 0', async () => {
    expect(await isolab('--version')).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    const help = await isolab('--help');
    expect(help.code).toBe(0);
    expect(help.out).toMatchInlineSnapshot(`
      "Usage: isolab COMMAND [options] | isolab COMMAND --help | isolab --version

      isolab checks histories of databases against isolation levels.

      Check:
        check      check histories against isolation levels
        verify     verify the certificate of a verdict
        elle       run Elle, knossos and Jepsen’s checkers, like elle-cli

      Explain:
        explain    explain a violation or a name, as a page or a small history
        stats      count the contents of a history and their conclusive share
        levels     show, compare or place isolation levels
        tour       show isolab on small histories of a real database

      Collect:
        collect    run a workload on a database, record the history
        run        collect a history, check the database’s claims
        generate   write a history of the simulated database
        convert    write a history in another format

      Hunt:
        hunt       collect and check histories until one shows a violation
        reproduce  replay a violation as a schedule of statements
        hermitage  show the anomalies that each level of a database allows

      Record and watch:
        record     record an application through a PostgreSQL proxy
        predict    predict what could happen at a weaker level
        watch      check files, pipes, sockets or Redis as they grow

      Experiment:
        bench      run experiments of papers, or your own

      Extend:
        list       list anomalies, checkers, engines, formats, levels …
        new        create a plug-in, a lab, a recorder or a playground
        test       test a plug-in, or the driver of a database

      Exit codes of every command:
        0  no checked level is violated; --level all alone: every level is decided
        1  violated: a named level, or a level that the database claims
        2  unknown: no verdict, or cut short by a signal, a limit or a closed pipe
        3  failed: a wrong call, wrong input, unwritable output, or an internal error"
    `);
  });
});

describe('the program', () => {
  const program = (input: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [main, ...args], { input, encoding: 'utf8' });

  test('the program reads standard input for -', () => {
    const { status, stdout, stderr } = program('w(1,1,0,0)\nr(1,1,1,1)\n', 'stats', '-', '--output', 'json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ path: '-', format: 'text', history: { operations: 2 } });
  });

  test('the program reports that a collection was cut off, and judges the recorded part', () => {
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
    expect(stderr).toContain('-: it was cut off after line 4; the verdict covers only the part before');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'unknown', cutOff: expect.stringContaining('line 4') });
    // The option of another command, which the database must be able to follow.
    const told = program(lines.join('\n'), 'check', '-', '--level', 'rc').stdout;
    expect(told).toContain('isolab collect --resume continues a collection whose database still has the data');
    const allowed = program(lines.join('\n'), 'check', '-', '--level', 'rc', '--allow-cut-off');
    expect(allowed).toMatchObject({ status: 0, stdout: expect.stringContaining('satisfied') });
    expect(program(lines.join('\n'), 'stats', '-').stdout).toContain('Cut off after line: 4.');
    // Before its outcome was written, the transaction may have happened.
    const early = program([header, written, lines[3], ''].join('\n'), 'check', '-', '--level', 'rc', '--allow-cut-off');
    expect(early.status).toBe(0);
    // A violation stands, even in an incomplete history.
    expect(
      program([header, '{"session":"1","ops":[["r","x",7]]}', ''].join('\n'), 'check', '-', '-l', 'rc').status,
    ).toBe(1);
  });

  test('the program passes the exit code on', () => {
    expect(program('r(1,7,0,0)\n', 'check', '-', '--level', 'rc').status).toBe(1);
    expect(program('nonsense', 'check', '-', '--level', 'rc')).toMatchObject({ status: 3, stdout: '' });
  });

  test('writes to standard output for -', () => {
    const { status, stdout } = program('w(1,1,0,0)\nr(1,1,1,1)\n', 'convert', '-', '-', '--to', 'isolab');
    expect(status).toBe(0);
    expect(stdout.split('\n')[1]).toBe('{"session":0,"id":0,"at":1,"ops":[["w",1,1]]}');
  });
});
