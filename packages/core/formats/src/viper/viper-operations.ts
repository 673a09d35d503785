import { type Interner, NIL, OPEN_BOUND } from '@isolab/history';
import type { JsonReader } from '../syntax/json.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/** Receiver of the operations of a line. Keys and values are ids. */
export interface OperationSink {
  read(key: number, value: number): void;
  write(key: number, value: number, succeeded: boolean): void;
  exchange(kind: 'i' | 'd', key: number, observed: number, written: number, isDead: boolean, succeeded: boolean): void;
  /** Rows are alternating keys and values. */
  range(low: number, high: number, live: readonly number[], dead: readonly number[]): void;
}

/**
 * Reads operations. An operation is an array,
 *
 *     ["r", key, value, isDead]                                  ["i", key, value, readValue, isDead, succeeded, …]
 *     ["w", key, value, succeeded]                               ["d", key, tombstone, readValue, isDead, succeeded, …]
 *     ["range", from, to, [live rows], [dead rows], isFinal]     with rows {"id": key, "sk": …, "val": value}
 *
 * or an object with the fields opType, key, value, readValue, isDead, succ, key1, key2, liveKVs and deadKVs; objects
 * have the additional types "begin", "commit" and "abort". Other fields are ignored, including `reqTS` and `resTS`: an
 * operation has no time in our model, and the time of the last operation is not that of the commit.
 */
export class OperationReader {
  /**
   * Whether an operation since the last reset stated that it reads the final state, or that the transaction aborted.
   */
  sawFinal = false;
  sawAbort = false;

  readonly #json: JsonReader;
  readonly #keys: Interner;
  readonly #values: Interner;
  #into!: OperationSink;
  // Alternating keys and values of the rows of a range read.
  readonly #live: number[] = [];
  readonly #dead: number[] = [];

  constructor(json: JsonReader, keys: Interner, values: Interner) {
    this.#json = json;
    this.#keys = keys;
    this.#values = values;
  }

  readAll(into: OperationSink): void {
    const json = this.#json;
    this.#into = into;
    this.sawFinal = this.sawAbort = false;
    json.beginSequence();
    while (json.nextElement()) {
      if (json.peek() === 'object') this.#readObject();
      else this.#readArray();
    }
  }

