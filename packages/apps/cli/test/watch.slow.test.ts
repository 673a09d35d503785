// Slow: waits for watchers, some in processes of their own.
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestRedis, startRedis } from '@isolab/collector/queue/test-redis';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { run } from '../src/run.ts';
import { isolab, printerTo } from './support/isolab.ts';
import { END, FIRST, HEADER, LOST } from './support/lost-update.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
  path = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('isolab watch', () => {
  test('isolab watch says that a level holds once the stream is complete', async () => {
    writeFileSync(path, HEADER + FIRST + END);
    const { code, out } = await isolab('watch', path, '--level', 'si,rc');
    expect(out).toContain(
      'The stream has ended. 1 transaction, 0 alarms.\nsnapshot-isolation holds.\nread-committed holds.',
    );
    expect(code).toBe(ExitCode.Satisfied);
  });

  test('alarms, with evidence that isolab verify accepts', async () => {
    writeFileSync(path, HEADER + FIRST + LOST + END);
    const { code, out, err } = await isolab('watch', path, '--level', 'si,rc');
    expect(err).toContain('ALARM 1: snapshot-isolation is violated at line 3 (lost-update).');
    expect(out).toContain('snapshot-isolation is VIOLATED.\nread-committed holds.');
    expect(code).toBe(ExitCode.Violated);
    const alarm = join(`${path}.watch`, 'alarms/1');
    const verified = await isolab('verify', join(alarm, 'history.jsonl'), join(alarm, 'certificate.json'));
    expect(verified.code).toBe(ExitCode.Satisfied);
  });

  test('isolab watch alarms of an unwritten value at the end only', async () => {
    const read = `${HEADER}{"session":1,"ops":[["r","x",7]]}\n`;
    const others = '{"session":2,"ops":[["r","y",0]]}\n'.repeat(5);
    const early = ['--level', 'si', '--horizon', '2', '--batch', '1'];
    writeFileSync(path, read + others + END);
    const { code, err } = await isolab('watch', path, ...early);
    expect(err).toContain('ALARM 1: snapshot-isolation is violated at line 2 (thin-air-read).');
    expect(code).toBe(ExitCode.Violated);

    const late = join(folder, 'late.jsonl');
    writeFileSync(late, `${read}${others}{"session":3,"ops":[["w","x",7]]}\n${END}`);
    const written = await isolab('watch', late, ...early);
    expect(written.out).toContain('0 alarms.\nsnapshot-isolation holds.');
    expect(written.code).toBe(ExitCode.Satisfied);

    const cut = join(folder, 'cut.jsonl');
    writeFileSync(cut, `${read.replace('"initial"', '"collected":{},"initial"')}${others}`);
    const missing = await isolab('watch', cut, ...early, '--until', 'end');
    expect(missing.out).toContain(
      'snapshot-isolation is undecided: line 2 read "x" = 7, which no transaction has written',
    );
    expect(missing.code).toBe(ExitCode.Unknown);
  });

  test('isolab watch takes a repeated line once, by its number', async () => {
    const line = (number: number, ops: string) => `{"session":"a","number":${number},"ops":[${ops}]}\n`;
    const twice = line(2, '["r","x",1],["w","x",2]');
    const text = HEADER + line(1, '["w","x",1]') + twice + twice + line(3, '["r","x",2]');
    writeFileSync(path, text + END);
    const { code, out } = await isolab('watch', path, '--level', 'si');
    expect(out).toContain(
      '3 transactions, 0 alarms.\nsnapshot-isolation holds.\n1 line came twice and was counted once.',
    );
    expect(code).toBe(ExitCode.Satisfied);
    writeFileSync(path, text + line(5, '["r","x",2]'));
    const lost = await isolab('watch', path, '--level', 'si', '--until', 'end', '--out', join(folder, 'lost'));
    expect(lost.err).toContain('line 5: found transaction 5 of session "a" after transaction 3, expected 4');
    expect(lost.code).toBe(ExitCode.Failed);
  });

  test('isolab watch takes the initial transaction of a header that has one', async () => {
    const header = '{"isolab":"history","version":1,"initial":0,"initialTransaction":"first"}\n';
    const initial = '{"session":9,"ops":[["w","x",12345678901234567890],["w","y",2]]}\n';
    const reads = '{"session":1,"ops":[["r","x",12345678901234567890],["r","y",2],["r","z",0],["w","x",1]]}\n';
    writeFileSync(path, header + initial + reads);
    const first = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(first.out).toContain('1 transaction, 0 alarms.\nsnapshot-isolation holds.');
    appendFileSync(path, '{"session":2,"ops":[["r","y",2],["r","x",0]]}\n');
    const { code, err } = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(err).toContain('ALARM 1: snapshot-isolation is violated at line 4');
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab watch continues where it was', async () => {
    writeFileSync(path, HEADER + FIRST);
    expect((await isolab('watch', path, '--level', 'si', '--until', 'end')).code).toBe(ExitCode.Satisfied);
    appendFileSync(path, LOST + END);
    const { code, err } = await isolab('watch', path, '--level', 'si');
    expect(err).toContain('Continuing after line 2.');
    expect(code).toBe(ExitCode.Violated);
    writeFileSync(path, HEADER + LOST + LOST + LOST + END);
    const other = await isolab('watch', path, '--level', 'si', '--out', `${path}.watch`);
    expect(other.code).toBe(ExitCode.Failed); // it is compared with the watched lines, also where that has ended
  });

  test('isolab watch says that it cannot continue in another file', async () => {
    writeFileSync(path, HEADER + FIRST);
    await isolab('watch', path, '--level', 'si', '--until', 'end');
    writeFileSync(path, HEADER + LOST);
    const { code, err } = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(err).toContain('is not the file that was watched before, and no file beside it is');
    expect(code).toBe(ExitCode.Failed);
  });

  test.each([
    ['no header', FIRST, 'line 1: found {"session":1'],
    ['no history', `${HEADER}garbage\n`, "line 2, column 1: found 'garbage'"],

    ['a collection that failed', `${HEADER}{"isolab":"spoiled","why":"out of disk"}\n`, 'out of disk'],
    [
      'an initial transaction that reads',
      `{"isolab":"history","version":1,"initialTransaction":"first"}\n{"session":1,"ops":[["r","x",null]]}\n`,
      'line 2',
    ],
    ['another header', `${HEADER}{"isolab":"history","version":1,"initial":1}\n`, 'line 2: found a header'],
  ])('isolab watch refuses %s', async (_, text, message) => {
    writeFileSync(path, text);
    const { code, err } = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });

  test.each([
    ['a stream that promised its end', `{"isolab":"history","version":1,"collected":{}}\n${FIRST}`],
    ['half a line', HEADER + FIRST + LOST.slice(0, 20)],
    ['nothing', ''],
  ])('isolab watch does not take %s for success', async (_, text) => {
    writeFileSync(path, text);
    const { code, out } = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(out).toContain('The stream was cut off; its end may be missing.');
    expect(code).toBe(ExitCode.Unknown);
  });

  test('isolab watch says that there is no such file', async () => {
    const { code, err } = await isolab('watch', path, '--level', 'si', '--until', 'end');
    expect(err).toContain('history.jsonl: no such file or directory');
    expect(code).toBe(ExitCode.Failed);
  });

  test.each([
    [[], 'Missing --level LEVEL'],
    [['--level', 'serialisable'], 'There is no level serialisable; did you mean'],
    [['--level', 'si', '--page', 'here'], '--page is here; expected PORT or HOST:PORT.'],
    [['--level', 'si', '--horizon', 'soon'], '--horizon needs a time'],
    [['--level', 'si', '--keep', 'much'], '--keep needs a time'],
    [['--level', 'si', '--keep', '7d,xB'], '--keep needs a size'],
  ])('%j is a wrong call', async (words, message) => {
    writeFileSync(path, HEADER);
    const { code, err } = await isolab('watch', path, '--until', 'end', ...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });
});

describe('isolab collect --watch', () => {
  const collect = (...words: readonly string[]) =>
    isolab('collect', path, '--sessions', '4', '--transactions', '50', '--seed', '3', ...words);

  test('isolab run checks all its histories, as isolab check does', async () => {
    const { code, out, err } = await collect('--watch', 'si,rc', '--page', '0');
    expect(err).toMatch(/The page is at http:\/\/127.0.0.1:\d+\//);
    expect(out).toContain('The stream has ended.');
    expect(out).toContain('snapshot-isolation holds.\nread-committed holds.');
    expect(code).toBe(ExitCode.Satisfied);
    const log = join(`${path}.watch`, 'log');
    expect(readFileSync(join(log, '000000000001.jsonl'), 'utf8')).toBe(readFileSync(path, 'utf8'));
  });

  test('checks a level of a user in its thread, too', async () => {
    const mine = join(folder, 'mine.lvl');
    writeFileSync(mine, 'level mine\nirreflexive (so | wr)+ ; rw\n');
    const { code, out } = await collect('--watch', mine);
    expect(out).toContain('mine holds.');
    expect(code).toBe(ExitCode.Satisfied);
  });

  test('isolab collect --watch finds an anomaly that the level of the database allows', async () => {
    const asked = ['--isolation', 'read committed', '--set', 'keys=2', '--transactions', '300'];
    const { code, out, err } = await collect(...asked, '--watch', 'ser', '--output', 'json');
    expect(err).toContain('ALARM 1: serializable is violated at line');
    expect(JSON.parse(out)).toMatchObject({
      watched: { ending: 'ended', status: { levels: { serializable: 'violated' } } },
    });
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab collect --watch ends at the first violation with --until violated', async () => {
    const asked = ['--isolation', 'read committed', '--set', 'keys=2', '--transactions', '1000000'];
    const { code, err } = await collect(...asked, '--watch', 'ser', '--until', 'violated');
    expect(err).toMatch(
      /ALARM 1: serializable .*\n(?:.*\n)*Ended at the first violation, after \d+ of \d+ transactions\./,
    );
    expect(code).toBe(ExitCode.Violated);
    expect((await isolab('check', path, '--level', 'ser')).code).toBe(ExitCode.Violated);
  });

  test('isolab collect --watch looks at the rows that scans return, and takes that for no verdict', async () => {
    const asked = ['--workload', 'doctors', '--isolation', 'serializable', '--transactions', '20'];
    const { code, out } = await collect(...asked, '--watch', 'si');
    expect(out).toContain(
      'snapshot-isolation is not violated so far; scans were checked only in part, so there is no verdict.',
    );
    expect(out).toMatch(/Only the returned rows of \d+ scans were checked; run isolab check/);
    expect(code).toBe(ExitCode.Unknown);
  });

  test.each([
    [['--watch', 'sy'], 'There is no level sy'],
    [['--until', 'violated'], '--until violated ends when --watch finds a violation; add --watch LEVEL.'],
    [['--for', '0s'], '--for is 0s; expected a longer time, such as 60s, 10m or 2h.'],
    [['--page', '0'], '--page shows the results of --watch; add --watch LEVEL.'],
    [['--watch', 'si', '--page', 'x'], '--page is x; expected PORT or HOST:PORT.'],
  ])('%j is a wrong call', async (words, message) => {
    const { code, err } = await collect(...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
    expect(existsSync(path)).toBe(false);
  });

  test('isolab collect --watch takes no folder of another collection', async () => {
    mkdirSync(`${path}.watch`);
    const { code, err } = await collect('--watch', 'si');
    expect(err).toContain('history.jsonl.watch exists already; --resume continues it, --force starts over.');
    expect(code).toBe(ExitCode.Failed);
  });
});

describe('isolab watch of a socket', () => {
  test('isolab watch of a socket judges the lines of several recorders, and ends when all have said that they are complete', async () => {
    const [one, two] = [join(folder, 'socket'), join(folder, 'kept')];
    const watching = isolab('watch', `unix:${one}`, '--level', 'si', '--out', two);
    for (let i = 0; i < 500 && !existsSync(one); i++) await sleep(20);
    const [first, second] = [connect(one), connect(one)];
    first.write(HEADER + FIRST);
    for (let i = 0; i < 500 && !existsSync(join(two, 'log', '000000000001.jsonl')); i++) await sleep(20);
    second.end(LOST + END);
    first.end(END);
    const { code, out, err } = await watching;
    expect(err).toContain(`Listening for lines at unix:${one}.`);
    expect(err).toContain('ALARM 1: snapshot-isolation is violated');
    expect(out).toContain('The stream has ended. 2 transactions, 1 alarm.');
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab watch of a socket refuses a wrong address with the expected form', async () => {
    const { code, err } = await isolab('watch', 'tpc://127.0.0.1:7000', '--level', 'si');
    expect(err).toContain('isolab: There is no source tpc://; did you mean tcp? expected a file, -, http://HOST:PORT/');
    expect(err).not.toContain('bug');
    expect(code).toBe(ExitCode.Failed);
  });
});

describe('isolab watch of a stream without an end', () => {
  const watch = (...words: readonly string[]) => isolab('watch', ...words, '--level', 'si');

  test('isolab watch of a stream without an end ends at the first alarm with --until violated', async () => {
    writeFileSync(path, HEADER + FIRST + LOST);
    const { code, out } = await watch(path, '--until', 'violated', '--for', '10m');
    expect(out).toContain('Ended at the first violation. 2 transactions, 1 alarm.\nsnapshot-isolation is VIOLATED.');
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab watch of a stream without an end ends after the time of --for, with the known facts and no verdict', async () => {
    writeFileSync(path, HEADER + FIRST);
    const { code, out } = await watch(path, '--for', '1s', '--until', 'violated');
    expect(out).toContain('The time is over. 1 transaction, 0 alarms.\nsnapshot-isolation is not violated so far');
    expect(code).toBe(ExitCode.Unknown);
  });

  test('isolab watch of a stream without an end ends all streams where one is violated', async () => {
    const other = join(folder, 'other.jsonl');
    writeFileSync(path, HEADER + FIRST);
    writeFileSync(other, HEADER + FIRST + LOST);
    const { code, err } = await watch(path, other, '--until', 'violated', '--out', join(folder, 'kept'));
    expect(err).toContain('Ended at the first violation.');
    expect(code).toBe(ExitCode.Violated);
  });

  test.each([
    [['--for', '0'], '--for is 0; expected a longer time, such as 60s, 10m or 2h.'],
    [['--for', 'soon'], '--for needs a time such as 500ms, 60s or 10m, not soon.'],
    [['--until', 'tomorrow'], "argument 'tomorrow' is invalid. Allowed choices are violated, end."],
  ])('%j is a wrong call', async (words, message) => {
    writeFileSync(path, HEADER + FIRST);
    const { code, err } = await watch(path, ...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });
});

describe('isolab watch of many streams', () => {
  const watch = (...words: readonly string[]) =>
    isolab('watch', ...words, '--level', 'si', '--until', 'end', '--out', join(folder, 'kept'));

  test('isolab watch of many streams judges the files that a pattern names, each by itself', async () => {
    writeFileSync(join(folder, 'a.jsonl'), HEADER + FIRST + END);
    writeFileSync(join(folder, 'b.jsonl'), HEADER + FIRST + LOST + END);
    const { code, out, err } = await watch(join(folder, '*.jsonl'));
    expect(err).toContain(`ALARM 1 of ${join(folder, 'b.jsonl')}: snapshot-isolation is violated at line 3`);
    expect(out).toContain('2 streams, 3 transactions, 1 alarm.');
    expect(out).toContain(`${join(folder, 'b.jsonl')}: The stream has ended. 2 transactions, 1 alarm. snapshot-`);
    expect(out).toContain('Every watched level holds in 1 stream.');
    expect(code).toBe(ExitCode.Violated);
    const alarm = join(folder, 'kept/streams', `${encodeURIComponent(join(folder, 'b'))}%2ejsonl/alarms/1`);
    const verified = await isolab('verify', join(alarm, 'history.jsonl'), join(alarm, 'certificate.json'));
    expect(verified.code).toBe(ExitCode.Satisfied);
  });

  test('isolab watch of many streams judges the streams that lines are of', async () => {
    const of = (stream: string, line: string): string => line.replace('{', `{"stream":"${stream}",`);
    writeFileSync(path, HEADER + of('eu', FIRST) + of('us', FIRST) + of('us', LOST) + END);
    const { code, out } = await watch(path, '--by-stream', '--output', 'json');
    expect(JSON.parse(out)).toMatchObject({
      streams: 2,
      results: [
        { stream: 'eu', ending: 'ended', levels: { 'snapshot-isolation': 'stands' } },
        { stream: 'us', ending: 'ended', levels: { 'snapshot-isolation': 'violated' } },
      ],
    });
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab watch of many streams does not count a stream that was cut off or is absent as success', async () => {
    writeFileSync(join(folder, 'a.jsonl'), HEADER + FIRST + END);
    writeFileSync(join(folder, 'b.jsonl'), HEADER + FIRST.slice(0, 9));
    const { code, out } = await watch(join(folder, '*.jsonl'));
    expect(out).toContain(`${join(folder, 'b.jsonl')}: The stream was cut off; its end may be missing.`);
    expect(code).toBe(ExitCode.Unknown);
    expect((await watch(join(folder, '*.none'))).code).toBe(ExitCode.Unknown);
    writeFileSync(join(folder, 'c.jsonl'), `${HEADER}garbage\n`);
    expect((await watch(join(folder, '*.jsonl'))).code).toBe(ExitCode.Failed);
  });

  test.each([
    [['a.jsonl', 'tcp://7000'], 'Several sources must all be files, found tcp://7000; expected one pattern of streams'],
    [['a.jsonl', 'b.jsonl', '--by-stream'], '--by-stream needs one source'],
  ])('%j is a wrong call', async (words, message) => {
    const { code, err } = await watch(...words);
    expect(err).toContain(message);
    expect(code).toBe(ExitCode.Failed);
  });
});

describe('isolab watch --queue', unless('redis'), () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.server.kill());

  /** Sends commands as redis-cli does. */
  async function send(...commands: readonly (readonly string[])[]): Promise<void> {
    const { port, password } = new URL(redis.address);
    const socket = connect(Number(port), '127.0.0.1');
    const spelled = [['AUTH', password], ...commands].map((words) =>
      [`*${words.length}`, ...words.map((word) => `$${word.length}\r\n${word}`)].join('\r\n'),
    );
    socket.write(`${spelled.join('\r\n')}\r\n`);
    let answers = '';
    for await (const chunk of socket) {
      answers += String(chunk);
      if (answers.split('\r\n').length > 2 * commands.length + 1) break;
    }
  }

  test('isolab watch --queue watches its part of the streams until it is interrupted, and reports the kept levels of all', async () => {
    const lines = { eu: [HEADER, FIRST, END], us: [HEADER, FIRST, LOST, END] };
    const commands = Object.entries(lines).flatMap(([name, some]) =>
      some.map((line) => ['XADD', `tenant:${name}`, '*', 'line', line.trimEnd()]),
    );
    await send(...commands);
    const [out, err]: [string[], string[]] = [[], []];
    const stop = new AbortController();
    const words = ['watch', `${redis.address}/tenant:*`, '--queue', `${redis.address}/1`, '--level', 'si'];
    const running = run([...words, '--interval', '1s', '--out', folder], printerTo(out, err, stop.signal));
    for (let i = 0; i < 2000 && !err.some((line) => line.includes('ALARM 1 of tenant:us')); i++) await sleep(20);
    await sleep(3000); // until it has looked again
    stop.abort();
    expect(await running).toBe(ExitCode.Violated);
    expect(out.join('\n')).toContain('All workers together: 2 streams, 1 alarm.\ntenant:us: The stream has ended.');
    expect(out.join('\n')).toContain('Every watched level holds in 1 stream.');
  });

  test.each([
    [
      ['history.jsonl', '--queue', 'redis://127.0.0.1:1'],
      'With --queue, the source must be a pattern of streams in Redis',
    ],
    [
      ['redis://127.0.0.1:1/a*', '--queue', 'localhost:6379'],
      '--queue is localhost:6379, expected the address of a Redis server, such as redis://',
    ],
    [['redis://127.0.0.1:1/a*', '--queue', 'redis://127.0.0.1:1'], 'There is no Redis server at redis://127.0.0.1:1'],
  ])('%j is a wrong call', async (words, message) => {
    const { code, err } = await isolab('watch', ...words, '--level', 'si');
    expect(err).toContain(message);
    expect(err).not.toContain('bug');
    expect(code).toBe(ExitCode.Failed);
  });
});
