/**
 * Every command, cut off in every way: by signals, by pipes that nobody reads, by disks that are full, by limits of time and
 * memory. None of them may end as a success, none with the code of a violation unless one was found, and none may leave
 * anything behind. ISOLAB_LONG=1 tries every signal at many moments.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'isolab-cut-'));
afterAll(() => {
  if (hasDisk) execFileSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

const isLong = process.env['ISOLAB_LONG'] !== undefined;
const SIGNALS = isLong ? (['SIGTERM', 'SIGINT', 'SIGHUP'] as const) : (['SIGTERM'] as const);
const isWindows = process.platform === 'win32';

let numPlaces = 0;
/** A place of its own for each test. */
const place = (): string => {
  const made = join(folder, String(++numPlaces));
  mkdirSync(made);
  return made;
};
const write = (path: string, text: string): string => {
  writeFileSync(path, text);
  return path;
};
const fifo = (at: string, name = 'fifo'): string => {
  execFileSync('mkfifo', [join(at, name)]);
  return join(at, name);
};
const ok = write(join(folder, 'ok.txt'), 'w(1,1,0,0)\nr(1,1,1,1)\n');
const violated = write(join(folder, 'violated.txt'), 'r(1,7,0,0)\n');
const certificate = join(folder, 'certificate.json');
spawnSync(process.execPath, [main, 'check', ok, '-l', 'ser', '--certificate', certificate]);

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>;
  /** In the environment of all that it starts. */
  readonly mark: string;
}

function start(args: readonly string[], cwd: string, stdio: 'pipe' | readonly ('pipe' | number)[] = 'pipe'): Running {
  const mark = `${process.pid}-${numPlaces}-${Math.random()}`;
  const env = { ...process.env, ISOLAB_CUT: mark };
  const child = spawn(process.execPath, [main, ...args], { cwd, env, stdio: stdio as 'pipe' });
  let [out, err] = ['', ''];
  child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
  const ended = new Promise<{ code: number | string; out: string; err: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? 'nothing', out, err }));
  });
  return { child, ended, mark };
}

