import { type Atom, EMPTY_LIST, type History, HistoryBuilder, NIL, OpKind } from '@isolab/history';
import { InitialZeros } from '../dbcop/dbcop-initial-zeros.ts';
import { FormatError, inFile, mismatch, unexpected } from '../files/errors.ts';
import { KeyUses, settleNilReads } from '../format/nil-reads.ts';
import { JsonReader } from '../syntax/json.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/**
 * Reads
 *
 *     file        := [transaction*]
 *     transaction := {"tid": name, "sid": name, "sts": timestamp, "cts": timestamp, "ops": [operation*]}
 *     timestamp   := {"p": integer, "l": integer}
 *     operation   := {"t": "r" | "w" | "a", "k": integer, "v": integer | null | [integer*]}
 *
 * where integers may be strings, `read`, `write` and `append` may be spelled out, and a missing value is null: the
 * initial state, or an empty list if the key is a list. Other fields of an object are ignored.
 */
export class TimeKillerReader {
  readonly #file: string;
  readonly #bytes: Uint8Array;
  readonly #json = new JsonReader();
  readonly #builder: HistoryBuilder;
  readonly #zeros: InitialZeros;
  readonly #timestamps = new HybridTimestamps();
  /**
   * Uses of keys, known only at the end of the file. Reads of lists without a value then become reads of empty lists.
   */
  readonly #uses = new KeyUses();
  #begun = 0; // byte at which the transaction begins

  constructor(file: string, bytes: Uint8Array) {
    this.#file = file;
    this.#bytes = bytes;
    this.#builder = new HistoryBuilder({ format: 'timekiller', file, unit: 'byte' });
    this.#zeros = new InitialZeros(this.#builder);
  }

  read(): History {
    const json = this.#json;
    if (this.#bytes.length === 0) throw unexpected(this.#file, null, 'an empty file', FILE);
    json.reset(this.#bytes, 0, this.#bytes.length);
    inFile(this.#file, () => {
      json.beginSequence();
      while (json.nextElement()) this.#readTransaction();
      json.finish();
    });
    const problem = this.#timestamps.problem();
    if (problem !== null) throw new FormatError(this.#file, null, problem);
    this.#timestamps.addTo(this.#builder);
    const history = this.#zeros.finish();
    settleNilReads(history, this.#uses);
    return history;
  }

  #readTransaction(): void {
    const json = this.#json;
    const builder = this.#builder;
    this.#begun = json.offset;
    const begin = json.place();
    const t = builder.begin(0, this.#begun);
    const seen = new Set<string>();
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (!FIELDS.has(field)) {
        json.skipValue();
        continue;
      }
      if (seen.has(field)) throw new SyntaxProblem(json.keyPlace(), `"${field}" a second time`, 'only one');
      seen.add(field);
      if (field === 'tid') builder.name(t, this.#readName());
      else if (field === 'sid') builder.move(t, builder.session(this.#readName()));
      else if (field === 'sts') this.#readTimestamp(t, 'startTs');
      else if (field === 'cts') this.#readTimestamp(t, 'commitTs');
      else {
        json.beginSequence();
        while (json.nextElement()) this.#readOperation();
      }
    }
    for (const field of ['sid', 'ops'])
      if (!seen.has(field)) throw new SyntaxProblem(begin, `a transaction without "${field}"`, `"${field}"`);
  }

  #readName(): Atom {
    const json = this.#json;
    return json.peek() === 'string' ? json.readString() : this.#readInteger();
  }

  #readInteger(): bigint {
    this.#json.readInteger();
    return BigInt(this.#json.integer());
  }

  /** Reads a timestamp such as `{"p": 1691420095436341, "l": 61}`. */
  #readTimestamp(t: number, column: 'startTs' | 'commitTs'): void {
    const json = this.#json;
    const begin = json.place();
    let p: bigint | null = null;
    let l = 0n;
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (field === 'p') p = this.#readPart(LEAST, MOST, 'an integer of 64 bits');
      else if (field === 'l') l = this.#readPart(0n, MOST_LOGICAL, 'a logical time, from 0 to 2^20');
      else json.skipValue();
    }
    if (p === null) throw new SyntaxProblem(begin, 'a timestamp without "p"', 'a timestamp such as {"p": 1, "l": 0}');
    this.#timestamps.add(t, column, p, l);
  }

  #readPart(least: bigint, most: bigint, expected: string): bigint {
    const json = this.#json;
    const isString = json.peek() === 'string';
    const place = json.place();
    const text = isString ? json.readString() : String(this.#readInteger());
    const part = /^-?\d{1,20}$/.test(text) ? BigInt(text) : null;
    if (part === null || part < least || part > most) throw new SyntaxProblem(place, text.slice(0, 40), expected);
    return part;
  }

  /** Reads an operation such as `{"t": "r", "k": 8, "v": 3}`. */
  #readOperation(): void {
    const json = this.#json;
    const { keys, values, lists } = this.#builder;
    const offset = json.offset;
    const begin = json.place();
    let kind: string | null = null;
    let key = -1;
    let value: number | number[] | null = null;
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (field === 't') kind = this.#readKind();
      else if (field === 'k') key = keys.atom(this.#readInteger());
      else if (field === 'v') value = this.#readValue();
      else json.skipValue();
    }
    if (kind === null || key < 0) throw new SyntaxProblem(begin, 'an operation without "t" or "k"', OPERATION);
    if (kind !== 'r' && typeof value !== 'number')
      throw new SyntaxProblem(begin, 'a write without an integer as "v"', OPERATION);
    if (kind === 'a' || Array.isArray(value)) this.#uses.asList(key);
    else if (value !== null) this.#uses.asRegister(key);
    if (Array.isArray(value)) {
      let list = EMPTY_LIST;
      for (const element of value) list = lists.extend(key, list, element);
      this.#builder.op(OpKind.ListRead, key, list);
    } else {
      const op = kind === 'r' ? OpKind.Read : kind === 'w' ? OpKind.Write : OpKind.Append;
      if (value !== null && value === values.integer(0, 0) && kind !== 'a') this.#zeros.see(op, key);
      this.#builder.op(op, key, value ?? NIL);
    }
    this.#builder.opAt(offset - this.#begun);
  }

  #readKind(): string {
    const place = this.#json.place();
    const word = this.#json.readString();
    const kind = KINDS.get(word.toLowerCase());
    if (kind === undefined) throw new SyntaxProblem(place, JSON.stringify(word.slice(0, 40)), '"r", "w" or "a"');
    return kind;
  }

