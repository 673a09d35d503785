import { followedBy } from './columns.ts';
import { visibleLine } from './foreign-text.ts';

/**
 * Atoms: the keys, values, session labels and transaction names of a history, as spelled in its file.
 * A history refers to an atom by its id, an index into an {@link Atoms} table. The table consists of columns, so ten
 * million values can be handed to a worker without copying. 64-bit integers are exact; longer integers keep their
 * digits.
 */

/** Types in the type column of an {@link Atoms} table. */
export const AtomType = {
  /** Absent keys, `nil` and `null`. */
  Nil: 0,
  /** A result that the client never received. */
  Unknown: 1,
  /** An integer of at most 64 bits, signed, in `hi` and `lo`. */
  Integer: 2,
  String: 3,
  /** An EDN keyword, without its colon. */
  Keyword: 4,
  /** Decimal digits of an integer that needs more than 64 bits. */
  BigInteger: 5,
  /** Any other token, verbatim: a fraction, a boolean, a vector. */
  Literal: 6,
} as const;

export interface Atoms {
  readonly type: Uint8Array;
  /** Lower half of an integer; for text types, the number of the text. */
  readonly lo: Int32Array;
  readonly hi: Int32Array;
  /** UTF-8 of all texts, concatenated. */
  readonly text: Uint8Array;
  /** Start of each text, with one extra slot. */
  readonly textStart: Uint32Array;
}

export const NO_ATOMS: Atoms = {
  type: new Uint8Array(0),
  lo: new Int32Array(0),
  hi: new Int32Array(0),
  text: new Uint8Array(0),
  textStart: new Uint32Array(1),
};

/** A token that is neither an integer nor a string. */
export interface Token {
  readonly type: 'keyword' | 'literal' | 'unknown';
  readonly text: string;
}

/** An atom as a JavaScript value: `null` is nil, and every integer is a bigint. */
export type Atom = null | bigint | string | Token;

export const keyword = (text: string): Token => ({ type: 'keyword', text });
export const literal = (text: string): Token => ({ type: 'literal', text });
export const UNKNOWN: Token = { type: 'unknown', text: '?' };

export const countAtoms = (atoms: Atoms): number => atoms.type.length;

export function atomOf(atoms: Atoms, id: number): Atom {
  switch (atoms.type[id]) {
    case AtomType.Nil:
      return null;
    case AtomType.Unknown:
      return UNKNOWN;
    case AtomType.Integer:
      return joinInteger(atoms.hi[id], atoms.lo[id]);
    case AtomType.String:
      return textOf(atoms, id);
    case AtomType.Keyword:
      return keyword(textOf(atoms, id));
    case AtomType.BigInteger:
      return BigInt(textOf(atoms, id));
    case AtomType.Literal:
      return literal(textOf(atoms, id));
    default:
      throw new RangeError(`Got atom ${id}, but the table holds ${countAtoms(atoms)}.`);
  }
}

export function* allAtoms(atoms: Atoms): Generator<Atom> {
  for (let id = 0; id < countAtoms(atoms); id++) yield atomOf(atoms, id);
}

/** Returns the table with more strings (or literals, for values that are not strings) after its own atoms. */
export function withTexts(atoms: Atoms, texts: readonly string[], type: number): Atoms {
  const encoded = texts.map(encodeText);
  const numTexts = atoms.textStart.length - 1;
  const textStart = new Uint32Array(atoms.textStart.length + texts.length);
  textStart.set(atoms.textStart);
  encoded.forEach((bytes, i) => (textStart[numTexts + i + 1] = textStart[numTexts + i]! + bytes.length));
  const text = new Uint8Array(textStart[numTexts + texts.length]!);
  text.set(atoms.text);
  encoded.forEach((bytes, i) => text.set(bytes, textStart[numTexts + i]));
  return {
    type: followedBy(atoms.type, new Uint8Array(texts.length).fill(type)),
    lo: followedBy(
      atoms.lo,
      Int32Array.from(texts, (_, i) => numTexts + i),
    ),
    hi: followedBy(atoms.hi, new Int32Array(texts.length)),
    text,
    textStart,
  };
}

/** Returns the table with some texts replaced. */
export function withReplacedTexts(atoms: Atoms, texts: ReadonlyMap<number, string>): Atoms {
  const { lo, text, textStart } = withTexts(atoms, [...texts.values()], AtomType.String);
  const replaced = atoms.lo.slice();
  let next = countAtoms(atoms);
  for (const id of texts.keys()) replaced[id] = lo[next++]!;
  return { ...atoms, lo: replaced, text, textStart };
}

function textOf(atoms: Atoms, id: number): string {
  const text = atoms.lo[id];
  return decoder.decode(atoms.text.subarray(atoms.textStart[text], atoms.textStart[text + 1]));
}

/** Shows an atom in a message, on one line and with all characters visible: `nil`, `42`, `"x"`, `:x`, `?`. */
export const showAtom = (atoms: Atoms, id: number): string => printAtom(atomOf(atoms, id));

export function printAtom(atom: Atom): string {
  if (atom === null) return 'nil';
  if (typeof atom === 'bigint') return atom.toString();
  if (typeof atom === 'string') return visibleLine(JSON.stringify(atom));
  return visibleLine(atom.type === 'keyword' ? `:${atom.text}` : atom.text);
}

/** Names an atom in a sentence: like {@link printAtom}, but strings have no quotes. */
export const nameAtom = (atoms: Atoms, id: number): string => {
  const atom = atomOf(atoms, id);
  return typeof atom === 'string' ? visibleLine(atom) : printAtom(atom);
};

/** Returns a string that is equal for equal atoms and different for different atoms. */
export function atomIdentity(atom: Atom): string {
  if (atom === null) return 'n';
  if (typeof atom === 'bigint') return `i${atom}`;
  if (typeof atom === 'string') return `s${atom}`;
  return `${atom.type[0]}${atom.text}`;
}

export const joinInteger = (hi: number, lo: number): bigint => (BigInt(hi) << 32n) | BigInt(lo >>> 0);

// The only two globals of JavaScript hosts that this package needs; the standard library does not declare them.
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: string,
  options: { ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
export const encodeText = (text: string): Uint8Array => encoder.encode(text);
