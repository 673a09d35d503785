import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { run } from '../src/index.ts';
import { type Searched, partsOf, storiesOf } from '../src/verdicts/predictions.ts';
import { isolab, printerTo } from './support/isolab.ts';

describe('isolab predict', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-predict-'));
  const file = join(folder, 'h.txt');
  beforeAll(() => writeFileSync(file, 'r(x,0) w(x,1)\nr(x,1) w(x,2)\n'));

  test('the text has the story of a lost update and the changed read', async () => {
    const { code, out } = await isolab('predict', file);
    expect(code).toBe(1);
    expect(out).toContain('1 kind of executions that read committed allows and serializability forbids:');
    expect(out).toContain('1. Lost update: T1 and T2 both read x = 0');
    expect(out).toContain('reads r(x, 0), the initial version, instead of r(x, 1)');
    expect(out).toContain('Repair: lock 1 read of P1 (r(x)), or run P1 at snapshot isolation; all else may stay.');
    expect(out).toContain('  P1  line 1  r(x) w(x)');
  });

  test('the verifier accepts the certificates of a written history', async () => {
    const to = join(folder, 'predicted');
    const { code, out } = await isolab('predict', file, '--out', to, '--output', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ predictions: [{ anomaly: 'lost-update' }], gaps: [] });
    expect(readdirSync(to).toSorted()).toEqual(['1.allowed.json', '1.forbidden.json', '1.jsonl']);
    for (const kind of ['allowed', 'forbidden'])
      expect(await isolab('verify', join(to, '1.jsonl'), join(to, `1.${kind}.json`))).toMatchObject({ code: 0 });
  });

  test('--force leaves no file of an earlier run', async () => {
    const to = join(folder, 'again');
    mkdirSync(join(to, '7.replay'), { recursive: true });
    for (const name of ['2.jsonl', '2.allowed.json', '2.forbidden.json', 'notes.jsonl'])
      writeFileSync(join(to, name), '');
    expect(await isolab('predict', file, '--out', to)).toMatchObject({ code: 3 });
    expect(await isolab('predict', file, '--out', to, '--force')).toMatchObject({ code: 1 });
    expect(readdirSync(to).toSorted()).toEqual(['1.allowed.json', '1.forbidden.json', '1.jsonl', 'notes.jsonl']);
  });

  test('a page shows programs, dangers and the repair', async () => {
    const page = join(folder, 'page.html');
    const { code, out } = await isolab('predict', file, '--output', 'text', '--output', `html=${page}`);
    expect(code).toBe(1);
    expect(out).toContain('1. Lost update');
    const html = readFileSync(page, 'utf8');
    expect(html).toContain(
      '<b>P1</b> <span class="faint">read-committed, 2 runs, line 1</span><code title="r(x) w(x)">',
    );
    expect(html).toContain('<path class="predicted" d="M106 26C');
    expect(html).toContain('<title>1. Lost update: predicted</title>');
    expect(html).toContain('<del>read-committed</del><ins>snapshot-isolation</ins>');
    expect(html).toContain('<ins><code>r(x)</code> with a lock</ins>');
    expect((await isolab('predict', file, '--output', 'html')).err).toContain('expected html=FILE');
    const data = join(folder, 'page.json');
    await isolab('predict', file, '--output', `json=${data}`);
    expect(JSON.parse(readFileSync(data, 'utf8'))).toMatchObject({ predictions: [{ anomaly: 'lost-update' }] });
    expect((await isolab('predict', file, '--output', `text=${data}`)).err).toContain(
      'expected json=FILE or html=FILE',
    );
  });

  test('two increments lose no update at snapshot isolation', async () => {
    const { code, out } = await isolab('predict', file, '--level', 'si');
    expect(code).toBe(0);
    expect(out).toContain('No other execution of these transactions is known');
    expect(out).toContain('All sets of changed reads were tried.');
  });

  test('the boundary is an option', async () => {
    expect(await isolab('predict', file, '--option', 'boundary=strict')).toMatchObject({ code: 0 });
    const { code, err } = await isolab('predict', file, '--option', 'boundary=none');
    expect(code).toBe(3);
    expect(err).toContain('The boundary is none; expected data-flow, relaxed, strict.');
  });

  test('the number of changed reads is an option', async () => {
    const forks = join(folder, 'forks.txt');
    writeFileSync(forks, 'w(x,1)\nw(y,1)\nr(x,1) r(y,1)\nr(x,1) r(y,1)\n');
    const tried = ['--level', 'causal', '--option'];
    expect(await isolab('predict', forks, ...tried, 'changes=4')).toMatchObject({ code: 1 });
    const { err } = await isolab('predict', forks, ...tried, 'changes=none');
    expect(err).toContain('--option changes needs a whole number of at least 1, not none.');
  });

  test('each prediction is printed as soon as its story is ready', async () => {
    const skews = join(folder, 'skews.txt');
    writeFileSync(skews, 'r(x,0) r(y,0) w(x,1)\nr(x,1) r(y,0) w(y,1)\nr(z,0) w(z,1)\nr(z,1) w(z,2)\n');
    const parts: string[] = [];
    expect(await run(['predict', skews], printerTo(parts, []))).toBe(1);
    expect(parts.slice(0, 3).map((part) => /^\n?(\d\.|.*: \d)/.exec(part)?.[1])).toEqual([`${skews}: 2`, '1.', '2.']);
  });

  test('without time for their stories, predictions have the names of their anomalies', async () => {
    const predictions = ['lost-update', 'G2-item'].map((anomaly) => ({ anomaly, changes: [], cut: [] }));
    const found = { predictions, gaps: ['time'], covered: 1, programs: [], repaired: { repairs: [], why: null } };
    const levels = { weaker: 'read-committed', stronger: 'serializable' } as const;
    const searched = found as unknown as Searched;
    expect(await storiesOf(searched, 0)(1)).toBeNull();
    const parts: string[] = [];
    for await (const part of partsOf('h.txt', searched, [], levels, async () => null, printerTo([], [])))
      parts.push(part);
    expect(parts.slice(1, 4)).toEqual([
      expect.stringContaining('1. lost-update'),
      expect.stringContaining('2. G2-item'),
      '\n--time ended before the stories of 2 kinds; with more time, they are printed, too.',
    ]);
  });

  test('a recording that was cut off is predicted from up to there', async () => {
    const whole = readFileSync(fileURLToPath(new URL('fixtures/recorded-shop.jsonl', import.meta.url)));
    const cut = join(folder, 'cut.jsonl');
    for (const bytes of [700, 1100, 1600, 2100]) {
      writeFileSync(cut, whole.subarray(0, bytes));
      const { out, err } = await isolab('predict', cut);
      expect([out, err]).toEqual([expect.stringContaining('the recording stopped in the middle of a line'), '']);
    }
  });

  test('a command needs the statements of one recording', async () => {
    const directory = join(folder, 'recordings');
    mkdirSync(directory);
    copyFileSync(fileURLToPath(new URL('fixtures/recorded-shop.jsonl', import.meta.url)), join(directory, 'a.jsonl'));
    for (const path of [file, directory]) {
      const { code, err } = await isolab('predict', path, '--confirm', '--db', 'postgres@18.4', '--', 'true');
      expect([code, err]).toEqual([3, expect.stringContaining(`${path} has no statements`)]);
    }
    expect(await isolab('predict', directory)).toMatchObject({ code: 1, err: '' });
  });

  test('Ctrl-C ends the search, and the found predictions are printed however long that takes', async () => {
    const out: string[] = [];
    const calls: string[] = [];
    const printer = printerTo(out, [], AbortSignal.abort());
    const code = await run(['predict', file], {
      ...printer,
      takesItsTime: () => void calls.push('takes its time'),
      interruptible: (task) => (calls.push('work'), printer.interruptible(task)),
    });
    expect(calls).toEqual(['takes its time', 'work']);
    expect(out.join('\n')).toContain('The search is incomplete: a signal ended it.');
    expect(code).toBe(2);
  });

  test('an error of the database in a replay loses no prediction', async () => {
    const database = ['--confirm', '--db', 'postgres://localhost:1/x'];
    const { code, out, err } = await isolab('predict', file, ...database);
    expect(out).toContain('1. Lost update');
    expect(out).toContain('Not replayed: an error ended the replays.');
    expect(err).toContain('There is no PostgreSQL server at');
    expect(code).toBe(1);
  });

  test.each([
    [
      ['--option', 'changes=99999999999999999999'],
      'needs a whole number of at most 999999999, not 99999999999999999999',
    ],
    [['--option', 'changes='], 'needs a whole number of at least 1, not an empty word'],
    [['--option', 'boundary=strict', '--option', 'boundary=relaxed'], '--option has two values of boundary'],
    [['--db', 'postgres@18.4'], '--db needs --confirm'],
    [['--isolation', 'serializable'], '--isolation needs --confirm'],
    [['--session-setup', 'set x = 1'], '--session-setup needs --confirm'],
    [['--connect-timeout', '1s'], '--connect-timeout needs --confirm'],
    [['h.txt'], 'The command h.txt needs --confirm'],
    [['--confirm', '--db', 'postgres@18.4', '--db', 'postgres@16', '--', 'true'], 'A command uses one database'],
    [['--confirm', '--db', 'postgres://localhost:1/x', '--isolation', 'none'], 'has no isolation level none'],
    [['--out', ''], 'The name of the folder is empty'],
    [['--out', '/proc/predicted'], '/proc/predicted cannot be made'],
    [['--confirm', '--db', 'nothere://x'], 'There is no driver for nothere:'],
    [['--confirm', '--db', 'sqlite::memory:'], 'No level of the database claims read-committed'],
    [['--level', 'ser', '--against', 'rc'], 'No execution is allowed by serializable and forbidden by read-committed'],
    [['--level', 'si', '--against', 'si'], 'No execution is allowed by snapshot-isolation'],
  ])('%j is refused before the search', async (words, message) => {
    const { code, out, err } = await isolab('predict', file, ...words);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain(message);
  });

  test('a recorded violation of the stronger level is no success', async () => {
    const lost = join(folder, 'lost.txt');
    writeFileSync(lost, 'r(x,0) w(x,1)\nr(x,0) w(x,2)\n');
    const { code, out } = await isolab('predict', lost);
    expect(out).toContain('The recorded execution itself violates serializability.');
    expect(code).toBe(1);
  });

  test('predictions from a history whose end is missing are incomplete', async () => {
    const cut = join(folder, 'cut.jsonl');
    writeFileSync(
      cut,
      '{"isolab":"history","version":1,"initial":0,"collected":{"run":1}}\n{"session":0,"ops":[["r",1,0]]}\n{"session":1,',
    );
    const { code, out } = await isolab('predict', cut);
    expect(out).toContain('the recording stopped in the middle of a line');
    expect(code).toBe(2);
  });

  test.each([
    ['!w(x,1)', 'the history has no transaction that happened'],
    ['r(x,0) w(x,1)\nr(x,?) w(x,2)', 'reads without a result are not changed'],
  ])('%s is no success', async (content, why) => {
    const some = join(folder, 'some.txt');
    writeFileSync(some, `${content}\n`);
    expect(await isolab('predict', some)).toMatchObject({ code: 2, out: expect.stringContaining(why) });
  });

  test('programs of several files are named with their files', async () => {
    const logs = join(folder, 'logs');
    await isolab('convert', file, logs, '--to', 'viper-json', '--allow-lossy');
    expect((await isolab('predict', logs)).out).toContain('  P1  J0.log, line 1  r(x) w(x)');
  });

  test('a level of real time is refused', async () => {
    const { code, err } = await isolab('predict', file, '--against', 'strict-serializable');
    expect(code).toBe(3);
    expect(err).toContain('strict-serializable compares times');
  });
});

