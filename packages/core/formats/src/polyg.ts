import type { PolygraphInput } from '@isolab/history';
import { unexpected } from './files/errors.ts';
import type { PolygraphFormat } from './format/format.ts';
import { lineError } from './files/line-error.ts';
import type { Output } from './files/output.ts';
import { readLineWindows } from './files/windows.ts';

/**
 * The polygraphs of CobraSAT: `n:<nodes>` once, `e:<a>,<b>` for a known edge from a to b, and `c:<a>,<b>|<c>,<d>` for a
 * constraint, which asks for one of the edges a to b and c to d. Lines come in any order, and repeated constraints stay.
 */
export const polyg: PolygraphFormat = {
  name: 'polyg',
  title: 'n:, e: and c: lines of CobraSAT: a polygraph, which can only be checked for serializability',
  layout: 'stream',
  fileName: '*.polyg',
  matches: ({ head }) => FIRST_LINE.test(Buffer.from(head).toString('latin1')),
  readPolygraph: async (input) => {
    const reader = new PolygraphReader(input.name);
    await readLineWindows(input, (bytes, start, end) => reader.readLines(bytes, start, end), LONGEST_LINE);
    return reader.finish();
  },
  writePolygraph: write,
};

const FIRST_LINE = /^\s*(?:n:\d+|e:\d+,\d+|c:\d+,\d+\|\d+,\d+)[ \t\r]*(?:\n|$)/;

class PolygraphReader {
  readonly #file: string;
  readonly #edges = new IntList();
  readonly #constraints = new IntList();
  #line = 0;
  #begin = 0; // where the line begins in the window
  #nodes = -1; // -1 before it is stated
  #nodesLine = 0;
  #number = 0;
  // The greatest node that is named before their number is stated.
  #greatest = -1;
  #greatestLine = 0;

  constructor(file: string) {
    this.#file = file;
  }

  readLines(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      this.#line++;
      this.#begin = at;
      at = this.#readLine(bytes, skipBlanks(bytes, at, end), end);
    }
  }

  #readLine(bytes: Uint8Array, at: number, end: number): number {
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
      this.#fail(bytes, at, end, "'n:', 'e:' or 'c:'");
    }
    if (at < end && bytes[at] !== LINE_FEED) this.#fail(bytes, at, end, 'the end of the line');
    return at + 1;
  }

  #readNodes(bytes: Uint8Array, at: number, end: number): number {
    const after = this.#readNumber(bytes, at, end, 'the number of nodes');
    if (this.#nodes >= 0) this.#fail(bytes, at, end, `no second number of nodes: line ${this.#nodesLine} has it`);
    this.#nodes = this.#number;
    this.#nodesLine = this.#line;
    if (this.#greatest >= this.#nodes) {
      throw unexpected(this.#file, `line ${this.#greatestLine}`, `node ${this.#greatest}`, this.#range());
    }
    return after;
  }

  #readEdge(bytes: Uint8Array, at: number, end: number, list: IntList): number {
    at = this.#readNode(bytes, at, end);
    list.push(this.#number);
    at = this.#readNode(bytes, this.#expect(bytes, at, end, COMMA), end);
    list.push(this.#number);
    return at;
  }

  #readNode(bytes: Uint8Array, at: number, end: number): number {
    const after = this.#readNumber(bytes, at, end, 'a node');
    if (this.#nodes >= 0) {
      if (this.#number >= this.#nodes) this.#fail(bytes, at, end, this.#range());
    } else if (this.#number > this.#greatest) {
      this.#greatest = this.#number;
      this.#greatestLine = this.#line;
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
    if (at === first) this.#fail(bytes, at, end, `${what}, a natural number`);
    if (number > MOST_NODES) this.#fail(bytes, first, end, `${what}, at most ${MOST_NODES}`);
    this.#number = number;
    return at;
  }

  #expect(bytes: Uint8Array, at: number, end: number, byte: number): number {
    if (at >= end || bytes[at] !== byte) this.#fail(bytes, at, end, `'${String.fromCharCode(byte)}'`);
    return at + 1;
  }

  #range(): string {
    return this.#nodes === 0
      ? `none, as line ${this.#nodesLine} says`
      : `0 to ${this.#nodes - 1}, as line ${this.#nodesLine} says`;
  }

  #fail(bytes: Uint8Array, at: number, end: number, expected: string): never {
    throw lineError({ file: this.#file, line: this.#line, bytes, begin: this.#begin, at, end }, expected);
  }

  finish(): PolygraphInput {
    if (this.#line === 0) throw unexpected(this.#file, null, 'an empty file', 'lines such as n:3');
    if (this.#nodes < 0) throw unexpected(this.#file, null, 'no number of nodes', 'a line such as n:3');
    return {
      name: this.#file,
      nodes: this.#nodes,
      edges: this.#edges.finish(),
      constraints: this.#constraints.finish(),
    };
  }
}

/** A column that grows. */
class IntList {
  #ints = new Int32Array(1024);
  #length = 0;

  push(int: number): void {
    if (this.#length === this.#ints.length) {
      const longer = new Int32Array(2 * this.#length);
      longer.set(this.#ints);
      this.#ints = longer;
    }
    this.#ints[this.#length++] = int;
  }

  finish(): Int32Array {
    return this.#ints.slice(0, this.#length);
  }
}

async function write({ nodes, edges, constraints }: PolygraphInput, output: Output): Promise<void> {
  const sink = await output.file();
  let lines = `n:${nodes}\n`;
  const add = async (line: string): Promise<void> => {
    lines += line;
    if (lines.length < PIECE_CHARACTERS) return;
    await sink.write(lines);
    lines = '';
  };
  for (let i = 0; i < edges.length; i += 2) await add(`e:${edges[i]},${edges[i + 1]}\n`);
  for (let i = 0; i < constraints.length; i += 4) {
    await add(`c:${constraints[i]},${constraints[i + 1]}|${constraints[i + 2]},${constraints[i + 3]}\n`);
  }
  await sink.write(lines);
  await sink.close();
}

function skipBlanks(bytes: Uint8Array, at: number, end: number): number {
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB || bytes[at] === CARRIAGE_RETURN)) at++;
  return at;
}

const MOST_NODES = 2 ** 31 - 1;
const LONGEST_LINE = 1 << 12;
const PIECE_CHARACTERS = 1 << 16;
const [LETTER_N, LETTER_E, LETTER_C, COLON, COMMA, BAR, ZERO] = [0x6e, 0x65, 0x63, 0x3a, 0x2c, 0x7c, 0x30];
const [LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [10, 13, 32, 9];
