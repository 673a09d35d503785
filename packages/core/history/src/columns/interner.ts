import { type Atom, type Atoms, AtomType, type Token, joinInteger } from './atoms.ts';
import { type Growth, grown, growthFor, trim } from './columns.ts';
import { enter, hashPair, rehashed } from './hash-table.ts';
import { TextList } from './text-list.ts';

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
  #direct = new Int32Array(INITIAL_CAPACITY); // id + 1 of the integer whose lower half is the index plus `#directFrom`
  #directFrom = 0;
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
    const place = (lo - this.#directFrom) >>> 0;
    if (place < direct.length && hi === this.#directHi) {
      const known = direct[place];
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
    let from = this.#directFrom;
    for (let i = 0; i < count; i++) {
      const place = (lo[first + i] - from) >>> 0;
      const known = place < direct.length && hi[i] === this.#directHi ? direct[place] : 0;
      if (known !== 0) lo[first + i] = known - 1;
      else {
        lo[first + i] = this.#find(hi[i], lo[first + i]);
        direct = this.#direct;
        from = this.#directFrom;
      }
    }
  }

  #find(hi: number, lo: number): number {
    const place = lo - this.#directFrom;
    if (hi === this.#directHi && lo >= 0 && place >= 0) {
      if (place >= this.#direct.length && place < DENSITY * this.#type.length) {
        this.#widenDirect(place);
        return this.integer(hi, lo);
      }
      if (place < this.#direct.length) return (this.#direct[place] = this.#add(AtomType.Integer, hi, lo) + 1) - 1;
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

  #widenDirect(place: number): void {
    this.#direct = grown(this.#direct, new Int32Array(lengthFor(place, this.#direct.length)));
    if (this.#slotsUsed > 0) this.#fillDirect();
  }

  /** Enters the integers that were found by open addressing before. */
  #fillDirect(): void {
    for (let id = 0; id < this.#count; id++) {
      const place = this.#placeOf(id);
      if (place >= 0 && place < this.#direct.length) this.#direct[place] = id + 1;
    }
  }

  /** Place of an integer in the direct addresses, which may lie before or beyond them; NOWHERE if it never has one. */
  #placeOf(id: number): number {
    const isNear = this.#type[id] === AtomType.Integer && this.#hi[id] === this.#directHi && this.#lo[id] >= 0;
    return isNear ? this.#lo[id] - this.#directFrom : NOWHERE;
  }

  /** Enlarges the hash table, or moves the direct addresses to the integers in it if those are dense, and most. */
  #rehash(): void {
    let [least, most, inTable] = [Infinity, -Infinity, 0];
    for (let id = 0; id < this.#count; id++) {
      const place = this.#placeOf(id);
      if (place >= 0 && place < this.#direct.length) inTable++;
      else if (place !== NOWHERE) {
        least = Math.min(least, place);
        most = Math.max(most, place);
      }
    }
    if (most - least < DENSITY * this.#type.length && inTable < this.#slotsUsed) this.#moveDirect(least, most);
    else this.#slots = rehashed(this.#slots, (id) => hashPair(this.#hi[id], this.#lo[id]));
  }

  /** Lets the direct addresses begin at the first of these places; all other integers are found by open addressing. */
  #moveDirect(least: number, most: number): void {
    this.#directFrom += least;
    this.#direct = new Int32Array(lengthFor(most - least, INITIAL_CAPACITY));
    this.#fillDirect();
    const others: number[] = [];
    for (let id = 0; id < this.#count; id++) {
      const place = this.#type[id] === AtomType.Integer ? this.#placeOf(id) : 0;
      if (place < 0 || place >= this.#direct.length) others.push(id);
    }
    this.#slotsUsed = others.length;
    this.#slots = new Int32Array(lengthFor(4 * others.length, 2 * INITIAL_CAPACITY));
    for (const id of others) enter(this.#slots, id, hashPair(this.#hi[id], this.#lo[id]));
  }
}

/** Returns the smallest doubling of a length that has this place. */
function lengthFor(place: number, length: number): number {
  return place < length ? length : lengthFor(place, 2 * length);
}

/** Returns the type and text of an atom that is neither nil nor a 64-bit integer. */
export function textForm(atom: bigint | string | Token): { readonly type: number; readonly text: string } {
  if (typeof atom === 'string') return { type: AtomType.String, text: atom };
  if (typeof atom === 'bigint') return { type: AtomType.BigInteger, text: atom.toString() };
  return { type: TYPE_OF_TOKEN[atom.type], text: atom.text };
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const INITIAL_CAPACITY = 64;
/** Slots of direct addressing for each foreseen atom. */
const DENSITY = 4;
const NOTHING = new Int32Array(0);
const NOWHERE = -(2 ** 33);
const TYPE_OF_TOKEN = { keyword: AtomType.Keyword, literal: AtomType.Literal, unknown: AtomType.Unknown } as const;