/** Who still lives of those that a program started. */
function leftOf(mark: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`ISOLAB_CUT=${mark}`);
    } catch {
      return false;
    }
  });
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Resolves once somebody reads a pipe, and goes on to read in vain until the test ends. */
async function isRead(path: string): Promise<void> {
  const holding = await new Promise<number>((resolve) => {
    const attempt = (): void => {
      try {
        resolve(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      } catch {
        setTimeout(attempt, 20);
      }
    };
    attempt();
  });
  pipes.push(holding);
}

/** Resolves once somebody writes into a pipe, of which no more is taken. */
async function isWritten(path: string): Promise<void> {
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  pipes.push(reading);
  const byte = Buffer.alloc(1);
  await until(() => {
    try {
      return readSync(reading, byte) === 1;
    } catch {
      return false;
    }
  });
}
const pipes: number[] = [];
afterAll(() => pipes.forEach(closeSync));

/** A database that answers every read with the same, or as it should, after a while; it keeps the mark of its tables. */
const client = (at: string, answer: number): string => {
  const script = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const values = new Map();
const store = new URL('mark.json', import.meta.url);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { kind, key, value } = JSON.parse(line);
  if (kind === 'write' && key === -1) writeFileSync(store, String(value));
  else if (kind === 'write') values.set(key, value);
  let reply = {};
  if (kind === 'read' && key === -1) reply = { value: existsSync(store) ? Number(readFileSync(store)) : null };
  else if (kind === 'read') reply = { value: ${answer} === 0 ? (values.get(key) ?? 0) : ${answer} };
  setTimeout(() => console.log(JSON.stringify(reply)), 2);
});`;
  return `exec:${process.execPath} ${write(join(at, 'client.mjs'), script)}`;
};
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

/** A lab with one experiment, whose checker takes its time. */
function lab(at: string): string {
  const root = join(at, 'lab');
  for (const name of ['benchmarks/one', 'datasets']) mkdirSync(join(root, name), { recursive: true });
  write(join(root, 'datasets/manifest.json'), '{"version":1,"datasets":[]}');
  const everywhere = (what: unknown): object => ({ ci: what, laptop: what, paper: what });
  const experiment = {
    id: 'one/slow',
    paper: 'one',
    figure: 'slow',
    title: 'Slow',
    claim: 'None.',
    chart: 'lines',
    level: 'causal',
    x: { label: 'sessions', scale: 'linear' },
    y: { label: 'time', scale: 'log', metric: 'wallMs' },
    grid: everywhere([2]),
    limits: everywhere({ seconds: 60, megabytes: 500 }),
    repeats: everywhere(1),
    history: { workload: 'general', set: { keys: 5 }, sessions: '$x', transactions: 2, level: 'serializable', seed: 1 },
    series: [{ name: 'Slow', checker: slow }],
    published: {},
    holds: [],
  };
  write(join(root, 'benchmarks/one/slow.json'), JSON.stringify(experiment));
  return root;
}
const slow = write(
  join(folder, 'slow.mjs'),
  `export default {
  info: { name: 'slow', title: 'takes its time', version: '1.0.0', apiVersion: 1, paper: null, levels: ['causal'],
    sound: true, complete: true, requires: [], options: {}, variants: {} },
  check() { for (;;); },
};`,
);

/** A command that goes on until it is cut off. */
interface Attempt {
  readonly args: readonly string[];
  /** Resolves once it is at work. */
  readonly underWay: (running: Running) => Promise<unknown>;
  /** What is in its place afterwards, besides the pipe. */
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

/** Every command that can be held up, and with a violation on record where it judges several histories. */
const HELD: Readonly<Record<string, (at: string) => Attempt | Promise<Attempt>>> = {
  stats: (at) => reading(at, (path) => ['stats', path]),
  check: (at) => reading(at, (path) => ['check', ok, path, '-l', 'ser']),
  'check --output junit': (at) => reading(at, (path) => ['check', ok, path, '-l', 'ser', '--output', 'junit']),
  compare: (at) => reading(at, (path) => ['compare', ok, path, '-l', 'ser', '--checkers', 'weave']),
  shrink: (at) => reading(at, (path) => ['shrink', path, 'out.jsonl', '-l', 'ser']),
  view: (at) => reading(at, (path) => ['view', path, 'out.html', '-l', 'ser']),
  playground: (at) => writing(at, (path) => ['playground', path]),
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
  bench: (at) => printing(['bench', 'all', '--root', lab(at), '--results', 'results.jsonl'], ['lab', 'results.jsonl']),
  'bench-worker': async (at) => {
    let connected = (): void => {};
    const connection = new Promise<void>((resolve) => (connected = resolve));
    const server = createServer(() => connected()).listen(0, '127.0.0.1');
    server.unref();
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const args = ['bench-worker', '--queue', `redis://127.0.0.1:${port}`, '--root', lab(at)];
    return { args, underWay: () => connection, keeps: ['lab'] };
  },
  'bench-diff': (at) => reading(at, (path) => ['bench-diff', path, path]),
  report: (at) => {
    const results = join(lab(at), 'reports/results');
    mkdirSync(results, { recursive: true });
    const path = fifo(results, 'ci.jsonl');
    return { args: ['report', '--root', join(at, 'lab')], underWay: () => isRead(path), keeps: ['lab'] };
  },
  datasets: (at) => reading(at, (path) => ['datasets', 'add', path, '--id', 'a/b', '--root', lab(at)], ['lab']),
  new: () => ({
    args: ['new', 'checker', 'my-own'],
    underWay: ({ child }) => new Promise((resolve) => child.stderr!.once('data', resolve)),
  }),
  tour: () => printing(['tour']),
};
const JUDGING: Readonly<Record<string, (at: string) => Attempt>> = {
  check: (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser']),
  'check --output json': (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser', '--output', 'json']),
  'check --output junit': (at) => reading(at, (path) => ['check', violated, path, '-l', 'ser', '--output', 'junit']),
  compare: (at) => reading(at, (path) => ['compare', violated, path, '-l', 'ser', '--checkers', 'weave']),
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

describe.skipIf(isWindows).concurrent.each(SIGNALS)('%s', (signal) => {
  test.each(Object.keys(HELD))('ends isolab %s with 2', { timeout: 60_000 }, async (name) => {
    const at = place();
    expect(await cutBy(signal, await HELD[name]!(at), at)).toBe(2);
  });

  test.each(Object.keys(JUDGING))('keeps the violation that isolab %s found', { timeout: 60_000 }, async (name) => {
    const at = place();
    expect(await cutBy(signal, JUDGING[name]!(at), at)).toBe(1);
  });
});

/** Commands that are over at once; nothing can hold them up. */
const QUICK: Readonly<Record<string, readonly string[]>> = {
  workloads: ['workloads'],
  levels: ['levels'],
  checkers: ['checkers'],
  formats: ['formats'],
  'bench --list': ['bench', '--list', '--root', join(folder, 'lab')],
  'datasets list': ['datasets', 'list', '--root', join(folder, 'lab')],
  '--help': ['--help'],
  '--version': ['--version'],
};
lab(folder);

describe.skipIf(isWindows).concurrent('a signal at any moment', () => {
  test.each(Object.keys(QUICK))(
    'ends isolab %s with 0 only if all of it was done',
    { timeout: 120_000 },
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

/** Commands that print something and write nothing, or what they write is in their place. */
const PRINTING: Readonly<Record<string, readonly string[]>> = {
  ...QUICK,
  stats: ['stats', ok],
  check: ['check', ok, '-l', 'ser'],
  'check --output json': ['check', ok, '-l', 'ser', '--output', 'json'],
  'check --output junit': ['check', ok, '-l', 'ser', '--output', 'junit'],
  'check --output markdown': ['check', ok, '-l', 'ser', '--output', 'markdown'],
  'check --level all': ['check', ok, '-l', 'all'],
  compare: ['compare', ok, '-l', 'ser', '--checkers', 'weave,dbcop'],
  playground: ['playground', 'page.html'],
  verify: ['verify', ok, certificate],
  'convert -': ['convert', ok, '-', '--to', 'isolab'],
  generate: ['generate', 'general', 'h.jsonl', '--transactions', '1'],
  'generate -': ['generate', 'general', '-', '--to', 'isolab'],
  'view, of what is satisfied': ['view', ok, 'page.html', '-l', 'ser'],
  elle: ['elle', ok],
  report: ['report', '--root', join(folder, 'lab'), '--no-png'],
};
const VIOLATED: Readonly<Record<string, readonly string[]>> = {
  check: ['check', violated, '-l', 'ser'],
  'check --output json': ['check', violated, '-l', 'ser', '--output', 'json'],
  'check --output junit': ['check', violated, '-l', 'ser', '--output', 'junit'],
  'check --find-all': ['check', violated, '-l', 'ser', '--find-all'],
  'check, another one before': ['check', ok, violated, '-l', 'ser'],
  compare: ['compare', violated, '-l', 'ser', '--checkers', 'weave,dbcop'],
  shrink: ['shrink', violated, 'out.jsonl', '-l', 'ser'],
  'shrink -': ['shrink', violated, '-', '-l', 'ser'],
  view: ['view', violated, 'out.html', '-l', 'ser'],
  'view -': ['view', violated, '-', '-l', 'ser'],
  elle: ['elle', violated],
};

/** With standard output or standard error that nobody reads. */
async function unread(args: readonly string[], stream: 'stdout' | 'stderr'): Promise<number | string> {
  const running = start(args, place());
  running.child[stream]!.destroy();
  const { code } = await running.ended;
  expect(leftOf(running.mark)).toEqual([]);
  return code;
}

async function onFullDisk(args: readonly string[], stream: 'stdout' | 'stderr'): Promise<number | string> {
  const full = openSync('/dev/full', 'w');
  try {
    const running = start(args, place(), stream === 'stdout' ? ['pipe', full, 'pipe'] : ['pipe', 'pipe', full]);
    return (await running.ended).code;
  } finally {
    closeSync(full);
  }
}

describe.skipIf(isWindows).concurrent('standard output that nobody reads', { timeout: 60_000 }, () => {
  test.each(Object.keys(PRINTING))('is no success of isolab %s', async (name) => {
    expect(await unread(PRINTING[name]!, 'stdout')).toBe(2);
  });
  test.each(Object.keys(VIOLATED))('hides no violation from isolab %s', async (name) => {
    expect(await unread(VIOLATED[name]!, 'stdout')).toBe(1);
  });
});

describe.skipIf(!existsSync('/dev/full')).concurrent('standard output on a full disk', { timeout: 60_000 }, () => {
  test.each(Object.keys(PRINTING))('is a failure of isolab %s', async (name) => {
    expect(await onFullDisk(PRINTING[name]!, 'stdout')).toBe(3);
  });
  test.each(Object.keys(VIOLATED))('hides no violation from isolab %s', async (name) => {
    expect(await onFullDisk(VIOLATED[name]!, 'stdout')).toBe(1);
  });
});

/** Every command says something on standard error when it is called wrongly. */
const WRONG: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ['stats', 'nowhere'],
    ['check', 'nowhere', '-l', 'ser'],
    ['compare', 'nowhere', '-l', 'ser', '--checkers', 'weave'],
    ['shrink', 'nowhere', 'out', '-l', 'ser'],
    ['view', 'nowhere', 'out', '-l', 'ser'],
    ['playground', 'nowhere/page.html'],
    ['verify', 'nowhere', certificate],
    ['convert', 'nowhere', 'out.jsonl'],
    ['generate', 'nothing', 'out.jsonl'],
    ['collect', 'out.jsonl', '--db', 'nothing:'],
    ['run', 'out.jsonl', '--db', 'nothing:'],
    ['elle', 'nowhere'],
    ['bench', 'nothing', '--root', join(folder, 'lab')],
    ['bench-worker'],
    ['bench-diff', 'nowhere', 'nowhere'],
    ['report', '--scale', 'none', '--root', join(folder, 'lab')],
    ['datasets', 'get', 'nothing', '--root', join(folder, 'lab')],
    ['workloads', '--nonsense'],
    ['levels', '--nonsense'],
    ['checkers', '--nonsense'],
    ['formats', '--nonsense'],
    ['new', 'nothing', 'x'],
    ['tour', '--nonsense'],
    ['nonsense'],
  ].map((args) => [args.join(' '), args]),
);

describe.skipIf(!existsSync('/dev/full')).concurrent('a failure stays one', { timeout: 60_000 }, () => {
  test.each(Object.keys(WRONG))('where nobody reads or nothing takes what is said: isolab %s', async (name) => {
    expect(await unread(WRONG[name]!, 'stderr')).toBe(3);
    expect(await onFullDisk(WRONG[name]!, 'stderr')).toBe(3);
  });
});

/** A disk of our own that is soon full; only root may have one. */
const disk = join(folder, 'disk');
function isMounted(): boolean {
  try {
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
const hasDisk = process.platform === 'linux' && process.getuid?.() === 0 && isMounted();

describe.skipIf(!hasDisk)('files on a full disk', { timeout: 60_000 }, () => {
  const long = join(folder, 'long.txt');
  writeFileSync(long, Array.from({ length: 5000 }, (_, i) => `w(${i},1,${i % 7},${i})\n`).join(''));

  const WRITING: Readonly<Record<string, readonly [code: number, ...args: readonly string[]]>> = {
    convert: [3, 'convert', long, 'out.jsonl'],
    'convert to a directory': [3, 'convert', long, 'out', '--to', 'cobra-log', '--allow-lossy'],
    generate: [3, 'generate', 'general', 'out.jsonl'],
    playground: [3, 'playground', 'out.html'],
    view: [1, 'view', violated, 'out.html', '-l', 'ser'],
    shrink: [1, 'shrink', violated, 'out.jsonl', '-l', 'ser'],
    'check --certificate': [3, 'check', ok, '-l', 'ser', '--certificate', 'out.json'],
    'check --summary': [3, 'check', ok, '-l', 'ser', '--summary', 'out.md'],
    collect: [3, 'collect', 'out.jsonl', '--db', client(folder, 0), '--sessions', '1'],
    run: [3, 'run', 'out.jsonl', '--db', client(folder, 0), '--sessions', '1'],
    report: [3, 'report', '--root', 'lab', '--no-png'],
    bench: [3, 'bench', 'all', '--root', 'lab', '--results', 'out.jsonl'],
    'datasets add': [3, 'datasets', 'add', ok, '--id', 'a/b', '--root', 'lab'],
  };
  const JOURNALS = new Set(['collect', 'run', 'bench']);

  test.each(Object.keys(WRITING))('are not there after isolab %s', async (name) => {
    const [code, ...args] = WRITING[name]!;
    for (const each of readdirSync(disk)) rmSync(join(disk, each), { recursive: true });
    if (args.includes('lab')) cpSync(join(folder, 'lab'), join(disk, 'lab'), { recursive: true });
    const before = snapshot(disk);
    try {
      writeFileSync(join(disk, 'rest'), Buffer.alloc(1 << 20));
    } catch {
      // Now it is full.
    }
    const running = start(args, disk);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code });
    expect(ended.err).toMatch(/ENOSPC|no space left/);
    rmSync(join(disk, 'rest'));
    if (!JOURNALS.has(name)) expect(snapshot(disk)).toEqual(before);
    expect(leftOf(running.mark)).toEqual([]);
  });
});

function snapshot(at: string): string[] {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(at, name)).isFile()).toSorted();
}

describe.concurrent('a limit', { timeout: 60_000 }, () => {
  const judging = [
    ['check', 'PATH', '-l', 'causal'],
    ['shrink', 'PATH', 'out.jsonl', '-l', 'causal'],
    ['view', 'PATH', 'out.html', '-l', 'causal'],
  ];
  test.each(judging)('of time: isolab %s', async (command, ...rest) => {
    const args = rest.map((word) => (word === 'PATH' ? ok : word));
    const at = place();
    expect((await start([command, ...args, '-c', slow, '--time', '300ms'], at).ended).code).toBe(2);
    expect(readdirSync(at)).toEqual([]);
  });

  test.each(judging)('of memory: isolab %s', async (command, ...rest) => {
    const args = rest.map((word) => (word === 'PATH' ? ok : word));
    expect((await start([command, ...args, '--memory', '1MB'], place()).ended).code).toBe(2);
  });

  test('of steps', async () => {
    expect((await start(['check', ok, '-l', 'ser', '--steps', '0'], place()).ended).code).toBe(2);
  });

  test('of one checker among several', async () => {
    const args = ['compare', ok, '-l', 'causal', '--checkers', slow, '--time', '300ms'];
    expect((await start(args, place()).ended).code).toBe(2);
  });
});
