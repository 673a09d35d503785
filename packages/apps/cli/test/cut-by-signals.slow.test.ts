// Slow: starts every command and sends it signals.
/**
 * Every command, cut off by signals: none of them may end as a success, none with the code of a violation unless one
 * was found, and none may leave anything behind. ISOLAB_LONG=1 tries every signal at many moments.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { type Running, fifo, isRead, isWritten, leftOf, start, until, workplace } from './support/program.ts';
import { client, lab, quickCommands } from './support/subjects.ts';

const { folder, place, ok, violated, certificate } = workplace('cut-by-signals');
/** A plug-in whose test takes seconds. */
const CHECKER = fileURLToPath(new URL('../template/checker/my-checker.mjs', import.meta.url));
const isLong = process.env['ISOLAB_LONG'] !== undefined;
const SIGNALS = isLong ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGTERM'] as const);

/** A command that continues until it is cut off. */
interface Attempt {
  readonly args: readonly string[];
  /** Resolves once it is at work. */
  readonly underWay: (running: Running) => Promise<unknown>;
  /** Content of its place afterwards, besides the pipe. */
  readonly keeps?: readonly string[];
}

const reading = (at: string, args: (path: string) => readonly string[], keeps: readonly string[] = []): Attempt => {
  const path = fifo(at);
  return { args: args(path), underWay: () => isRead(path), keeps };
};
const writing = (at: string, args: (path: string) => readonly string[]): Attempt => {
  const path = fifo(at);
  return { args: args(path), underWay: () => isWritten(path) };
};
const printing = (args: readonly string[], keeps: readonly string[] = []): Attempt => ({
  args,
  underWay: ({ child }) => new Promise((resolve) => child.stdout!.once('data', resolve)),
  keeps,
});

const collecting = (at: string, command: 'collect' | 'run', answer: number): Attempt => {
  const path = join(at, 'h.jsonl');
  return {
    args: [
      command,
      path,
      '--db',
      client(at, answer),
      '--sessions',
      '1',
      '--transactions',
      '100000',
      '--connect-timeout',
      '60s',
    ],
    underWay: () => until(() => existsSync(path) && readFileSync(path, 'utf8').split('\n').length > 5),
    keeps: ['client.mjs', 'mark.json', 'h.jsonl'],
  };
};

