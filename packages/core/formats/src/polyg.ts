import type { PolygraphInput } from '@isolab/history';
import { unexpected } from './files/errors.ts';
import type { PolygraphFormat } from './format/format.ts';
import type { Output } from './files/output.ts';
import { LineReader } from './files/line-reader.ts';

/**
 * The polygraphs of CobraSAT: `n:<nodes>` once, `e:<a>,<b>` for a known edge from a to b, and `c:<a>,<b>|<c>,<d>` for a
 * constraint, which requires an edge from a to b or an edge from c to d. Lines come in any order, and repeated
 * constraints are kept.
 */
export const polyg: PolygraphFormat = {
  name: 'polyg',
  title: 'n:, e: and c: lines of CobraSAT: a polygraph, which can only be checked for serializability',
  layout: 'stream',
  fileName: '*.polyg',
  matches: ({ head }) => FIRST_LINE.test(Buffer.from(head).toString('latin1')),
  readPolygraph: (input) => new PolygraphReader(input.name).readAll(input, LONGEST_LINE),
  writePolygraph: write,
};

const FIRST_LINE = /^\s*(?:n:\d+|e:\d+,\d+|c:\d+,\d+\|\d+,\d+)[ \t\r]*(?:\n|$)/;

class PolygraphReader extends LineReader<PolygraphInput> {
  readonly #edges: number[] = [];
  readonly #constraints: number[] = [];
  #nodes = -1; // -1 until it is stated
  #nodesLine = 0;
  #number = 0;
  // The greatest node named before the number of nodes is stated.
  #greatest = -1;
  #greatestLine = 0;

  protected override readLine(bytes: Uint8Array, at: number, end: number): number {
    at = skipBlanks(bytes, at, end);
    const letter = at < end ? bytes[at] : LINE_FEED;
    if (letter === LETTER_E || letter === LETTER_C) {
      at = this.#expect(bytes, at + 1, end, COLON);
      const list = letter === LETTER_E ? this.#edges : this.#constraints;
      at = this.#readEdge(bytes, at, end, list);
      if (letter === LETTER_C) at = this.#readEdge(bytes, this.#expect(bytes, at, end, BAR), end, list);
      at = skipBlanks(bytes, at, end);
    } else if (letter === LETTER_N) {
      at = skipBlanks(bytes, this.#readNodes(bytes, this.#expect(bytes, at + 1, end, COLON), end), end);
    } else if (letter !== LINE_FEED) {
      this.fail(bytes, at, end, "'n:', 'e:' or 'c:'");
    }
    if (at < end && bytes[at] !== LINE_FEED) this.fail(bytes, at, end, 'the end of the line');
    return at + 1;
  }

  #readNodes(bytes: Uint8Array, at: number, end: number): number {
    const after = this.#readNumber(bytes, at, end, 'the number of nodes');
    if (this.#nodes >= 0)
      this.fail(bytes, at, end, `a single number of nodes, already given on line ${this.#nodesLine}`);
    this.#nodes = this.#number;
    this.#nodesLine = this.line;
    if (this.#greatest >= this.#nodes) {
      throw unexpected(this.file, `line ${this.#greatestLine}`, `node ${this.#greatest}`, this.#range());
    }
    return after;
  }

  #readEdge(bytes: Uint8Array, at: number, end: number, list: number[]): number {
    at = this.#readNode(bytes, at, end);
    list.push(this.#number);
    at = this.#readNode(bytes, this.#expect(bytes, at, end, COMMA), end);
    list.push(this.#number);
    return at;
  }

  #readNode(bytes: Uint8Array, at: number, end: number): number {
    const after = this.#readNumber(bytes, at, end, 'a node');
    if (this.#nodes >= 0) {
      if (this.#number >= this.#nodes) this.fail(bytes, at, end, this.#range());
    } else if (this.#number > this.#greatest) {
      this.#greatest = this.#number;
      this.#greatestLine = this.line;
    }
    return after;
  }

  #readNumber(bytes: Uint8Array, first: number, end: number, what: string): number {
    let at = first;
    let number = 0;
    for (; at < end; at++) {
      const digit = bytes[at] - ZERO;
      if (digit < 0 || digit > 9) break;
      number = number * 10 + digit;
    }
    if (at === first) this.fail(bytes, at, end, `${what}, a natural number`);
    if (number > MOST_NODES) this.fail(bytes, first, end, `${what}, at most ${MOST_NODES}`);
    this.#number = number;
    return at;
  }

  #expect(bytes: Uint8Array, at: number, end: number, byte: number): number {
    if (at >= end || bytes[at] !== byte) this.fail(bytes, at, end, `'${String.fromCharCode(byte)}'`);
    return at + 1;
  }

  #range(): string {
    return this.#nodes === 0
      ? `none, as line ${this.#nodesLine} states`
      : `0 to ${this.#nodes - 1}, as line ${this.#nodesLine} states`;
  }

  protected override finish(): PolygraphInput {
    if (this.line === 0) throw unexpected(this.file, null, 'an empty file', 'lines such as n:3');
    if (this.#nodes < 0) throw unexpected(this.file, null, 'no number of nodes', 'a line such as n:3');
    return {
      name: this.file,
      nodes: this.#nodes,
      edges: Int32Array.from(this.#edges),
      constraints: Int32Array.from(this.#constraints),
    };
  }
}

async function write({ nodes, edges, constraints }: PolygraphInput, output: Output): Promise<void> {
  const sink = await output.file();
  await sink.write(`n:${nodes}\n`);
  for (let i = 0; i < edges.length; i += 2) await sink.write(`e:${edges[i]},${edges[i + 1]}\n`);
  for (let i = 0; i < constraints.length; i += 4)
    await sink.write(`c:${constraints[i]},${constraints[i + 1]}|${constraints[i + 2]},${constraints[i + 3]}\n`);
  await sink.close();
}

function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN)) at++;
  return at;
}

const MOST_NODES = 2 ** 31 - 1;
const LONGEST_LINE = 1 << 12;
const [LETTER_N, LETTER_E, LETTER_C, COLON, COMMA, BAR, ZERO] = [0x6e, 0x65, 0x63, 0x3a, 0x2c, 0x7c, 0x30];
const [LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [10, 13, 32, 9];
