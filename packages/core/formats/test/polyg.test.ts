import type { PolygraphInput } from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatError } from '../src/files/errors.ts';
import { inputOfBytes } from '../src/files/input.ts';
import { outputToMemory } from '../src/files/output.ts';
import { polyg } from '../src/polyg.ts';

const read = (content: string | Uint8Array): Promise<PolygraphInput> =>
  polyg.readPolygraph(inputOfBytes('test', content));

async function written(polygraph: PolygraphInput): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>();
  await polyg.writePolygraph(polygraph, outputToMemory(files));
  return files.get('')!;
}

const polygraphs: fc.Arbitrary<PolygraphInput> = fc.nat({ max: 50 }).chain((nodes) => {
  const column = (width: number): fc.Arbitrary<Int32Array> =>
    nodes === 0
      ? fc.constant(new Int32Array(0))
      : fc
          .array(fc.array(fc.nat({ max: nodes - 1 }), { minLength: width, maxLength: width }))
          .map((rows) => Int32Array.from(rows.flat()));
  return fc.record({ name: fc.constant('test'), nodes: fc.constant(nodes), edges: column(2), constraints: column(4) });
});

describe('polyg', () => {
  test('polyg reads back and recognises its own output', async () => {
    await fc.assert(
      fc.asyncProperty(polygraphs, async (polygraph) => {
        const bytes = await written(polygraph);
        expect(polyg.matches(inputOfBytes('test', bytes))).toBe(true);
        expect(await read(bytes)).toEqual(polygraph);
      }),
    );
  });

  test('polyg writes one line for each edge and constraint', async () => {
    const polygraph = { name: 'test', nodes: 3, edges: Int32Array.of(0, 1), constraints: Int32Array.of(2, 1, 1, 0) };
    expect(Buffer.from(await written(polygraph)).toString()).toBe('n:3\ne:0,1\nc:2,1|1,0\n');
  });

  test('polyg accepts lines in any order, repeated constraints and loops', async () => {
    const { nodes, edges, constraints } = await read('c:0,1|1,2\r\n\ne:2,2 \nn:3\nc:0,1|1,2\ne:0,1');
    expect({ nodes, edges: [...edges], constraints: [...constraints] }).toEqual({
      nodes: 3,
      edges: [2, 2, 0, 1],
      constraints: [0, 1, 1, 2, 0, 1, 1, 2],
    });
  });

  test('polyg needs memory for its lines only, with any number of nodes', async () => {
    expect((await read('n:2147483647\ne:2147483646,0\n')).edges).toEqual(Int32Array.of(2147483646, 0));
  });

  test.each([
    ['', 'test: found an empty file, expected lines such as n:3'],
    ['e:0,1\n', 'test: found no number of nodes, expected a line such as n:3'],
    ['n:3\nn:3\n', "line 2, column 3: found '3', expected a single number of nodes, already given on line 1"],
    ['n:3\ne:0,3', "line 2, column 5: found '3', expected 0 to 2, as line 1 states"],
    ['e:0,1\nc:0,1|1,7\nn:3', 'line 2: found node 7, expected 0 to 2, as line 3 states'],
    ['n:0\ne:0,0', "line 2, column 3: found '0,0', expected none, as line 1 states"],
    [
      'n:1152921504606846976',
      "line 1, column 3: found '1152921504606846976', expected the number of nodes, at most 2147483647",
    ],
    ['n:-1', "line 1, column 3: found '-1', expected the number of nodes, a natural number"],
    ['n:3\ne:0;1', "line 2, column 4: found ';1', expected ','"],
    ['n:3\ne:0,', 'line 2, column 5: found the end of the line, expected a node, a natural number'],
    ['n:3\nc:0,1', "line 2, column 6: found the end of the line, expected '|'"],
    ['n:3\nc:0,1|1,2|', "line 2, column 10: found '|', expected the end of the line"],
    ['n:3\nx:0,1', "line 2, column 1: found 'x:0,1', expected 'n:', 'e:' or 'c:'"],
    ['n=3', "line 1, column 2: found '=3', expected ':'"],
  ])('polyg names the mistake in %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test('polyg gives a format error or a polygraph, and nothing else, for every truncation and many damaged bytes', async () => {
    const bytes = new TextEncoder().encode('n:12\ne:0,11\ne:3,4\nc:0,1|1,10\nc:0,1|1,10\n');
    const readOrFormatError = async (content: Uint8Array): Promise<void> => {
      await read(content).catch((error: unknown) => {
        expect(error).toBeInstanceOf(FormatError);
      });
    };
    for (let length = 0; length < bytes.length; length++) {
      await readOrFormatError(bytes.subarray(0, length));
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = bytes.slice();
        damaged[length]! ^= flip;
        await readOrFormatError(damaged);
      }
    }
  });

  test.each([
    ['c:0,1|1,2\n', true],
    ['e:0,1', true],
    ['n:3 nodes\n', false],
    ['r(0,0,0,0)\n', false],
  ])('polyg claims %j: %s', (content, expected) => {
    expect(polyg.matches(inputOfBytes('test', content))).toBe(expected);
  });
});