/** Every command that can be held up, and with a violation on record where it judges several histories. */
const HELD: Readonly<Record<string, (at: string) => Attempt | Promise<Attempt>>> = {
  stats: (at) => reading(at, (path) => ['stats', path]),
  check: (at) => reading(at, (path) => ['check', ok, path, '-l', 'ser']),
  'check --output junit': (at) => reading(at, (path) => ['check', ok, path, '-l', 'ser', '--output', 'junit']),
  compare: (at) => reading(at, (path) => ['check', ok, path, '-l', 'ser', '--checker', 'weave,']),
  shrink: (at) => reading(at, (path) => ['explain', path, 'out.jsonl', '-l', 'ser']),
  view: (at) => reading(at, (path) => ['explain', path, 'out.html', '-l', 'ser']),
  playground: (at) => writing(at, (path) => ['new', 'playground', path]),
  verify: (at) => reading(at, (path) => ['verify', path, certificate]),
  'verify, its certificate': (at) => reading(at, (path) => ['verify', ok, path]),
  convert: (at) => reading(at, (path) => ['convert', path, 'out.jsonl']),
  'convert, its output': async (at) => {
    await start(['generate', 'general', 'h.jsonl'], at).ended;
    return { ...writing(at, (path) => ['convert', 'h.jsonl', path, '--to', 'isolab']), keeps: ['h.jsonl'] };
  },
  generate: (at) => writing(at, (path) => ['generate', 'general', path, '--to', 'isolab']),
  collect: (at) => collecting(at, 'collect', 0),
  run: (at) => collecting(at, 'run', 0),
  elle: (at) => reading(at, (path) => ['elle', path]),
  bench: (at) => printing(['bench', 'all', '--root', lab(at), '--out', 'results.jsonl'], ['lab', 'results.jsonl']),
  'bench-worker': async (at) => {
    let connected = (): void => {};
    const connection = new Promise<void>((resolve) => (connected = resolve));
    const server = createServer(() => connected()).listen(0, '127.0.0.1');
    server.unref();
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const args = ['bench', 'worker', '--queue', `redis://127.0.0.1:${port}`, '--root', lab(at)];
    return { args, underWay: () => connection, keeps: ['lab'] };
  },
  'bench-diff': (at) => reading(at, (path) => ['bench', 'diff', path, path]),
  report: (at) => {
    const results = join(lab(at), 'reports/results');
    mkdirSync(results, { recursive: true });
    const path = fifo(results, 'ci.jsonl');
    return { args: ['bench', 'report', '--root', join(at, 'lab')], underWay: () => isRead(path), keeps: ['lab'] };
  },
  datasets: (at) =>
    reading(at, (path) => ['bench', 'datasets', 'add', path, '--name', 'a/b', '--root', lab(at)], ['lab']),
  new: () => ({
    args: ['new', 'checker', 'my-own', '--package'],
    underWay: ({ child }) => new Promise((resolve) => child.stderr!.once('data', resolve)),
  }),
  'test-plugin': () => printing(['test', CHECKER]),
  tour: () => printing(['tour']),
};
const JUDGING: Readonly<Record<string, (at: string) => Attempt>> = {
  check: (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser']),
  'check --output json': (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser', '--output', 'json']),
  'check --output junit': (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser', '--output', 'junit']),
  compare: (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser', '--checker', 'weave,']),
  elle: (at) => reading(at, (path) => ['elle', violated, path]),
  run: (at) => collecting(at, 'run', 7),
};

async function cutBy(signal: NodeJS.Signals, attempt: Attempt, at: string): Promise<number | string> {
  const running = start(attempt.args, at);
  await attempt.underWay(running);
  const begin = Date.now();
  running.child.kill(signal);
  const { code } = await running.ended;
  expect(Date.now() - begin).toBeLessThan(5000);
  expect(leftOf(running.mark)).toEqual([]);
  const left = readdirSync(at).filter((name) => name !== 'fifo');
  expect(left.filter((name) => attempt.keeps?.includes(name) !== true)).toEqual([]);
  return code;
}

describe.concurrent.each(SIGNALS)('%s', unless('posix'), (signal) => {
  test.each(Object.keys(HELD))('a signal ends isolab %s with 2', async (name) => {
    const at = place();
    expect(await cutBy(signal, await HELD[name]!(at), at)).toBe(2);
  });

  test.each(Object.keys(JUDGING))('a signal keeps the violation that isolab %s found', async (name) => {
    const at = place();
    expect(await cutBy(signal, JUDGING[name]!(at), at)).toBe(1);
  });
});

test('a command that stands still at its end leaves no lock', unless('posix'), async () => {
  const at = place();
  const { args, underWay, keeps } = collecting(at, 'collect', 0);
  const running = start(args, at);
  await underWay(running);
  for (const pid of leftOf(running.mark)) if (Number(pid) !== running.child.pid) process.kill(Number(pid), 'SIGSTOP');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(2);
  expect(readdirSync(at).toSorted()).toEqual([...keeps!].toSorted());
});

const QUICK = quickCommands(lab(folder));

describe.concurrent('a signal at any moment', unless('posix'), () => {
  test.each(Object.keys(QUICK))(
    'a signal at any moment ends isolab %s with 0 only if all of it was done',
    async (name) => {
      const whole = await start(QUICK[name]!, place()).ended;
      expect(whole).toMatchObject({ code: 0, err: '' });
      for (const signal of SIGNALS) {
        for (let attempt = 0; attempt < (isLong ? 20 : 1); attempt++) {
          const at = place();
          const running = start(QUICK[name]!, at);
          setTimeout(() => running.child.kill(signal), Math.random() * 600);
          const { code, out } = await running.ended;
          // Before it could say so, the system ends it.
          expect([0, 2, signal]).toContain(code);
          if (code === 0) expect(out).toBe(whole.out);
          expect(readdirSync(at)).toEqual([]);
        }
      }
    },
  );
});
