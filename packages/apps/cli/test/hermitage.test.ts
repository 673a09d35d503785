import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { isolab, printerTo } from './support/isolab.ts';
import { run } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-hermitage-'));

describe('isolab hermitage', () => {
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startEmbedded();
  });
  afterAll(() => server?.database.close(), 60_000);

  test('isolab hermitage prints the table with its evidence, and writes it down', async () => {
    const out = join(folder, 'out');
    const asked = ['--db', server.address, '--case', 'P4', '--case', 'g2-item', '--wait', '150ms'];
    const levels = ['--isolation', 'REPEATABLE_READ', '--isolation', 'serializable'];
    const { code, out: said } = await isolab('hermitage', ...asked, ...levels, '--out', out);
    expect(code).toBe(ExitCode.Satisfied);
    expect(said).toMatch(/P4 +lost update +prevented: abort +prevented: abort/);
    expect(said).toMatch(/G2-item +write skew +possible +prevented: abort/);
    expect(said).toContain(
      'T2  UPDATE isolab_test SET value = 12 WHERE id = 1  →  waits; answered after statement 7: aborted',
    );
    expect(said).toContain('REPEATABLE READ claims snapshot-isolation; the 1 case that it forbids was prevented.');
    expect(readdirSync(out).toSorted()).toEqual([
      'README.md',
      'hermitage.json',
      'repeatable-read.md',
      'serializable.md',
    ]);
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain('[possible](repeatable-read.md#g2-item)');

    const again = await isolab('hermitage', ...asked, '--out', out);
    expect(again).toMatchObject({ code: ExitCode.Failed, err: expect.stringContaining('--force') as string });
  });

  test('isolab hermitage prints JSON and Markdown', async () => {
    const asked = ['--db', server.address, '--case', 'PMP', '--wait', '150ms'];
    const { code, out } = await isolab('hermitage', ...asked, '--output', 'json');
    expect(code).toBe(ExitCode.Satisfied);
    expect(JSON.parse(out)).toMatchObject({
      isolab: 'hermitage',
      levels: [{ cells: [{ outcome: 'possible' }] }, { cells: [{ outcome: 'prevented', by: 'reads' }] }, {}],
      claims: [{}, { claims: 'snapshot-isolation', prevented: ['PMP'], possible: [] }, {}],
      published: { differences: [] },
    });
    const markdown = await isolab('hermitage', ...asked, '--output', 'markdown');
    expect(markdown.out).toContain(
      '| PMP | predicate-many-preceders | possible | prevented: reads | prevented: reads |',
    );
  });

  test('isolab hermitage says which levels make the transactions of a file safe', async () => {
    const path = join(folder, 'transactions.sql');
    const read = 'SELECT COUNT(*) FROM isolab_seats WHERE traveller = 0;';
    const take = (seat: number): string => `UPDATE isolab_seats SET traveller = 7 WHERE id = ${seat};`;
    const tables =
      'CREATE TABLE isolab_seats (id INT PRIMARY KEY, traveller INT);\nINSERT INTO isolab_seats VALUES (1, 0), (2, 0);';
    writeFileSync(path, ['-- tables', tables, '-- T1', read, take(1), '-- T2', read, take(2)].join('\n'));
    const out = join(folder, 'own');
    const asked = ['--db', server.address, '--wait', '150ms', '--schedules', '4'];
    const levels = ['--isolation', 'repeatable read', '--isolation', 'serializable'];
    const { code, out: said } = await isolab('hermitage', path, ...asked, ...levels, '--out', out);
    expect(code).toBe(ExitCode.Satisfied);
    expect(said).toMatch(/repeatable read +snapshot-isolation +possible +\d of 20/);
    expect(said).toMatch(/serializable +serializable +prevented +4 of 20/);
    expect(said).toContain(
      'REPEATABLE READ does not make these transactions safe: T1, T2 committed, but no serial order',
    );
    expect(readFileSync(join(out, 'README.md'), 'utf8')).toContain(`\`${take(1).slice(0, -1)}\``);
    expect(JSON.parse(readFileSync(join(out, 'hermitage.json'), 'utf8'))).toMatchObject({
      isolab: 'hermitage-transactions',
      levels: [{ outcome: 'possible' }, { outcome: 'prevented', why: [] }],
    });
  });

  test('isolab hermitage knows nothing once it is interrupted', async () => {
    const interrupted = new AbortController();
    interrupted.abort();
    const notes: string[] = [];
    const code = await run(['hermitage', '--db', server.address], printerTo([], notes, interrupted.signal));
    expect(code).toBe(ExitCode.Unknown);
  });

  test('isolab hermitage refuses a wrong call in one line', async () => {
    const refused = async (...args: readonly string[]): Promise<string> => {
      const { code, err } = await isolab('hermitage', '--db', server.address, ...args);
      expect(code).toBe(ExitCode.Failed);
      return err;
    };
    expect(await refused('--case', 'P5')).toContain('There is no case P5; did you mean P4? expected one of G0; ');
    expect(await refused('--isolation', 'chaos')).toContain('no isolation level chaos; expected one of read committed');
    expect(await refused('--isolation', 'read uncommitted')).toContain('no isolation level read uncommitted');
    expect(await refused(join(folder, 'none.sql'))).toMatch(/none\.sql: no such file or directory$/);
    writeFileSync(join(folder, 'bad.sql'), 'SELECT 1;');
    expect(await refused(join(folder, 'bad.sql'))).toMatch(
      /bad\.sql: Line 1: SELECT 1; stands before the first section/,
    );
    expect(await refused(folder, '--case', 'P4')).toContain('give only one of them');
    expect(await refused('--wait', '0')).toContain('--wait must be a time from 20ms to 10s, not 0.');
  });
});

test('a database that takes no SQL is refused, and one whose SQL talks nonsense is unknown', async () => {
  const driver = (name: string, session: string): string => {
    const path = join(folder, `${name}.mjs`);
    const methods = 'begin() {}, commit() {}, rollback() {}';
    writeFileSync(
      path,
      `export default { title: '${name}', isolations: { serializable: 'serializable' }, data: ['registers'],
        open: () => ({ prepare() {}, connect: () => ({ ${methods}, ${session} }) }) };`,
    );
    return `module:${path}`;
  };
  const mute = await isolab('hermitage', '--db', driver('mute', ''), '--case', 'P4');
  expect(mute).toMatchObject({ code: ExitCode.Failed, err: expect.stringContaining('does not support SQL') as string });
  const odd = await isolab('hermitage', '--db', driver('odd', 'sql: () => 7'), '--case', 'P4');
  expect(odd.code).toBe(ExitCode.Unknown);
  expect(odd.out).toContain('and answered 7, expected rows');
});
