import { type DemandFinding, findingsOf } from '@isolab/contract';
import { HistoryBuilder, OpKind, fromPlain } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { awdit } from '../src/awdit.ts';
import { formatDemands } from '../src/conformance/index.ts';
import { FormatError, mismatch } from '../src/files/errors.ts';
import { type HistoryFormat, defineFormat } from '../src/format/format.ts';
import { type ByteStream, inputOfBytes } from '../src/files/input.ts';
import { readLines } from '../src/files/lines.ts';
import { HISTORY_FORMATS } from '../src/registry.ts';

const findingsFor = async (format: HistoryFormat): Promise<DemandFinding[]> =>
  findingsOf(await formatDemands(format), () => {});

const failuresOf = (findings: readonly DemandFinding[]): string[] =>
  findings.flatMap(({ check, holds, found }) => (holds === false ? [`${check}: ${found}`] : []));

const WHOLE = HISTORY_FORMATS.filter(
  ({ name, writer }) => writer && ['isolab', 'awdit-test', 'notation'].includes(name),
);

test.each(WHOLE.map((format) => [format.name, format] as const))(
  '%s conforms without a word about its features',
  async (_, format) => expect(failuresOf(await findingsFor(format))).toEqual([]),
);

test('a possible effect of a cut is reported, but is not a failure', async () => {
  const said = (await findingsFor(awdit)).find(({ check }) => check.startsWith('a file that is cut contains'));
  expect(said).toMatchObject({ holds: null });
  expect(said!.found).toMatch(/^cut after \d+ bytes, .* contains \{"kind":"(read|write)"/);
});

/** `w KEY VALUE` or `r KEY VALUE`, one transaction a line, one session; `.` is the last line. */
const plain = defineFormat<ByteStream>({
  name: 'plain',
  title: 'a transaction of one operation a line',
  layout: 'stream',
  fileName: '*.plain',
  examples: ['plain\nw 1 2\nr 1 2\n.\n'],
  matches: ({ head }) => new TextDecoder().decode(head.subarray(0, 6)) === 'plain\n',
  async read(input) {
    const history = new HistoryBuilder({ format: 'plain', file: input.name, unit: 'line', opStride: 0, initial: 0n });
    let last = '';
    for await (const { text, number, isWhole } of readLines(input)) {
      const [, kind, key, value] = /^([rw]) (\d{1,9}) (\d{1,9})$/.exec(text) ?? [];
      const isFrame = number === 1 ? text === 'plain' : text === '.' && last !== '.';
      if (!isWhole || last === '.' || (kind === undefined && !isFrame))
        throw new FormatError(input.name, `line ${number}`, mismatch(JSON.stringify(text), 'w 1 2'));
      last = text;
      if (kind === undefined) continue;
      history.begin(history.session(0n), number);
      const operation = kind === 'r' ? OpKind.Read : OpKind.Write;
      history.op(operation, history.keys.atom(BigInt(key!)), history.values.atom(BigInt(value!)));
    }
    if (last !== '.') throw new FormatError(input.name, null, mismatch('the end of the file', 'a last line .'));
    return history.finish();
  },
});

test('a format without a writer conforms by its examples', async () => {
  expect(failuresOf(await findingsFor(plain))).toEqual([]);
});

describe('a format with a mistake fails the suite', () => {
  test.each<[string, Partial<HistoryFormat<ByteStream>>, RegExp]>([
    ['no examples', { examples: [] }, /it has files to try/],
    [
      'an example that it refuses',
      { examples: ['plain\nw 1\n'] },
      /its own files and its examples can be read: it refuses/,
    ],
    ['a crash', { read: async (input) => crashing(input) }, /threw TypeError: .* on "plain/],
    [
      'a message without the file',
      { read: () => Promise.reject(new FormatError('', 'here', 'wrong')) },
      /it said ', here: wrong'/,
    ],
    ['no history', { read: async () => ({}) as never }, /it returned an invalid history/],
    ['nothing is refused', { read: async () => fromPlain({ sessions: [] }) }, /no damaged file is refused/],
    [
      'it claims everything',
      { matches: () => true },
      /it claims no file of another format: it claims a file of isolab/,
    ],
    ['it claims nothing', { matches: () => false }, /it claims its own files: matches\(\) gave false/],
    [
      'it throws instead of claiming',
      { matches: ({ head }) => head[6]! > 0 && JSON.parse('{') !== null },
      /it claims its own files: /,
    ],
    [
      'another one claims its files',
      { examples: ['{"isolab":"history","version":1}\n'] },
      /no other format claims its files: isolab claims/,
    ],
  ])('%s', async (_, mistake, expected) => {
    expect(failuresOf(await findingsFor({ ...plain, ...mistake } as HistoryFormat)).join('\n')).toMatch(expected);
  });

  test('it loses a feature that it claims to keep', async () => {
    const text = HISTORY_FORMATS.find(({ name }) => name === 'text')!;
    const lossy: HistoryFormat = {
      ...text,
      name: 'lossy',
      writer: async () => ({ ...(await text.writer!()), losses: () => [] }),
    };
    const [first] = failuresOf(await findingsFor(lossy));
    expect(first).toMatch(/it reads back the history that it wrote: it (reads|refuses) .*; the history is \[/);
  });

  const crashing = async (input: ByteStream) => {
    const history = await plain.read(input, {});
    if (history.opKind.length > 1) (null as unknown as { length: number }).length++;
    return history;
  };
});

test('lines state whether they are whole, and bytes that are not UTF-8 are refused', async () => {
  const linesOf = async (bytes: Uint8Array | string) => {
    const lines = [];
    for await (const line of readLines(inputOfBytes('test', bytes))) lines.push(line);
    return lines;
  };
  expect(await linesOf('a\n\nbc')).toEqual([
    { text: 'a', number: 1, isWhole: true },
    { text: '', number: 2, isWhole: true },
    { text: 'bc', number: 3, isWhole: false },
  ]);
  expect(await linesOf('')).toEqual([]);
  await expect(linesOf(Uint8Array.of(0x61, 0x0a, 0xff))).rejects.toThrow(
    'test, line 2: found bytes that are not UTF-8',
  );
});