  #readArray(): void {
    const json = this.#json;
    json.beginSequence();
    json.expectElement('the kind of an operation');
    const place = json.offset;
    const kind = json.readString();
    if (kind === 'range') return this.#readRangeArray();
    json.expectElement('a key');
    const key = this.#readKey();
    json.expectElement('a value');
    const value = this.#readValue();
    switch (kind) {
      case 'r':
        this.#nextFlag('whether the value is dead');
        this.#into.read(key, value);
        json.endSequence();
        break;
      case 'w':
        this.#into.write(key, value, this.#nextFlag('whether it succeeded'));
        json.endSequence();
        break;
      case 'i':
      case 'd': {
        json.expectElement('the value read');
        const observed = this.#readValue();
        const isDead = this.#nextFlag('whether the value read is dead');
        const succeeded = this.#nextFlag('whether it succeeded');
        while (json.nextElement()) json.skipValue(); // "ready", "actual operation"
        this.#into.exchange(kind, key, observed, value, isDead, succeeded);
        break;
      }
      default:
        this.#failKind(place, kind, '"r", "w", "i", "d" or "range"');
    }
  }

  #nextFlag(expected: string): boolean {
    this.#json.expectElement(expected);
    return this.#json.readBoolean();
  }

  #readRangeArray(): void {
    const json = this.#json;
    json.expectElement('the lower bound');
    const low = this.#readBound();
    json.expectElement('the upper bound');
    const high = this.#readBound();
    json.expectElement('the live rows');
    this.#readRows(this.#live);
    json.expectElement('the dead rows');
    this.#readRows(this.#dead);
    while (json.nextElement())
      if (json.peek() !== 'boolean') json.skipValue();
      else if (json.readBoolean()) this.sawFinal = true;
    this.#into.range(low, high, this.#live, this.#dead);
  }

  #readObject(): void {
    const json = this.#json;
    let [kind, place] = ['', json.offset];
    let [key, value, observed] = [-1, -1, NIL];
    let [isDead, succeeded] = [false, true];
    let [low, high] = [OPEN_BOUND, OPEN_BOUND];
    this.#live.length = this.#dead.length = 0;
    json.beginObject();
    for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
      if (json.peek() === 'null' && field !== 'value') json.readNull(); // treated as absent
      else if (field === 'opType') {
        place = json.offset;
        kind = json.readString();
      } else if (field === 'key') key = this.#readKey();
      else if (field === 'value') value = this.#readValue();
      else if (field === 'readValue') observed = this.#readValue();
      else if (field === 'isDead') isDead = json.readBoolean();
      else if (field === 'succ') succeeded = json.readBoolean();
      else if (field === 'key1') low = this.#readBound();
      else if (field === 'key2') high = this.#readBound();
      else if (field === 'liveKVs') this.#readRows(this.#live);
      else if (field === 'deadKVs') this.#readRows(this.#dead);
      else if (field === 'isFinal') this.sawFinal = json.readBoolean() || this.sawFinal;
      else json.skipValue();
    }
    switch (kind) {
      case 'r':
      case 'w':
      case 'i':
      case 'd':
        if (key < 0 || value < 0) this.#fail('an operation without "key" or "value"', 'both');
        if (kind === 'r') this.#into.read(key, value);
        else if (kind === 'w') this.#into.write(key, value, succeeded);
        else this.#into.exchange(kind, key, observed, value, isDead, succeeded);
        break;
      case 'range':
        this.#into.range(low, high, this.#live, this.#dead);
        break;
      case 'abort':
        this.sawAbort = true;
        break;
      case 'begin':
      case 'commit':
        break;
      default:
        if (kind === '') this.#fail('an operation without "opType"', OBJECT_KINDS);
        this.#failKind(place, kind, OBJECT_KINDS);
    }
  }

  #readRows(rows: number[]): void {
    const json = this.#json;
    rows.length = 0;
    json.beginSequence();
    while (json.nextElement()) {
      let [key, value] = [-1, -1];
      json.beginObject();
      for (let field = json.nextKey(); field !== undefined; field = json.nextKey()) {
        if (field === 'id') key = this.#readKey();
        else if (field === 'val') value = this.#readValue();
        else json.skipValue();
      }
      if (key < 0 || value < 0) this.#fail('a row without "id" or "val"', 'both');
      rows.push(key, value);
    }
  }

  #readKey(): number {
    const json = this.#json;
    const keys = this.#keys;
    if (json.peek() === 'string') return keys.string(json.readString());
    return json.readInteger() ? keys.integer(json.hi, json.lo) : keys.bigint(BigInt(json.bigText));
  }

  #readValue(): number {
    const json = this.#json;
    const values = this.#values;
    switch (json.peek()) {
      case 'string': {
        const text = json.readString();
        return text === ABSENT ? NIL : values.string(text);
      }
      case 'null':
        json.readNull();
        return NIL;
      default:
        if (!json.readInteger()) return values.bigint(BigInt(json.bigText));
        return json.hi === 0 && json.lo === 0 ? NIL : values.integer(json.hi, json.lo);
    }
  }

  #readBound(): number {
    const json = this.#json;
    if (json.peek() === 'string') {
      const text = json.readString();
      return text === ABSENT ? OPEN_BOUND : this.#keys.string(text);
    }
    if (json.peek() !== 'null') return this.#readKey();
    json.readNull();
    return OPEN_BOUND;
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.#json.place(), found, expected);
  }

  #failKind(offset: number, kind: string, expected: string): never {
    const found = JSON.stringify(kind.length > KIND_SHOWN ? `${kind.slice(0, KIND_SHOWN)}…` : kind);
    throw new SyntaxProblem(this.#json.placeOf(offset), found, expected);
  }
}

const ABSENT = 'nil';
const OBJECT_KINDS = '"r", "w", "i", "d", "range", "begin", "commit" or "abort"';
const KIND_SHOWN = 24;
