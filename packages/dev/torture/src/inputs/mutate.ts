import type { Random } from '@isolab/workloads';

/** Damages bytes in one to six ways; `other` provides pieces of other files. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let damaged = bytes;
  for (let left = random.between(1, 6); left > 0; left--) damaged = random.pick(MUTATIONS)(damaged, other, random);
  return damaged.length > LONGEST ? damaged.subarray(0, LONGEST) : damaged;
}

type Mutation = (bytes: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

const flipBit: Mutation = (bytes, _, random) => {
  const copy = bytes.slice();
  if (copy.length > 0) copy[random.below(copy.length)]! ^= 1 << random.below(8);
  return copy;
};

const setByte: Mutation = (bytes, _, random) => {
  const copy = bytes.slice();
  if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
  return copy;
};

const cutEnd: Mutation = (bytes, _, random) => bytes.subarray(0, random.below(bytes.length + 1));

const cutStart: Mutation = (bytes, _, random) => bytes.subarray(random.below(bytes.length + 1));

const removePiece: Mutation = (bytes, _, random) => {
  const [from, to] = piece(bytes, random);
  return joined(bytes.subarray(0, from), bytes.subarray(to));
};

const repeatPiece: Mutation = (bytes, _, random) => {
  const [from, to] = piece(bytes, random);
  return joined(bytes.subarray(0, to), bytes.subarray(from, to), bytes.subarray(to));
};

const insertForeignPiece: Mutation = (bytes, other, random) => {
  const [from, to] = piece(other, random);
  return insertAt(bytes, random.below(bytes.length + 1), other.subarray(from, to));
};

const insertToken: Mutation = (bytes, _, random) =>
  insertAt(bytes, random.below(bytes.length + 1), encode(random.pick(TOKENS)));

/** Replaces a word or number by a token, as a person would. */
const replaceWord: Mutation = (bytes, _, random) => {
  const words = [
    ...Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/[A-Za-z_]+|-?\d+/g),
  ];
  if (words.length === 0) return bytes;
  const word = random.pick(words);
  const end = word.index + word[0].length;
  return joined(bytes.subarray(0, word.index), encode(random.pick(TOKENS)), bytes.subarray(end));
};

const onLines =
  (change: (lines: string[], random: Random) => void): Mutation =>
  (bytes, _, random) => {
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    change(lines, random);
    return new Uint8Array(Buffer.from(lines.join('\n'), 'latin1'));
  };

const removeLine = onLines((lines, random) => void lines.splice(random.below(lines.length), 1));

const repeatLine = onLines((lines, random) => {
  const at = random.below(lines.length);
  lines.splice(random.below(lines.length + 1), 0, lines[at]!);
});

const swapLines = onLines((lines, random) => {
  const [a, b] = [random.below(lines.length), random.below(lines.length)];
  [lines[a], lines[b]] = [lines[b]!, lines[a]!];
});

const nest: Mutation = (bytes, _, random) => {
  const depth = random.pick([2, 30, 2000]);
  return insertAt(
    bytes,
    random.below(bytes.length + 1),
    encode(random.pick(['[', '{', '(', '{"a":', '- ']).repeat(depth)),
  );
};

const MUTATIONS: readonly Mutation[] = [
  flipBit,
  setByte,
  cutEnd,
  cutStart,
  removePiece,
  repeatPiece,
  insertForeignPiece,
  insertToken,
  insertToken,
  replaceWord,
  replaceWord,
  replaceWord,
  removeLine,
  repeatLine,
  swapLines,
  nest,
];

const TOKENS = [
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '1e400',
  '9007199254740993',
  '18446744073709551615',
  '18446744073709551616',
  '-9223372036854775808',
  '-9223372036854775809',
  '9223372036854775808',
  '1000000000',
  '00',
  '+1',
  '0x10',
  'NaN',
  'null',
  'nil',
  'true',
  'false',
  '""',
  '"',
  "'",
  '\\',
  '\\u0000',
  '\\ud800',
  '[]',
  '{}',
  '()',
  '#{}',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\r',
  '\0',
  '\u2028',
  '\u202e',
  '\uFEFF',
  '\x1b[2J',
  '#',
  ';',
  '//',
  '/*',
  '---',
  '...',
  '&a',
  '*a',
  '<<',
  '!!int',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'session',
  'committed',
  'aborted',
  'unknown',
  '"isolab":"history",',
  '"version":1,',
  '"ops":[],',
  '"session":1,',
  '"status":"aborted",',
  '"initial":0,',
  ':invoke',
  ':ok',
  ':fail',
  ':info',
  ':txn',
  ':append',
  ':r',
  ':w',
  'r',
  'w',
  'append',
  'cas',
  'insert',
  'delete',
  'range',
];

function piece(bytes: Uint8Array, random: Random): [from: number, to: number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + random.pick([1, 2, 4, 8, 16, 64, 300]))];
}

const insertAt = (bytes: Uint8Array, at: number, inserted: Uint8Array): Uint8Array =>
  joined(bytes.subarray(0, at), inserted, bytes.subarray(at));

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const LONGEST = 1 << 16;
