/** A folder that was watched before: no verdict is about lines that were not read now. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { watchWhile } from '../src/watch/watch-while.ts';
import { isolab, printerTo } from './support/isolab.ts';
import { END, FIRST, HEADER, LOST } from './support/lost-update.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-again-'));
  path = join(folder, 'history.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [NEXT, OTHER] = ['["r","x",1],["w","x",2]', '["r","x",0],["w","x",5]'].map(
  (ops) => `{"session":3,"ops":[${ops}]}\n`,
) as [string, string];

describe('standard input', () => {
  const main = fileURLToPath(new URL('../isolab.cjs', import.meta.url));
  const piped = (input: string, ...words: readonly string[]) => {
    const args = [main, 'watch', '-', '--level', 'si', ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, input, encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  };

  test('standard input is a stream of its own each time, after any earlier one', () => {
    expect(piped(HEADER + FIRST + END).code).toBe(ExitCode.Satisfied);
    const violated = piped(HEADER + FIRST + LOST + END);
    expect(violated.code).toBe(ExitCode.Violated);
    expect(violated.err).toContain(
      'This stream is stored in isolab.watch-2; the earlier folders belong to other streams.',
    );
    expect(piped(HEADER + OTHER).code).toBe(ExitCode.Satisfied);
    expect(piped(HEADER + OTHER).code).toBe(ExitCode.Satisfied);
    expect(piped(HEADER + OTHER, '--out', 'isolab.watch')).toMatchObject({
      code: ExitCode.Failed,
      err: expect.stringContaining('isolab.watch holds the lines of standard input; --resume continues this stream'),
    });
    expect(readdirSync(folder).toSorted()).toEqual(['', '-2', '-3', '-4'].map((number) => `isolab.watch${number}`));
  });

  test('standard input is continued by --resume, unless it has ended', () => {
    const read = '{"session":2,"ops":[["r","x",1]]}\n';
    // At the end, the read value is unwritten; with the following lines it is written.
    expect(piped(HEADER + read, '--resume')).toMatchObject({ code: ExitCode.Violated });
    const resumed = piped(FIRST + END, '--resume');
    expect(resumed.err).toContain('Continuing after line 2.');
    expect(resumed).toMatchObject({
      code: ExitCode.Satisfied,
      out: expect.stringContaining('2 transactions, 0 alarms'),
    });
    expect(piped(HEADER + OTHER, '--resume')).toMatchObject({
      code: ExitCode.Satisfied,
      err: expect.stringContaining('This stream is stored in isolab.watch-2'),
    });
    expect(piped(NEXT, '--resume', '--out', 'isolab.watch')).toMatchObject({
      code: ExitCode.Failed,
      err: expect.stringContaining('isolab.watch holds a stream that has ended'),
    });
  });

  test('standard input is not continued under another header', () => {
    piped(HEADER + FIRST);
    const { code, err } = piped(HEADER.replace('"initial":0', '"initial":5') + NEXT, '--resume');
    expect(err).toContain('found a header with "initial" 5, expected 0');
    expect(code).toBe(ExitCode.Failed);
  });

  test('standard input by stream continues with the streams that have not ended', () => {
    const of = (stream: string, line: string): string => line.replace('{', `{"stream":"${stream}",`);
    piped(HEADER + of('a', FIRST) + of('b', FIRST) + of('b', END), '--by-stream');
    const { code, out, err } = piped(of('a', NEXT) + of('b', NEXT), '--by-stream', '--resume');
    expect(err).toContain('b is no longer watched: found a line after {"isolab":"end"}, expected no line');
    expect(out).toContain('Every watched level holds in 1 stream.');
    expect(code).toBe(ExitCode.Failed);
    expect(piped(HEADER + of('a', LOST), '--by-stream').code).toBe(ExitCode.Satisfied);
  });
});

describe('a file', () => {
  const watch = (...words: readonly string[]) => isolab('watch', path, '--level', 'si', ...words);

  test.each([{ words: [] }, { words: ['--until', 'end'] }])(
    'isolab watch compares a file that has ended, and judges it again ($words)',
    async ({ words }: { readonly words: readonly string[] }) => {
      writeFileSync(path, HEADER + FIRST + END);
      expect((await watch(...words)).code).toBe(ExitCode.Satisfied);
      expect((await watch(...words)).code).toBe(ExitCode.Satisfied);
      for (const text of [HEADER + LOST + LOST + END, HEADER + FIRST, HEADER]) {
        writeFileSync(path, text);
        const { code, err } = await watch(...words);
        expect(err).toContain('is not the file that was watched before');
        expect(code).toBe(ExitCode.Failed);
      }
      writeFileSync(path, HEADER + FIRST + END + NEXT);
      const { code, err } = await watch(...words);
      expect(err).toContain('line 4: found a line after {"isolab":"end"}, expected no line');
      expect(code).toBe(ExitCode.Failed);
    },
  );

  test('a file is compared from its first byte', async () => {
    const many = '{"session":4,"ops":[["r","y",0]]}\n'.repeat(500);
    writeFileSync(path, HEADER + FIRST + many + END);
    expect((await watch()).code).toBe(ExitCode.Satisfied);
    writeFileSync(path, HEADER + FIRST.replace('"x",1', '"x",2') + many + END);
    expect((await watch()).code).toBe(ExitCode.Failed);
  });

  test.each([
    ['', 'before its end', HEADER + FIRST + NEXT, FIRST],
    ['{"session":1', 'in the middle of a line behind its end', HEADER + FIRST + END, `${END}{"session":1`],
  ])('with %j, %s, is no success', async (rest, _, text) => {
    writeFileSync(path, text + rest);
    const { code } = await watch('--until', 'end');
    expect(code).toBe(rest === '' ? ExitCode.Satisfied : ExitCode.Failed);
  });

  /** Leaves the folder of a watcher that is killed before its first checkpoint. */
  const killed = (lines: string): void => {
    mkdirSync(join(`${path}.watch`, 'log'), { recursive: true });
    writeFileSync(join(`${path}.watch`, 'log', '000000000001.jsonl'), lines);
  };

  test('a file is accused of nothing that only the log has', async () => {
    killed(HEADER + FIRST + LOST);
    writeFileSync(path, HEADER + FIRST + NEXT + END);
    const { code, err } = await watch();
    expect(err).toContain('line 3: it differs from the line watched before');
    expect(err).not.toContain('ALARM');
    expect(code).toBe(ExitCode.Failed);
    writeFileSync(path, HEADER + FIRST);
    const cut = await watch('--until', 'end');
    expect(cut.err).toContain('has 2 of the 3 lines that were watched before, so it was cut or replaced');
    expect(cut.err).not.toContain('ALARM');
    expect(cut.code).toBe(ExitCode.Failed);
    writeFileSync(path, HEADER + FIRST + LOST + END);
    const same = await watch();
    expect(same.err).toContain('ALARM 1: snapshot-isolation is violated at line 3');
    expect(same.code).toBe(ExitCode.Violated);
  });

  test('a file that is cut while it is watched is reported in one line', async () => {
    writeFileSync(path, HEADER + FIRST);
    const watching = watch();
    while (!existsSync(join(`${path}.watch`, 'log', '000000000001.jsonl'))) await sleep(20);
    const second = await watch();
    expect(second.err).toContain(`Another isolab watch (process ${process.pid}) is writing ${path}.watch.`);
    expect(second.code).toBe(ExitCode.Failed);
    truncateSync(path, 0);
    const { code, err } = await watching;
    expect(err).toMatch(
      /history\.jsonl was cut to 0 bytes after \d+ bytes had been read, so the rest is unknown; watch/,
    );
    expect(err).not.toContain('bug');
    expect(code).toBe(ExitCode.Failed);
  });

  test('a file by stream is compared stream by stream', async () => {
    const of = (stream: string, line: string): string => line.replace('{', `{"stream":"${stream}",`);
    const all = HEADER + of('a', FIRST) + of('b', FIRST) + of('a', END) + END;
    writeFileSync(path, all);
    expect((await watch('--by-stream')).code).toBe(ExitCode.Satisfied);
    expect((await watch('--by-stream')).code).toBe(ExitCode.Satisfied);
    writeFileSync(path, all.replace(of('b', FIRST), of('b', OTHER)));
    const replaced = await watch('--by-stream');
    expect(replaced.err).toContain('b is no longer watched: b, line 2: it differs from the line watched before');
    expect(replaced.code).toBe(ExitCode.Failed);
    writeFileSync(path, HEADER + of('a', FIRST));
    const cut = await watch('--by-stream', '--until', 'end');
    expect(cut.err).toContain('a has 2 of the 3 lines that were watched before');
    expect(cut.code).toBe(ExitCode.Failed);
    writeFileSync(path, `${all}${of('a', NEXT)}`);
    const more = await watch('--by-stream');
    expect(more.err).toContain('line 6: found a line after {"isolab":"end"}, expected no line');
    expect(more.code).toBe(ExitCode.Failed);
  });

  test('a file of several is compared by itself', async () => {
    const other = join(folder, 'other.jsonl');
    writeFileSync(path, HEADER + FIRST + LOST + END);
    writeFileSync(other, HEADER + FIRST + END);
    const words = ['watch', path, other, '--level', 'si', '--out', join(folder, 'kept')];
    expect((await isolab(...words)).code).toBe(ExitCode.Violated);
    writeFileSync(path, HEADER + FIRST + END);
    const { code, err } = await isolab(...words);
    expect(err).toContain(`${path} is no longer watched: ${path} is not the file that was watched before`);
    expect(code).toBe(ExitCode.Failed);
  });
});