  /** Reads a value, the values of a list, or null. */
  #readValue(): number | number[] | null {
    const json = this.#json;
    const { values } = this.#builder;
    const kind = json.peek();
    if (kind === 'null') {
      json.readNull();
      return null;
    }
    if (kind !== 'array') return values.atom(this.#readInteger());
    const elements: number[] = [];
    json.beginSequence();
    while (json.nextElement()) elements.push(values.atom(this.#readInteger()));
    return elements;
  }
}

/**
 * Hybrid timestamps: a physical time and a logical counter. As integers, they reserve as many bits for the counter as
 * its largest value needs.
 */
class HybridTimestamps {
  readonly #t: number[] = [];
  readonly #isStart: boolean[] = [];
  readonly #p: bigint[] = [];
  readonly #l: bigint[] = [];

  add(t: number, column: 'startTs' | 'commitTs', p: bigint, l: bigint): void {
    this.#t.push(t);
    this.#isStart.push(column === 'startTs');
    this.#p.push(p);
    this.#l.push(l);
  }

  /** Returns the obstacle to writing the timestamps as 64-bit integers; null if there is none. */
  problem(): string | null {
    const shift = this.#shift();
    for (const p of this.#p) {
      const whole = p << shift;
      if (BigInt.asIntN(64, whole) !== whole || whole === LEAST - 1n)
        return mismatch(`a timestamp of ${p} with ${shift} bits for "l"`, 'a timestamp that fits in 64 bits');
    }
    return null;
  }

  addTo(builder: HistoryBuilder): void {
    const shift = this.#shift();
    for (const [i, t] of this.#t.entries())
      builder.time(t, this.#isStart[i] ? 'startTs' : 'commitTs', (this.#p[i]! << shift) | this.#l[i]!);
  }

  #shift(): bigint {
    const most = this.#l.reduce((a, b) => (a > b ? a : b), 0n);
    return BigInt(most === 0n ? 0 : most.toString(2).length);
  }
}

const FIELDS: ReadonlySet<string> = new Set(['tid', 'sid', 'sts', 'cts', 'ops']);
const KINDS: ReadonlyMap<string, string> = new Map([
  ['r', 'r'],
  ['read', 'r'],
  ['w', 'w'],
  ['write', 'w'],
  ['a', 'a'],
  ['append', 'a'],
]);
const FILE = 'an array of transactions';
const OPERATION = 'an operation such as {"t": "r", "k": 8, "v": 3}';
const LEAST = -(2n ** 63n) + 1n;
const MOST = 2n ** 63n - 1n;
const MOST_LOGICAL = 2n ** 20n;
