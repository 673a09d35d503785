import { type Atom, type Atoms, AtomType, type Token, encodeText, joinInteger } from './atoms.ts';
import { type Growth, grown, growthFor, trim } from './columns.ts';

/**
 * Gives every distinct atom a dense id, in order of first appearance.
 * Integers are found without allocation: small ones by direct address as long as they are dense, all others by open
 * addressing. Texts are found by their bytes, also by open addressing. No string is kept.
 */
export class Interner {
  #count = 0;
  #type = new Uint8Array(INITIAL_CAPACITY);
  #lo = new Int32Array(INITIAL_CAPACITY);
  #hi = new Int32Array(INITIAL_CAPACITY);
  #direct = new Int32Array(INITIAL_CAPACITY); // id + 1 of the integer whose lower half is the index
  #directHi = 0; // upper half of these integers
  #slots = new Int32Array(2 * INITIAL_CAPACITY); // id + 1, open addressing on (hi, lo)
  #slotsUsed = 0;
  readonly #texts = new TextList();
  #textSlots = new Int32Array(2 * INITIAL_CAPACITY); // id + 1, open addressing on type and text
  readonly #idOfIllFormed = new Map<string, number>();
  readonly #growth: Growth;
  #nil = -1;

  constructor(growth = growthFor(undefined)) {
    this.#growth = growth;
  }

  get size(): number {
    return this.#count;
  }

  /** Shows whether all texts have paired surrogates: bytes of a text do not show an unpaired one. */
  isWellFormed = true;

  /** Returns the id of the signed 64-bit integer with these halves. Short, so that it is inlined into its callers. */
  integer(hi: number, lo: number): number {
    const direct = this.#direct;
    if (lo >>> 0 < direct.length && hi === this.#directHi) {
      const known = direct[lo];
      if (known !== 0) return known - 1;
    }
    return this.#find(hi, lo);
  }

  /**
   * Replaces entries of `lo` from `first` on, lower halves of integers with the upper halves in `hi`, by their ids. The
   * short loop waits for several entries of the table at once; {@link integer} waits for each in turn.
   */
  integers(hi: Int32Array, lo: Int32Array, first: number, count: number): void {
    let direct = this.#direct;
    for (let i = 0; i < count; i++) {
      const low = lo[first + i];
      const known = low >>> 0 < direct.length && hi[i] === this.#directHi ? direct[low] : 0;
      if (known !== 0) lo[first + i] = known - 1;
      else {
        lo[first + i] = this.#find(hi[i], low);
        direct = this.#direct;
      }
    }
  }

