/** The recorders in their own languages: each records real runs, which isolab then judges. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { type EmbeddedServer, OUTCOMES, startEmbedded } from '@isolab/collector';
import { outcomeOf } from '@isolab/engines';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { check, open } from 'isolab';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Commands, LANGUAGES, type Language } from './support/languages.ts';
import { type StallingProxy, startStallingProxy } from './support/stalling-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-recorders-'));
let server: EmbeddedServer;
let proxy: StallingProxy;

beforeAll(async () => {
  server = await startEmbedded();
  const { hostname, port } = new URL(server.address);
  proxy = await startStallingProxy(hostname, Number(port));
});

afterAll(async () => {
  proxy?.close();
  await server?.database.close();
  rmSync(folder, { recursive: true, force: true });
});

const schema = createRequire(import.meta.url)('@isolab/formats/history.schema.json') as object;
const validate = new Ajv2020({ strict: false }).compile(schema);

interface Line {
  readonly session?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly ops?: readonly (readonly unknown[])[];
  readonly begin?: number;
  readonly begun?: number;
  readonly committing?: number;
  readonly end?: number;
}

/** The whole lines of a file, each as the schema has it. */
function linesOf(path: string): Line[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const parsed = JSON.parse(line) as Line;
    if (!validate(parsed)) expect({ line, errors: validate.errors }).toBeNull();
    return parsed;
  });
}

/** SQLSTATEs of PostgreSQL: those that say of a COMMIT that it was refused, as isolab's own driver has it, and all others. */
function codesAtCommit(): { readonly refused: string[]; readonly others: string[] } {
  const [postgres] = OUTCOMES;
  const codes = postgres!.rows.map(({ code }) => code.padEnd(5, '0'));
  const isRefused = (code: string): boolean => outcomeOf(postgres!, code, 'commit') === 'aborted';
  return { refused: codes.filter(isRefused), others: codes.filter((code) => !isRefused(code)) };
}

let files = 0;

