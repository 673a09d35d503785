import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { unless } from '@isolab/needs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { isolab } from './support/isolab.ts';

const root = resolve(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
const page = readFileSync(join(root, 'docs/record.md'), 'utf8');

describe('isolab record', () => {
  let server: EmbeddedServer;
  const record = (...words: readonly string[]) =>
    isolab('record', join(folder, 'r.jsonl'), '--force', '--db', server.address, '--listen', '0', ...words);
  const npmTest = ['--', 'npm', '--prefix', folder, 'test', '--silent'];

  beforeAll(async () => {
    server = await startEmbedded();
    cpSync(join(root, 'packages/field/record/example'), folder, { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await server?.database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('isolab record prints the report of docs/record.md for the example, before and after it is fixed', async () => {
    const html = join(folder, 'r.html');
    const before = await record('--output', `html=${html}`, ...npmTest);
    expect(before.code).toBe(ExitCode.Violated);
    const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '#');
    for (const line of page.split('```text\n')[1]!.split('```')[0]!.split('\n').slice(1))
      expect(withoutNumbers(before.out)).toContain(withoutNumbers(line.replace('…', '')));
    expect(readFileSync(html, 'utf8')).toContain('The application met 1 kind of anomaly');

    const shop = join(folder, 'shop.mjs');
    const mended = /`buy` to `([^`]+)`/.exec(page)![1]!;
    writeFileSync(shop, readFileSync(shop, 'utf8').replace(mended.replace(' for update', ''), mended));
    const after = await record('--db', 'embedded', '--output', `html=${html}`, ...npmTest);
    expect(after.out).toContain('No anomaly was found: the recorded history is serializable.');
    expect(after.code).toBe(ExitCode.Satisfied);
    expect(readFileSync(html, 'utf8')).toContain('The application met no anomaly, but could meet 1');
  });

  test('isolab record finds two lost updates in the example on MariaDB', unless('mariadb'), async () => {
    const options = ['--force', '--db', 'mariadb', '--listen', '0'];
    const { code, out } = await isolab(
      'record',
      join(folder, 'm.jsonl'),
      ...options,
      '--',
      'node',
      join(folder, 'mariadb.mjs'),
    );
    expect(code).toBe(ExitCode.Violated);
    expect(out).toContain('MariaDB kept its promise');
    expect(out).toMatch(/Lost update, 2 times\. T\d reads items\/1 = \{stock: 100\}, and so does T\d;/);
    expect(out).toContain('items.stock: 4 decrements, only 2 counted');
    for (const sql of ['select stock from items where id = ?', 'update items set stock = ? where id = ?'])
      expect(out.split(`    ${sql}\n`)).toHaveLength(3);
  });

  test('isolab record prints no password of an address', async () => {
    const url = new URL(server.address);
    const { password } = url;
    url.searchParams.set('password', password);
    for (const address of [server.address, url.href]) {
      const { out, err } = await record('--db', address, '--skip', 'check', '--', 'true');
      expect(err).toContain('Connect the application to postgres://');
      expect(out + err).not.toContain(password);
    }
  });

  test('isolab record watches while it records: an alarm comes before the command ends, and the complete file is judged as ever', async () => {
    const program = join(folder, 'lose.mjs');
    writeFileSync(
      program,
      `import { existsSync } from 'node:fs';
      import pg from 'pg';
      const connect = async () => {
        const client = new pg.Client(process.env.DATABASE_URL);
        await client.connect();
        return client;
      };
      const [a, b] = [await connect(), await connect()];
      await a.query('create table if not exists stock (id int primary key, n int)');
      await a.query('delete from stock');
      await a.query('insert into stock values (1, 100)');
      for (const client of [a, b]) await client.query('begin');
      const seen = await Promise.all([a, b].map((client) => client.query('select n from stock where id = 1')));
      for (const [i, client] of [a, b].entries()) {
        await client.query('update stock set n = $1 where id = 1', [seen[i].rows[0].n - 1 - i]);
        await client.query('commit');
      }
      for (let i = 0; i < 400 && !existsSync(process.argv[2]); i++) await new Promise((wait) => setTimeout(wait, 50));
      if (!existsSync(process.argv[2])) process.exit(7); // no alarm came
      for (const client of [a, b]) await client.end();`,
    );
    const alarm = join(folder, 'r.jsonl.watch', 'alarms', '1', 'certificate.json');
    const watched = await record('--watch', 'serializable', '--', 'node', program, alarm);
    expect(watched.err).toMatch(/ALARM 1: serializable is violated at line \d+ \(.*stock\/1/);
    expect(watched.err).not.toContain('exit code 7');
    expect(watched.out).toMatch(/Checked while recording: \d+ transactions, 1 alarm\./);
    expect(watched.out).toContain('Lock the row when it is read');
    expect(watched.code).toBe(ExitCode.Violated);
    const history = join(folder, 'r.jsonl.watch', 'alarms', '1', 'history.jsonl');
    expect((await isolab('verify', history, alarm)).code).toBe(ExitCode.Satisfied);
    const checked = await isolab('check', join(folder, 'r.jsonl'), '--level', 'serializable');
    expect(checked.code).toBe(ExitCode.Violated);
  });

  /** Runs the program with two buyers until it is interrupted. */
  async function interrupted(signals: number) {
    const words = ['record', join(folder, 'c.jsonl'), '--force', '--db', server.address, '--listen', '0'];
    const child = spawn(process.execPath, [join(root, 'packages/apps/cli/isolab.cjs'), ...words]);
    let [out, err] = ['', ''];
    child.stdout.on('data', (bytes) => (out += String(bytes)));
    const address = new Promise<URL>((found) =>
      child.stderr.on('data', (bytes) => {
        const shown = /postgres:\/\/\S+/.exec((err += String(bytes)));
        if (shown) found(new URL(shown[0]));
      }),
    );
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const url = new URL(server.address);
    url.port = (await address).port;
    const buyers = join(folder, 'buyers.mjs');
    writeFileSync(
      buyers,
      `import pg from 'pg';
      const [a, b] = [new pg.Client(process.argv[2]), new pg.Client(process.argv[2])];
      await Promise.all([a.connect(), b.connect()]);
      await a.query('drop table if exists stock; create table stock (id int primary key, n int)');
      await a.query('insert into stock values (1, 100)');
      for (const client of [a, b]) await client.query('begin');
      for (const client of [a, b]) await client.query('select n from stock where id = 1');
      for (const client of [a, b]) {
        await client.query('update stock set n = 99 where id = 1');
        await client.query('commit');
      }
      await Promise.all([a.end(), b.end()]);`,
    );
    expect(spawnSync(process.execPath, [buyers, url.href]).status).toBe(0);
    for (let i = 0; i < signals; i++) {
      child.kill('SIGINT');
      // The program takes signals that follow at once for the same one.
      if (i < signals - 1) await new Promise((wait) => setTimeout(wait, 400));
    }
    return { code: await ended, out, err };
  }

  test('isolab record judges the recording after Ctrl-C, and its exit code is the verdict', async () => {
    const { code, out } = await interrupted(1);
    expect(out).toContain('Lost update, 1 time');
    expect(out).toContain('stock.n: 2 decrements, only 1 counted');
    expect(code).toBe(ExitCode.Violated);
  });

  test('isolab record ends after a second Ctrl-C', async () => {
    const { code, out, err } = await interrupted(2);
    if (out.includes('Lost update')) expect(code).toBe(ExitCode.Violated);
    else {
      expect(err).toContain('ended by SIGINT before it was finished');
      expect(code).toBe(ExitCode.Unknown);
    }
  });

  test('isolab record does not take nothing for success', async () => {
    const empty = await record('--', 'node', '--version');
    expect(empty.code).toBe(ExitCode.Unknown);
    expect(empty.err).toContain('No transaction was recorded.');
    const failing = await record('--', 'node', '--no-such-flag');
    expect(failing.code).toBe(ExitCode.Failed);
    expect(failing.err).toContain('The command ended with exit code 9.');
  });

  test.each([
    [['--listen', 'here'], '--listen is here; expected an address and a port'],
    [['--listen', '192.0.2.1:1'], 'Cannot listen for clients at 192.0.2.1:1'],
    [['--max-rows', 'all'], '--max-rows needs a whole number'],
    [['--db', 'postgres://me:geheim@127.0.0.1:1/x'], 'Found no database at 127.0.0.1:1'],
    [['--db', 'sqlite'], '--db is sqlite; expected'],
    [['--db', ''], '--db is empty (is a variable unset?); expected'],
    [['--tls', 'key=k'], 'TLS needs both a key and a certificate'],
    [['--skip', 'check', '--output', 'html=r.html'], '--output html shows the results of the check'],
    [['--option', 'orm=nhibernate'], '--option orm is nhibernate; expected all or prisma, hibernate'],
    [['--option', 'before=none.jsonl'], '--option before=none.jsonl does not exist'],
    [['--page', '8080'], '--page shows the results of --watch'],
    [['--', 'no-such-program'], 'no-such-program could not be started'],
  ])('isolab record refuses %j', async (words, problem) => {
    const { code, err } = await record(...words);
    expect(code).toBe(ExitCode.Failed);
    expect(err).toContain(problem);
    expect(err).not.toContain('geheim');
  });
});
