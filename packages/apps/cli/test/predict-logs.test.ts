import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isolab } from './support/isolab.ts';

const log = (name: string): string => fileURLToPath(new URL(`fixtures/logs/${name}`, import.meta.url));

describe('isolab predict from a log', () => {
  test.each([
    ['postgres.csv', 'csvlog of PostgreSQL', 'update items set stock = $1 where id = $2'],
    ['mariadb.txt', 'general log of MySQL or MariaDB', 'update items set stock = $1 where id = $2'],
    ['spans.jsonl', 'OpenTelemetry spans', 'UPDATE items SET stock = $2 WHERE id = $1'],
  ])('%s shows a program that could lose an update, and predicts nothing', async (name, kind, update) => {
    const { code, out } = await isolab('predict', log(name));
    expect(code).toBe(2);
    expect(out).toContain(`(${kind}): a log has no results, so nothing is predicted.`);
    expect(out).toMatch(/\d\. Lost update: If another P\d writes the row between the two statements of P\d/);
    expect(out).toContain(update);
  });

  test('a locking read prevents the lost update, and a rolled-back transaction is no program', async () => {
    const { out } = await isolab('predict', log('postgres.csv'), '--output', 'json');
    const { predictions, programs, dangers } = JSON.parse(out) as {
      predictions: unknown[];
      programs: { statements: string[] }[];
      dangers: { name: string; parties: { statements: string[] }[] }[];
    };
    expect(predictions).toEqual([]);
    expect(programs.flatMap(({ statements }) => statements).filter((each) => each.startsWith('insert'))).toEqual([]);
    const lost = dangers.filter(({ name }) => name === 'lost-update');
    expect(lost.map(({ parties }) => parties[0]!.statements[0])).toEqual([
      'select stock from items where id = $1',
      'select stock from items where id = $1',
    ]);
  });

  test('at snapshot isolation, a write skew of a program with itself is left', async () => {
    const { out } = await isolab('predict', log('postgres.csv'), '--level', 'si');
    expect(out).toContain('1. Write skew');
    expect(out).toContain('select count(*) from doctors where on_call');
    expect(out).not.toContain('Lost update');
  });

  test.each([
    ['cut.csv', '2026-11-29 23:48:14.596 UTC,"postgres",1\n', 'line 1: found', 'at least 23 fields'],
    ['bad.jsonl', '{"resourceSpans":[]}\n{"resourceSpans":[\n', 'line 2: found', 'a line of OTLP JSON'],
    ['spans.jsonl', '{"resourceSpans":[{"scopeSpans":1}]}\n', 'line 1: found', 'OTLP JSON with scopeSpans'],
    ['general.log', 'x\n\t\t     3 Query\tselect 1\n', 'line 1: found', 'the number of a connection'],
  ])('an error in %s names the line and the expected form', async (name, content, found, expected) => {
    const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), name);
    writeFileSync(file, content);
    const { code, out, err } = await isolab('predict', file);
    expect([code, out]).toEqual([3, '']);
    expect(err).toContain(found);
    expect(err).toContain(expected);
  });

  const general = async (...statements: string[]): Promise<{ code: number; out: string }> => {
    const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), 'general.log');
    const lines = statements.map((sql) => `\t\t     3 Query\t${sql}\n`);
    writeFileSync(file, `261129 23:48:24\t     3 Connect\troot@localhost\n${lines.join('')}`);
    return isolab('predict', file);
  };
  const BUY = ['select n from items where id = 1', 'update items set n = 4 where id = 1'];

  test('without autocommit, each statement after a commit begins a transaction', async () => {
    const sold = ['select 1 from sold where id = 1', 'commit'];
    for (const off of ['SET autocommit=0', "set session autocommit = 'OFF'", 'SET NAMES utf8mb4, @@autocommit = 0'])
      expect((await general(off, ...sold, ...BUY, 'commit')).out).toContain('1. Lost update');
    expect(await general('set autocommit=0', 'set autocommit=1', ...BUY)).toMatchObject({ code: 0 });
    expect((await general('begin', 'commit and chain', ...BUY, 'commit')).out).toContain('1. Lost update');
  });

  test('statements of MySQL that access no rows are skipped, and its texts are read', async () => {
    const harmless = ['SHOW WARNINGS', 'SET NAMES utf8mb4', 'use shop', 'select @@version_comment limit 1'];
    expect(await general(...harmless, "select `n` from t where a = 'it\\'s'")).toMatchObject({ code: 0 });
    expect((await general('replace into t values (1)')).out).toContain('1 statement could not be read');
  });

  test('a compressed log is read, also with a long first statement', async () => {
    const text = readFileSync(log('postgres.csv'), 'utf8');
    const long = text.replace('begin;', `begin; -- ${randomBytes(100_000).toString('hex')}`);
    for (const content of [text, long]) {
      const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), 'postgresql.csv.gz');
      writeFileSync(file, gzipSync(content));
      expect((await isolab('predict', file)).out).toContain('(csvlog of PostgreSQL)');
    }
  });

  test('a compressed log that was cut off is refused', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), 'postgresql.csv.gz');
    writeFileSync(file, gzipSync(readFileSync(log('postgres.csv'))).subarray(0, -100));
    expect(await isolab('predict', file)).toMatchObject({ code: 3, err: expect.stringContaining('unexpected end') });
  });

  test('times of spans in nanoseconds keep all digits as numbers', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), 'spans.jsonl');
    writeFileSync(file, readFileSync(log('spans.jsonl'), 'utf8').replaceAll(/("startTimeUnixNano":)"(\d+)"/g, '$1$2'));
    expect((await isolab('predict', file)).out).toContain('1. Lost update');
  });

  test('a log without transactions is no success', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'isolab-logs-')), 'spans.jsonl');
    writeFileSync(file, '{"resourceSpans":[]}\n');
    const said = expect.stringContaining('The log has no committed transaction');
    expect(await isolab('predict', file)).toMatchObject({ code: 2, out: said, err: '' });
  });

  test('predictions and other levels are refused', async () => {
    const { err } = await isolab('predict', log('mariadb.txt'), '--level', 'causal');
    expect(err).toContain('dangers are found at read-committed and snapshot-isolation, not at causal');
    for (const given of [['--confirm'], ['--option', 'changes=3'], ['--against', 'si'], ['--output', 'html=x.html']]) {
      const said = expect.stringContaining('has no results to predict from; leave out --');
      expect(await isolab('predict', log('mariadb.txt'), ...given)).toMatchObject({ code: 3, err: said });
    }
  });
});
