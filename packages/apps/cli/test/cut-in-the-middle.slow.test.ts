// Slow: starts commands, and kills them at many moments.
/** Files and messages that are left of work that is cut off in the middle, also where the working process is killed. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { descendantsOf } from '../src/terminal/descendants.ts';
import { type Running, fifo, isRead, start, until, workplace, write } from './support/program.ts';

const { place, ok, violated } = workplace('cut-in-the-middle');

/** The working process of a waiting one. */
const worksFor = ({ child }: Running): number => descendantsOf(child.pid!)[0]!.pid;

const CUTS: Readonly<Record<string, (running: Running) => unknown>> = {
  'by a signal': ({ child }) => child.kill('SIGTERM'),
  'because the process that works is killed': (running) => process.kill(worksFor(running), 'SIGKILL'),
};

describe.concurrent.each(Object.keys(CUTS))('a check of several histories, cut off %s', unless('posix'), (how) => {
  const cutOff = async (output: string, ...before: readonly string[]) => {
    const at = place();
    const path = fifo(at);
    const running = start(['check', ...before, path, 'later.txt', '-l', 'ser,rc', '--output', output], at);
    await isRead(path);
    CUTS[how]!(running);
    return { ...(await running.ended), path };
  };

  test('a check of several histories, cut off %s reports each history in JUnit', async () => {
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

  test('a check of several histories, cut off %s reports each history in JSON', async () => {
    const { code, out, err, path } = await cutOff('json', ok);
    expect(code).toBe(2);
    const lines = out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ path: ok, verdict: 'satisfied', level: 'serializable,read-committed' }),
      { path, verdict: 'unknown', error: 'isolab was cut off before this was finished' },
      { path: 'later.txt', verdict: 'unknown', error: 'isolab was cut off before this was finished' },
    ]);
    expect(err).toContain('isolab: ended ');
    expect(err).toContain(`isolab: not finished: ${path}, later.txt.\n`);
  });

  test('a check of several histories, cut off %s reports each history in Markdown', async () => {
    const { code, out, path } = await cutOff('markdown');
    expect(code).toBe(2);
    expect(out.match(/^## .*$/gm)).toHaveLength(2);
    expect(out).toContain('could not be checked: isolab was cut off');
    expect(path).toContain('fifo');
  });
});

describe.concurrent.each(Object.keys(CUTS))('outputs in files of a check, cut off %s', unless('posix'), (how) => {
  test('outputs in files of a check that is cut off report each history, and nothing of an earlier run', async () => {
    const at = place();
    const path = fifo(at);
    const files = ['result.json', 'report.xml', 'summary.md', 'told.txt'];
    const forms = ['json', 'junit', 'markdown', 'text'];
    const asked = files.flatMap((file, i) => ['--output', `${forms[i]}=${file}`]);
    for (const file of files) write(join(at, file), 'of an earlier run\n');
    const words = ['check', ok, violated, path, 'later.txt', '-l', 'ser,rc', '--force', ...asked];
    const running = start(words, at);
    await isRead(path);
    expect(readdirSync(at)).toEqual(['fifo']);
    CUTS[how]!(running);
    const { code, out } = await running.ended;
    expect(code).toBe(1);
    expect(out).toMatch(/^satisfied .*\n(?:.*\n)*violated /);
    expect(readdirSync(at).toSorted()).toEqual(['fifo', ...files].toSorted());
    const [json, xml, markdown, text] = files.map((file) => readFileSync(join(at, file), 'utf8'));
    const lines = json!.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ path: ok, verdict: 'satisfied' }),
      expect.objectContaining({ path: violated, verdict: 'violated' }),
      { path, verdict: 'unknown', error: 'isolab was cut off before this was finished' },
      { path: 'later.txt', verdict: 'unknown', error: 'isolab was cut off before this was finished' },
    ]);
    expect(xml).toMatch(/^<\?xml [^]*<\/testsuites>\n$/);
    expect([...xml!.matchAll(/<testsuite name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      ok,
      violated,
      path,
      'later.txt',
    ]);
    expect(markdown!.match(/^## .*$/gm)).toHaveLength(4);
    expect(text!.match(/^unknown .*\n {2}isolab was cut off/gm)).toHaveLength(2);
  });

  test('a picture is absent', async () => {
    const at = place();
    const path = fifo(at);
    write(join(at, 'page.html'), 'of an earlier run\n');
    const running = start(['check', path, '-l', 'ser', '--force', '--output', 'html=page.html'], at);
    await isRead(path);
    CUTS[how]!(running);
    expect((await running.ended).code).toBe(2);
    expect(readdirSync(at)).toEqual(['fifo']);
  });
});

describe('outputs in files', unless('posix'), () => {
  test('outputs in files are written although standard output is unread', async () => {
    const at = place();
    const path = fifo(at);
    const running = start(['check', ok, path, '-l', 'ser', '--output', 'json=result.json'], at);
    running.child.stdout!.destroy();
    const { code } = await running.ended;
    expect(code).toBe(2);
    const lines = readFileSync(join(at, 'result.json'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { verdict: string }).verdict)).toEqual(['satisfied', 'unknown']);
  });

  test('outputs in files are absent when the whole program is killed', async () => {
    const at = place();
    const path = fifo(at);
    write(join(at, 'result.json'), 'of an earlier run\n');
    const running = start(['check', ok, path, '-l', 'ser', '--force', '--output', 'json=result.json'], at);
    await isRead(path);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(readdirSync(at)).toEqual(['fifo']);
  });

  test('outputs in files that a device does not take fail the run', unless('full-device'), async () => {
    const { code, err } = await start(['check', ok, '-l', 'ser', '--output', 'json=/dev/full'], place()).ended;
    expect(code).toBe(3);
    expect(err).toContain('isolab: /dev/full cannot be written: ');
  });
});

describe('an output that is being written', unless('posix'), () => {
  /** Writing a long one takes a while. */
  const writing = (at: string): Running => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `w(${i % 1000},${i},${i % 7},${i})\n`);
    return start(['convert', write(join(at, 'long.txt'), lines.join('')), 'h.jsonl.gz'], at);
  };
  const isBegun = (at: string) => until(() => readdirSync(at).some((name) => name.endsWith('.unfinished')));

  test('an output that is being written is removed when the process that writes it is killed', async () => {
    const at = place();
    const running = writing(at);
    await isBegun(at);
    process.kill(worksFor(running), 'SIGKILL');
    expect((await running.ended).code).toBe(2);
    expect(readdirSync(at)).toEqual(['long.txt']);
  });

  test('an output that is being written is removed the next time when both processes are killed', async () => {
    const at = place();
    const running = writing(at);
    await isBegun(at);
    const working = worksFor(running);
    process.kill(working, 'SIGSTOP'); // else it may see the other one end, and remove the file before it is killed itself
    running.child.kill('SIGKILL');
    process.kill(working, 'SIGKILL');
    await running.ended;
    expect(readdirSync(at)).toEqual([expect.stringMatching(/^\.h\.jsonl\.gz\..*\.unfinished$/), 'long.txt']);
    expect((await start(['convert', ok, 'h.jsonl.gz'], at).ended).code).toBe(0);
    expect(readdirSync(at)).toEqual(['h.jsonl.gz', 'long.txt']);
  });
});
