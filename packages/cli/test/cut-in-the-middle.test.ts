/** What is left, and what is said, of work that is cut off in the middle, also where the process that works is killed. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { type Running, fifo, isRead, isWindows, start, until, workplace, write } from './support/program.ts';

const { place, ok, violated } = workplace('cut-in-the-middle');

/** The process that works for the one that waits. */
function worksFor({ child }: Running): number {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return rows.find(([, parent]) => parent === child.pid)![0]!;
}

const CUTS: Readonly<Record<string, (running: Running) => unknown>> = {
  'by a signal': ({ child }) => child.kill('SIGTERM'),
  'because the process that works is killed': (running) => process.kill(worksFor(running), 'SIGKILL'),
};

describe.skipIf(isWindows).concurrent.each(Object.keys(CUTS))('a check of several histories, cut off %s', (how) => {
  const cutOff = async (output: string, ...before: readonly string[]) => {
    const at = place();
    const path = fifo(at);
    const running = start(['check', ...before, path, 'later.txt', '-l', 'ser,rc', '--output', output], at);
    await isRead(path);
    CUTS[how]!(running);
    return { ...(await running.ended), path };
  };

  test('tells of each history in JUnit', async () => {
    const { code, out, path } = await cutOff('junit', ok, violated);
    expect(code).toBe(1);
    expect(out).toMatch(/^<\?xml [^>]*>\n<testsuites name="isolab">\n/);
    expect(out).toMatch(/<\/testsuites>\n$/);
    const suites = [...out.matchAll(/<testsuite name="([^"]*)" tests="2" failures="(\d)" errors="(\d)"/g)];
    expect(suites.map(([, name, failures, errors]) => [name, failures, errors])).toEqual([
      [ok, '0', '0'],
      [violated, '2', '0'],
      [path, '0', '2'],
      ['later.txt', '0', '2'],
    ]);
    expect(out).toContain('<error message="isolab was cut off before this was finished" type="error">');
  });

  test('tells of each history in JSON', async () => {
    const { code, out, err, path } = await cutOff('json', ok);
    expect(code).toBe(2);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ path: ok, verdict: 'satisfied', level: 'serializable,read-committed' }),
      { path, verdict: 'unknown', error: 'isolab was cut off before this was finished' },
      { path: 'later.txt', verdict: 'unknown', error: 'isolab was cut off before this was finished' },
    ]);
    expect(err).toContain('isolab: this ');
    expect(err).toContain(`isolab: not finished: ${path}, later.txt.\n`);
  });

  test('tells of each history in Markdown', async () => {
    const { code, out, path } = await cutOff('markdown');
    expect(code).toBe(2);
    expect(out.match(/^## .*$/gm)).toHaveLength(2);
    expect(out).toContain('could not be checked: isolab was cut off');
    expect(path).toContain('fifo');
  });
});

describe.skipIf(isWindows)('an output that is being written', { timeout: 60_000 }, () => {
  /** Writing a long one takes a while. */
  const writing = (at: string): Running => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `w(${i % 1000},${i},${i % 7},${i})\n`);
    return start(['convert', write(join(at, 'long.txt'), lines.join('')), 'h.jsonl.gz'], at);
  };
  const isBegun = (at: string) => until(() => readdirSync(at).some((name) => name.endsWith('.unfinished')));

  test('is removed when the process that writes it is killed', async () => {
    const at = place();
    const running = writing(at);
    await isBegun(at);
    process.kill(worksFor(running), 'SIGKILL');
    expect((await running.ended).code).toBe(2);
    expect(readdirSync(at)).toEqual(['long.txt']);
  });

  test('is removed the next time when both processes are killed', async () => {
    const at = place();
    const running = writing(at);
    await isBegun(at);
    const working = worksFor(running);
    running.child.kill('SIGKILL');
    process.kill(working, 'SIGKILL');
    await running.ended;
    expect(readdirSync(at)).toEqual([expect.stringMatching(/^\.h\.jsonl\.gz\..*\.unfinished$/), 'long.txt']);
    expect((await start(['convert', ok, 'h.jsonl.gz'], at).ended).code).toBe(0);
    expect(readdirSync(at)).toEqual(['h.jsonl.gz', 'long.txt']);
  });
});
