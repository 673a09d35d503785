import { type TransactionId, nameTransaction, toPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { isolab, recordings } from '../src/isolab/isolab.ts';
import { directoryOfBytes, inputOfBytes } from '../src/index.ts';
import { readText, writeFiles } from './support/describe-format.ts';

type Files = Readonly<Record<string, string>>;

const read = (files: Files) => recordings.read(directoryOfBytes('run', files), {});

const header = (recorded: object = { clock: 'c' }, more: object = {}): string =>
  JSON.stringify({
    isolab: 'history',
    version: 2,
    times: 'nanoseconds',
    ...more,
    recorded: { by: 'me', ...recorded },
  });
const line = (session: string, ops: unknown[] = []): string =>
  JSON.stringify({ session, status: 'unknown', begin: 1, ops });
const file = (...lines: readonly string[]): string => [...lines, ''].join('\n');
const END = '{"isolab":"end"}';

describe('recordings of several processes', () => {
  test('recordings of several processes are one history, whose messages name the file', async () => {
    const committed = '{"outcome":"committed","session":"1.1","end":4}';
    const history = await read({
      '1.jsonl': file(header(), line('1.1', [['w', 'x', 1]]), committed, END),
      '2.jsonl': file(header(), line('2.1', [['r', 'x', 1]]), END),
      'README.md': 'not a part of it',
    });
    expect(toPlain(history).sessions.map(({ name, transactions }) => [name, transactions.length])).toEqual([
      ['1.1', 1],
      ['2.1', 1],
    ]);
    expect(history.source.files).toEqual(['run/1.jsonl', 'run/2.jsonl']);
    expect([...history.txnBegin!]).toEqual([1n, 1n]);
    expect(history.source.notes).toEqual({});
    expect(nameTransaction(history, 1 as TransactionId)).toContain('2.1');
    const [written] = [...(await writeFiles(isolab, history)).values()];
    const again = await readText(isolab, Buffer.from(written!).toString());
    expect(again.source.files).toEqual(['run/1.jsonl', 'run/2.jsonl']);
    expect(toPlain(again)).toEqual(toPlain(history));
  });

  test('recordings of several processes are cut off if one of them is', async () => {
    const { source } = await read({
      '1.jsonl': file(header(), line('1.1'), END),
      '2.jsonl': file(header(), line('2.1')),
      '3.jsonl': `${file(header(), line('3.1'), line('3.2'))}{"sess`,
    });
    expect(source.notes).toEqual({ cutOffAfterLine: 2, filesCutOff: 2 });
  });

  test.each([
    ['no clock', {}, {}],
    ['different clocks', { clock: 'a' }, { clock: 'b' }],
    ['one clock that is not named', { clock: 'a' }, {}],
  ])('recordings of several processes have no times where they have %s', async (_, one, other) => {
    const history = await read({ '1.jsonl': file(header(one), line('1'), END), '2.jsonl': file(header(other), END) });
    expect([history.txnBegin, history.source.timeUnit]).toEqual([null, 'none']);
    expect(history.source.notes).toEqual({ filesWithoutACommonClock: 2 });
  });

  test('recordings of several processes have their times where there is only one file', async () => {
    const history = await read({ '1.jsonl': file(header({}), line('1'), END) });
    expect([...history.txnBegin!]).toEqual([1n]);
  });

  const initially = (owner: string): string => JSON.stringify({ rows: [['t', 1, { owner }]] });
  test.each<[string, string, string, string]>([
    ['a session in two of them', file(header(), line('1')), '', 'line 2.*a session that is also in run/1.jsonl'],
    ['another initial value', '', file(header({ clock: 'c' }, { initial: 0 })), 'another "initial"'],
    ['another database', '', file(header({ clock: 'c' }, { database: 'd' })), 'another "database"'],
    ['other times', '', file(header({ clock: 'c' }, { times: 'events' })), 'another "times"'],
    ['another redaction', '', file(header({ clock: 'c', redacted: true })), 'another "redacted"'],
    ['a source', '', file(header({ clock: 'c' }, { source: {} })), 'found "source"'],
    ['no recording', '', '{"isolab":"history","version":2,"times":"nanoseconds"}\n', 'a header without "recorded"'],
    ['no line', '', '', 'found no line'],
    [
      'a different initial state of a key',
      file(header({ clock: 'c' }, { initialOf: [['x', 1]] })),
      file(header({ clock: 'c' }, { initialOf: [['x', 2]] })),
      'a different initial state of a key',
    ],
    [
      'a different initial state of a row',
      file(header(), initially('alice')),
      file(header(), initially('bob')),
      'line 2.*a different initial state of a row',
    ],
  ])('recordings of several processes are refused with %s', async (name, one, other, message) => {
    const first = one === '' ? file(header()) : one;
    const second = other === '' && name !== 'no line' ? file(header(), line('1')) : other;
    await expect(read({ '1.jsonl': first, '2.jsonl': second })).rejects.toThrow(
      new RegExp(`^run/2\\.jsonl.*${message}`),
    );
  });

  test('recordings of several processes are distinguished from separate histories in one folder', async () => {
    const recorded = file(header());
    const plain = '{"isolab":"history","version":1}\n';
    const matches = (files: Files) => recordings.matches(directoryOfBytes('run', files));
    expect(await matches({ 'a.jsonl': recorded, 'b.jsonl': recorded, 'c.txt': '' })).toBe(true);
    expect(await matches({ 'a.jsonl': recorded, 'b.jsonl': plain })).toBe(false);
    expect(await matches({ 'a.jsonl': plain })).toBe(false);
    expect(await matches({ 'a.jsonl': '' })).toBe(false);
    expect(await matches({ 'a.txt': recorded })).toBe(false);
    expect(await isolab.matches(inputOfBytes('a', recorded))).toBe(true);
    await expect(read({ 'a.txt': recorded })).rejects.toThrow('found no file');
  });
});