test('a socket is a stream of its own each time', async () => {
  const kept = join(folder, 'kept');
  mkdirSync(join(kept, 'log'), { recursive: true });
  writeFileSync(join(kept, 'log', '000000000001.jsonl'), HEADER + FIRST + END);
  const watch = (...words: readonly string[]) =>
    isolab('watch', `unix:${join(folder, 'socket')}`, '--level', 'si', '--out', kept, '--for', '200ms', ...words);
  expect(await watch()).toMatchObject({
    code: ExitCode.Failed,
    err: expect.stringContaining('holds the lines of another stream; --resume continues this stream'),
  });
  expect(await watch('--resume')).toMatchObject({
    code: ExitCode.Failed,
    err: expect.stringContaining('holds a stream that has ended'),
  });
});

test('a collection that continues behind its end is checked as a whole', async () => {
  const checked = async (text: string, flags: { readonly resume?: boolean }) => {
    writeFileSync(path, text);
    const watching = await watchWhile(path, { watch: 'si', ...flags }, printerTo([], []));
    watching.begin();
    return watching.end();
  };
  expect(await checked(HEADER + FIRST + END, {})).toMatchObject({ status: { transactions: 1 } });
  const resumed = `${HEADER}${FIRST}{"isolab":"resumed"}\n${NEXT}`;
  expect(await checked(resumed, { resume: true })).toMatchObject({ status: { transactions: 2 } });
  expect(await checked(`${resumed}${LOST}${END}`, { resume: true })).toMatchObject({
    ending: 'ended',
    status: { transactions: 3, levels: { 'snapshot-isolation': 'violated' } },
  });
});
