import { type History, fromPlain, sameHistory } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import { HISTORY_FORMATS, directoryOfBytes, inputOfBytes, outputToMemory, readDocumentFrom } from '../src/index.ts';

describe('bounds of times', () => {
  const HEADER = '{"isolab":"history","version":2,"initial":0,"times":"events"';
  const TIMES = { begin: 3, begun: 5, committing: 6, end: 9 };
  const read = (times: object, header = `${HEADER}}`) => {
    const line = { session: 0, status: 'committed', ...times, ops: [['w', 'x', 1]] };
    return readDocumentFrom(inputOfBytes('h.jsonl', new TextEncoder().encode(`${header}\n${JSON.stringify(line)}\n`)));
  };

  test.each([
    ['begin', 'end', { begun: undefined, committing: undefined, end: 2 }],
    ['begin', 'begun', { begun: 2 }],
    ['begin', 'begun', { begun: 2, end: undefined, status: 'unknown' }],
    ['begin', 'committing', { committing: 2 }],
    ['begin', 'committing', { committing: 2, end: undefined, status: 'aborted' }],
    ['begun', 'end', { begun: 10 }],
    ['begun', 'end', { begin: undefined, begun: 10 }],
    ['committing', 'end', { committing: 10 }],
    ['committing', 'end', { begin: undefined, committing: 10 }],
  ])('%s after %s is refused, with its line', async (first, second, wrong) => {
    const found =
      second === 'end' && first === 'begin'
        ? 'a transaction that ends before it begins'
        : `"${second}" before "${first}"`;
    await expect(read({ ...TIMES, ...wrong })).rejects.toThrow(`h.jsonl, line 2`);
    await expect(read({ ...TIMES, ...wrong })).rejects.toThrow(`found ${found}, expected`);
  });

  test.each([
    ['as they are written', {}],
    ['a request of COMMIT before the first answer, as in a pipeline', { begun: 8, committing: 4 }],
    ['all equal', { begin: 9, begun: 9, committing: 9 }],
    ['no first answer', { begun: undefined }],
    ['no request of COMMIT', { committing: undefined }],
    ['inner ones alone', { begin: undefined, end: undefined }],
  ])('%s are read', async (_, times) => {
    expect((await read({ ...TIMES, ...times })).kind).toBe('history');
  });

  test('upper bounds contain the drift of the clocks, also in the line of an outcome', async () => {
    const text = `${HEADER},"drift":100}
{"session":0,"status":"unknown","begin":3,"begun":5,"committing":6,"ops":[["w","x",1]]}
{"outcome":"committed","session":0,"end":9}
`;
    const document = await readDocumentFrom(inputOfBytes('h.jsonl', new TextEncoder().encode(text)));
    const { txnBegin, txnBegun, txnCommitting, txnEnd, source } = (document as { history: History }).history;
    expect([txnBegin, txnBegun, txnCommitting, txnEnd].map((column) => column![0])).toEqual([3n, 105n, 6n, 109n]);
    expect(source.drift).toBe(100);
  });

  test('bounds of times that exceed 64 bits with the drift are refused', async () => {
    const latest = 2n ** 63n - 1n;
    const text = (end: bigint): string =>
      `${HEADER},"drift":100}\n{"session":0,"begin":3,"end":${end},"ops":[["w","x",1]]}\n`;
    const readEnd = (end: bigint) => readDocumentFrom(inputOfBytes('h.jsonl', new TextEncoder().encode(text(end))));
    await expect(readEnd(latest - 99n)).rejects.toThrow(
      'h.jsonl, line 2, column 49: found the time 9223372036854775708, expected at most 9223372036854775707',
    );
    const { history } = (await readEnd(latest - 100n)) as { history: History };
    expect(history.txnEnd![0]).toBe(latest);
  });

  test.each(['-1', '1.5', '"1"', 'null', '9007199254740992'])('a drift of %s is refused', async (drift) => {
    await expect(read(TIMES, `${HEADER},"drift":${drift}}`)).rejects.toThrow('h.jsonl, line 1');
  });
});

/** Formats without a drift or without inner bounds, say so, and their times are no more precise than the whole. */
describe('copies of a history whose clocks differ', () => {
  const history = fromPlain({
    initial: 0n,
    timeUnit: 'events',
    drift: 4,
    sessions: [
      [0n, 2n, 5n, 9n],
      [12n, 14n, 15n, 16n], // begins before the first one ends for certain
      [20n, 22n, 25n, 29n],
    ].map(([begin, begun, committing, end], s) => ({
      name: BigInt(s),
      transactions: [
        {
          status: 'committed',
          begin: begin!,
          begun: begun!,
          committing: committing!,
          end: end!,
          operations: [write(s)],
        },
      ],
    })),
  });

  const WITH_TIMES = HISTORY_FORMATS.filter(({ writer }) => writer !== undefined);

  test.each(WITH_TIMES.map((format) => [format.name, format] as const))('%s', async (name, format) => {
    const writer = await format.writer!();
    const losses = writer.losses(history).map((loss) => loss.name);
    const keepsAll = name === 'isolab';
    expect(losses.includes('time-bounds') || losses.includes('times')).toBe(!keepsAll);
    const files = new Map<string, Uint8Array>();
    await writer.write(history, outputToMemory(files));
    const input =
      format.layout === 'directory'
        ? directoryOfBytes('copy', Object.fromEntries(files))
        : inputOfBytes('copy', files.values().next().value!);
    const document = await readDocumentFrom(input, { format });
    if (document.kind !== 'history') throw new Error(`${name} made a polygraph of it`);
    const copy = document.history;
    if (keepsAll) return expect(sameHistory(copy, history)).toBe(true);
    if (losses.includes('times') || copy.txnEnd === null) return;
    // Some formats count the events instead, in their order.
    const order = ({ txnBegin, txnEnd }: History) => [1, 2].map((later) => txnEnd![0]! < txnBegin![later]!);
    expect(order(history)).toEqual([false, true]);
    expect(order(copy)).toEqual([false, true]);
  });
});

const write = (n: number) => ({ kind: 'write', key: 'x', value: BigInt(n + 1) }) as const;