describe.each(LANGUAGES)('$title', (language: Language) => {
  describe('the recorder records', language.skipping, () => {
    let commands: Commands;
    let running: ChildProcessWithoutNullStreams | null = null;
    let path: string;

    beforeAll(() => {
      commands = language.prepare();
    });

    afterEach(() => {
      running?.kill('SIGKILL');
      proxy.cut();
    });

    function start(...args: readonly string[]): ChildProcessWithoutNullStreams {
      return (running = spawned([...commands.program, ...args]));
    }

    function spawned([program, ...args]: readonly string[]): ChildProcessWithoutNullStreams {
      const { username, password, host, pathname } = new URL(server.address);
      const stalling = new URL(server.address);
      stalling.port = String(proxy.port);
      const urls = {
        POSTGRES_URL: server.address,
        STALLING_URL: stalling.href,
        JDBC_URL: `jdbc:postgresql://${host}${pathname}?user=${username}&password=${password}`,
      };
      const env = { ...process.env, ...(!language.hasOwnDatabase && urls) };
      const child = spawn(program!, args, { env, cwd: folder });
      child.stderr.pipe(process.stderr);
      return child;
    }

    async function run(mode: string, ...args: readonly string[]): Promise<string> {
      const child = start(mode, ...args);
      const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect(child.exitCode).toBe(0);
      return said.trim();
    }

    const fresh = (): string => (path = join(folder, `${++files}.jsonl`));

    test('the recorder records concurrent sessions at SERIALIZABLE', async () => {
      await run('serializable', fresh());
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
      const opened = await open(path);
      const result = await check(opened, { level: 'serializable' });
      expect(result).toMatchObject({ verdict: 'satisfied', cutOff: null });
      const lines = linesOf(path);
      const committed = lines.filter(({ outcome }) => outcome === 'committed').length;
      const aborted = lines.filter(({ status }) => status === 'aborted').length;
      expect(result.evidence).toMatchObject({ sessions: 4, transactions: committed, timed: committed });
      expect(committed).toBe(4 * 30 - 4 * 4);
      expect(aborted).toBeGreaterThanOrEqual(4 * 4);
    });

    test('the recorder records when transactions had their snapshots and asked to commit', async () => {
      await run('serializable', fresh());
      const transactions = linesOf(path).filter(({ ops }) => ops !== undefined);
      for (const { status, ops, begin, begun, committing, end = Infinity } of transactions) {
        expect(begun !== undefined).toBe(ops![0]?.[0] === 'r' || ops![0]?.[0] === 'get');
        expect(committing !== undefined).toBe(status === 'unknown');
        const times = [begin, begun ?? begin, committing ?? begun ?? begin, end];
        expect(times).toEqual(times.toSorted((a, b) => a! - b!));
      }
      expect(transactions.filter(({ begun }) => begun !== undefined).length).toBeGreaterThan(100);
      const opened = await open(path);
      for (const level of ['strict-serializable', 'strong-snapshot-isolation'] as const)
        expect((await check(opened, { level })).verdict).toBe('satisfied');
    });

    test('an update that is lost at READ COMMITTED', async () => {
      await run('lost-update', fresh());
      linesOf(path);
      const opened = await open(path);
      expect((await check(opened, { level: 'read-committed' })).verdict).toBe('satisfied');
      const { verdict, anomalies } = await check(opened, { level: 'snapshot-isolation' });
      expect([verdict, anomalies[0]?.name]).toEqual(['violated', 'lost-update']);
    });

    /** Resolves when COMMIT was sent, which stays unanswered. */
    async function stalled(child: ChildProcessWithoutNullStreams): Promise<void> {
      const ended = once(child, 'exit').then(([code]) => expect.unreachable(`The program ended with ${code}.`));
      await Promise.race([ended, language.hasOwnDatabase ? once(child.stdout, 'data') : proxy.stalled()]);
      const lines = linesOf(path).filter(({ ops }) => JSON.stringify(ops)?.includes('stalled'));
      expect(lines).toMatchObject([{ status: 'unknown' }]);
    }

    test('a COMMIT whose answer is lost', async () => {
      const child = start('lost-commit', fresh());
      await stalled(child);
      if (language.hasOwnDatabase) child.stdin.end();
      else proxy.cut();
      const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      expect([said.trim(), child.exitCode]).toEqual(['unknown', 0]);
      const result = await check(await open(path), { level: 'serializable' });
      expect(result).toMatchObject({ verdict: 'satisfied', cutOff: null });
      expect(linesOf(path).filter(({ outcome }) => outcome !== undefined)).toHaveLength(1);
    });

    test('a COMMIT after a statement that failed', async () => {
      await run('failed', fresh());
      const result = await check(await open(path), { level: 'serializable' });
      expect(result).toMatchObject({ verdict: 'satisfied', cutOff: null });
      const lines = linesOf(path);
      expect(lines.filter(({ session }) => session !== undefined).length).toBeGreaterThanOrEqual(3);
      if (!language.hasOwnDatabase) expect(lines.filter(({ outcome }) => outcome === 'committed')).toHaveLength(1);
    });

    test('values of all kinds, and not those that could be spelled in two ways', async () => {
      expect(await run('values', fresh())).toBe('6');
      const [line] = linesOf(path).filter(({ ops }) => ops?.length === 6);
      // It writes first, which may not have been sent when the recorder hears of it.
      expect(line).toMatchObject({ committing: expect.any(Number) });
      expect(line).not.toHaveProperty('begun');
      expect(readFileSync(path, 'utf8')).toContain(',9223372036854775807]');
      expect(line!.ops).toMatchObject([
        ['w', 'é "quoted"\n\\ \u0001\u007f 😀', expect.any(Number)],
        ['w', -5, '</script>\u2028'],
        ['w', 'nothing', null],
        ['put', 't', 'k', { f: 0.5, small: 1e-7, b: true, n: null, s: 'é"', i: -7, w: 2 }],
        ['put', 't', 7, null],
        ['get', 't', 8, null],
      ]);
      await open(path);
    });

    const examples = language.hasNoExample ? [] : ['the example'];
    test.each(examples)('%s of the documentation', async () => {
      await run('values', join(folder, 'bank'));
      rmSync(join(folder, 'bank'));
      const child = (running = spawned(commands.example));
      await once(child, 'exit');
      expect(child.exitCode).toBe(0);
      const [file] = readdirSync(folder).filter((name) => /^history-\d+\.jsonl$/.test(name));
      const ops = linesOf(join(folder, file!)).flatMap((line) => line.ops ?? []);
      const [alice, changed] = [100, 70].map((balance) => ['accounts', 1, { owner: 'alice', balance }]);
      expect(ops).toEqual([
        ['get', ...alice!],
        ['put', ...changed!],
      ]);
      const opened = await open(join(folder, file!));
      expect(await check(opened, { level: 'serializable', allowVacuous: true })).toMatchObject({
        verdict: 'satisfied',
        cutOff: null,
        evidence: { transactions: 1 },
      });
      rmSync(join(folder, file!));
    });

    test('until it is killed', async () => {
      const child = start('killed', fresh());
      await stalled(child);
      await expect.poll(() => linesOf(path).length, { timeout: 120_000 }).toBeGreaterThan(200);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const opened = await open(path);
      const result = await check(opened, { level: 'serializable' });
      expect(result).toMatchObject({
        verdict: 'unknown',
        cutOff: expect.stringContaining('it was cut off after line'),
      });
      expect((await check(opened, { level: 'serializable', allowCutOff: true })).verdict).toBe('satisfied');
    });

    test('the recorder records as aborted the transactions that the database refused to commit, and no others', async () => {
      const { refused, others } = codesAtCommit();
      const said = (await run('refusals', ...refused, ...others)).split(' ');
      expect(said.filter((code) => !refused.includes(code))).toEqual([]);
      expect(said).toEqual(expect.arrayContaining(['40001', '40P01', '23505', '25P02']));
    });
  });
});

const [, python] = LANGUAGES;
describe('several processes', python!.skipping, () => {
  test('several processes are one history, with the times of one clock', async () => {
    const run = join(folder, 'run');
    mkdirSync(run);
    const [program, ...command] = python!.prepare().program;
    const start = async (mode: string): Promise<void> => {
      const child = spawn(program!, [...command, mode, join(run, 'app-{pid}.jsonl')], { stdio: 'inherit' });
      await once(child, 'exit');
      expect(child.exitCode).toBe(0);
    };
    await start('serializable');
    await Promise.all([start('joined'), start('joined')]);
    const opened = await open(run);
    expect(opened.format).toBe('recordings');
    const times = process.platform === 'linux' ? 'strict-serializable' : 'serializable';
    const result = await check(opened, { level: times });
    expect(result).toMatchObject({ verdict: 'satisfied', cutOff: null, evidence: { sessions: 8 } });
  });
});