describe('predictions from a recording without overlaps', () => {
  const recording = fileURLToPath(new URL('fixtures/recorded-shop.jsonl', import.meta.url));

  test('a lost update is predicted at the level of PostgreSQL', async () => {
    const { code, out } = await isolab('predict', recording);
    expect(code).toBe(1);
    expect(out).toContain('1 kind of executions that read committed (Oracle) allows');
    expect(out).toContain('Lost update');
    expect(out).toContain('or run P1 at REPEATABLE READ; all else may stay.');
    expect(out).toContain(
      'The criterion of robust allocations does not apply, because a program reads rows by a condition.',
    );
  });

  test('no update is lost after a read that locks its row', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-predict-'));
    const locking = join(folder, 'locking.jsonl');
    const text = readFileSync(recording, 'utf8');
    writeFileSync(locking, text.replace('select stock from items where id = $1', '$& for update'));
    expect(await isolab('predict', locking)).toMatchObject({ code: 0 });
  });

  test('a gzipped recording has its statements', async () => {
    const zipped = join(mkdtempSync(join(tmpdir(), 'isolab-predict-')), 'shop.jsonl.gz');
    writeFileSync(zipped, gzipSync(readFileSync(recording)));
    const textOf = async (path: string): Promise<string> =>
      (await isolab('predict', path)).out.replaceAll(path, 'PATH');
    expect(await textOf(zipped)).toBe(await textOf(recording));
  });

  test('transactions keep their recorded levels, unless a level is named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isolab-predict-'));
    const raised = join(folder, 'raised.jsonl');
    const text = readFileSync(recording, 'utf8');
    writeFileSync(raised, text.replaceAll('"level":"read committed"', '"level":"repeatable read"'));
    expect(await isolab('predict', raised)).toMatchObject({ code: 0 });
    expect(await isolab('predict', raised, '--level', 'oracle-read-committed')).toMatchObject({ code: 1 });
  });
});