  #find(hi: number, lo: number): number {
    if (hi === this.#directHi && lo >= 0) {
      if (lo >= this.#direct.length && lo < DENSITY * this.#type.length) {
        this.#widenDirect(lo);
        return this.integer(hi, lo);
      }
      if (lo < this.#direct.length) return (this.#direct[lo] = this.#add(AtomType.Integer, hi, lo) + 1) - 1;
    }
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashPair(hi, lo) & mask;
    for (let id = slots[slot] - 1; id >= 0; id = slots[slot] - 1) {
      if (this.#lo[id] === lo && this.#hi[id] === hi) return id;
      slot = (slot + 1) & mask;
    }
    const id = this.#add(AtomType.Integer, hi, lo);
    slots[slot] = id + 1;
    if (++this.#slotsUsed * 2 > slots.length) this.#rehash();
    return id;
  }

  /**
   * Announces, before the first integer, the most common upper half; integers with it are then found by direct address.
   */
  expectUpperHalf(hi: number): void {
    if (this.#type.subarray(0, this.#count).includes(AtomType.Integer))
      throw new Error('The interner already holds integers.');
    this.#directHi = hi;
  }

  /** Returns the id of an atom. Hot loops call {@link integer} themselves. */
  atom(atom: Atom): number {
    if (atom === null) return this.nil();
    if (typeof atom === 'bigint') return this.bigint(atom);
    if (typeof atom === 'string') return this.string(atom);
    const { type, text } = textForm(atom);
    return this.#text(type, text);
  }

  nil(): number {
    if (this.#nil < 0) this.#nil = this.#add(AtomType.Nil, 0, 0);
    return this.#nil;
  }

  bigint(value: bigint): number {
    if (BigInt.asIntN(64, value) !== value) {
      const { type, text } = textForm(value);
      return this.#text(type, text);
    }
    return this.integer(Number(value >> 32n), Number(BigInt.asIntN(32, value)));
  }

  string(text: string): number {
    return this.#text(AtomType.String, text);
  }

  /** Returns the id of the string in `bytes[from, to)`, which must be valid UTF-8. */
  utf8(bytes: Uint8Array, from: number, to: number): number {
    this.#texts.writeBytes(bytes, from, to);
    return this.#written(AtomType.String);
  }

  keyword(text: string): number {
    return this.#text(AtomType.Keyword, text);
  }

  literal(text: string): number {
    return this.#text(AtomType.Literal, text);
  }

  /**
   * Adds the atom with this id to another interner and returns its id there. May be called after {@link finish}, too.
   */
  copyTo(id: number, other: Interner): number {
    const type = this.#type[id];
    if (type === AtomType.Integer) return other.integer(this.#hi[id], this.#lo[id]);
    if (type === AtomType.Nil) return other.nil();
    for (const [name, own] of this.#idOfIllFormed) if (own === id) return other.#illFormed(type, name.slice(1));
    this.#texts.copyTo(this.#lo[id], other.#texts);
    return other.#written(type);
  }

  /** Adds all atoms of a table in their order, and returns their ids here. */
  addAll({ type, hi, lo, text, textStart }: Atoms): Int32Array {
    const ids = new Int32Array(type.length);
    for (let id = 0; id < ids.length; id++) {
      if (type[id] === AtomType.Integer) ids[id] = this.integer(hi[id], lo[id]);
      else if (type[id] === AtomType.Nil) ids[id] = this.nil();
      else {
        this.#texts.writeBytes(text, textStart[lo[id]], textStart[lo[id] + 1]);
        ids[id] = this.#written(type[id]);
      }
    }
    return ids;
  }

  /** Returns the integer with this id, or undefined if the atom is not an integer. */
  integerAt(id: number): bigint | undefined {
    return this.#type[id] === AtomType.Integer ? joinInteger(this.#hi[id], this.#lo[id]) : undefined;
  }

  /** Returns the table of all atoms so far; the interner must not be used afterwards. */
  finish(): Atoms {
    this.#slots = this.#direct = this.#textSlots = NOTHING;
    const count = this.#count;
    return {
      type: trim(this.#type, count),
      lo: trim(this.#lo, count),
      hi: trim(this.#hi, count),
      ...this.#texts.finish(),
    };
  }

  #text(type: number, text: string): number {
    const isAscii = this.#texts.write(text);
    return !isAscii && LONE_SURROGATE.test(text) ? this.#illFormed(type, text) : this.#written(type);
  }

  /** Texts that differ only in unpaired surrogates are different atoms, although their UTF-8 bytes are equal. */
  #illFormed(type: number, text: string): number {
    const name = `${type}${text}`;
    const id = this.#idOfIllFormed.get(name) ?? this.#add(type, 0, this.#texts.keep());
    this.#idOfIllFormed.set(name, id);
    this.isWellFormed = false;
    return id;
  }

  #written(type: number): number {
    const texts = this.#texts;
    const slots = this.#textSlots;
    const mask = slots.length - 1;
    let slot = (texts.hash() + type) & mask;
    for (let id = slots[slot] - 1; id >= 0; id = slots[slot] - 1) {
      if (this.#type[id] === type && texts.isWritten(this.#lo[id])) return id;
      slot = (slot + 1) & mask;
    }
    const number = texts.keep();
    const id = this.#add(type, 0, number);
    slots[slot] = id + 1;
    if (2 * number > slots.length) this.#rehashTexts();
    return id;
  }

  #rehashTexts(): void {
    this.#textSlots = rehashed(this.#textSlots, (id) => this.#texts.hash(this.#lo[id]) + this.#type[id]);
  }

  #add(type: number, hi: number, lo: number): number {
    const id = this.#count++;
    if (id === this.#type.length) {
      const capacity = this.#growth(id);
      this.#type = grown(this.#type, new Uint8Array(capacity));
      this.#lo = grown(this.#lo, new Int32Array(capacity));
      this.#hi = grown(this.#hi, new Int32Array(capacity));
    }
    this.#type[id] = type;
    if (hi !== 0) this.#hi[id] = hi; // the operating system allocates no memory for pages that are never written
    this.#lo[id] = lo;
    return id;
  }

  #widenDirect(lo: number): void {
    let capacity = this.#direct.length;
    while (capacity <= lo) capacity *= 2;
    const direct = grown(this.#direct, new Int32Array(capacity));
    for (let id = 0; this.#slotsUsed > 0 && id < this.#count; id++) {
      const small = this.#lo[id];
      if (this.#hi[id] === this.#directHi && small >= 0 && small < capacity && this.#type[id] === AtomType.Integer)
        direct[small] = id + 1;
    }
    this.#direct = direct;
  }

  #rehash(): void {
    this.#slots = rehashed(this.#slots, (id) => hashPair(this.#hi[id], this.#lo[id]));
  }
}

/** Returns a larger hash table of ids + 1. */
function rehashed(old: Int32Array, hashOf: (id: number) => number): Int32Array<ArrayBuffer> {
  const slots = new Int32Array((old.length < SMALL ? 4 : 2) * old.length);
  const mask = slots.length - 1;
  for (let i = 0; i < old.length; i++) {
    const entry = old[i];
    if (entry === 0) continue;
    let slot = hashOf(entry - 1) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = entry;
  }
  return slots;
}

/** Texts in one UTF-8 buffer. The text written last can be compared with the kept texts before it is kept, too. */
export class TextList {
  #bytes = new Uint8Array(INITIAL_CAPACITY);
  #start = new Uint32Array(INITIAL_CAPACITY);
  #count = 0;
  #end = 0; // of the text written last

  /** Writes a text and returns whether it is ASCII. Most texts are, and a loop is faster for them than an encoder. */
  write(text: string): boolean {
    const first = this.#start[this.#count];
    const { length } = text;
    this.#end = first + length;
    if (this.#end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#end));
    const kept = this.#bytes;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) {
        const encoded = encodeText(text);
        this.writeBytes(encoded, 0, encoded.length);
        return false;
      }
      kept[first + i] = unit;
    }
    return true;
  }

  writeBytes(bytes: Uint8Array, from: number, to: number): void {
    const first = this.#start[this.#count];
    this.#end = first + to - from;
    if (this.#end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * this.#end));
    const kept = this.#bytes;
    for (let at = from; at < to; at++) kept[first + at - from] = bytes[at];
  }

  /** Copies a kept text to another list. */
  copyTo(number: number, other: TextList): void {
    other.writeBytes(this.#bytes, this.#start[number], this.#start[number + 1]);
  }

  /** Keeps the text written last, and returns its number. */
  keep(): number {
    if (this.#count + 2 > this.#start.length) this.#start = grown(this.#start, new Uint32Array(2 * this.#start.length));
    this.#start[this.#count + 1] = this.#end;
    return this.#count++;
  }

  /** Returns whether a kept text equals the text written last. */
  isWritten(number: number): boolean {
    const bytes = this.#bytes;
    const from = this.#start[this.#count];
    const length = this.#end - from;
    const first = this.#start[number];
    if (this.#start[number + 1] - first !== length) return false;
    let same = 0;
    while (same < length && bytes[first + same] === bytes[from + same]) same++;
    return same === length;
  }

  /** Hashes the text written last, or a kept text. */
  hash(number = this.#count): number {
    const bytes = this.#bytes;
    const end = number === this.#count ? this.#end : this.#start[number + 1];
    let hash = 0;
    for (let at = this.#start[number]; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    return hashPair(hash, end - this.#start[number]);
  }

  finish(): { readonly text: Uint8Array; readonly textStart: Uint32Array } {
    return {
      text: trim(this.#bytes, this.#start[this.#count]),
      textStart: trim(this.#start, this.#count + 1),
    };
  }
}

/** Returns the type and text of an atom that is neither nil nor a 64-bit integer. */
export function textForm(atom: bigint | string | Token): { readonly type: number; readonly text: string } {
  if (typeof atom === 'string') return { type: AtomType.String, text: atom };
  if (typeof atom === 'bigint') return { type: AtomType.BigInteger, text: atom.toString() };
  return { type: TYPE_OF_TOKEN[atom.type], text: atom.text };
}

/** Mixes a pair of 32-bit integers well enough for a table whose size is a power of two. */
export function hashPair(a: number, b: number): number {
  let h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return h ^ (h >>> 13);
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const INITIAL_CAPACITY = 1024;
/** Smaller tables grow faster, because moving their entries ends before this code is compiled. */
const SMALL = 1 << 16;
/** Slots of direct addressing for each foreseen atom. */
const DENSITY = 4;
const NOTHING = new Int32Array(0);
const TYPE_OF_TOKEN = { keyword: AtomType.Keyword, literal: AtomType.Literal, unknown: AtomType.Unknown } as const;
