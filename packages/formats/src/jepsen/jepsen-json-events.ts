import { EMPTY_LIST, type HistoryBuilder, type Interner, literal } from '@isolab/history';
import {
  type Datum,
  EVENT_TYPES,
  type EventNumber,
  JepsenEvent,
  MicroKind,
  NO_CLIENT,
  OPAQUE,
} from './jepsen-event.ts';
import { JsonReader, type JsonValue } from '../syntax/json.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/** Reads events such as `{"type":"ok","f":"txn","value":[["append",3,1],["r",4,[7]]],"process":0,"time":17,"index":2}`. */
export class JsonEventReader {
  readonly reader = new JsonReader();
  readonly event = new JepsenEvent();
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  /**
   * Reads the object that comes next. What is no client may have any value, also one that only looks like a
   * transaction, but that it is none shows after the value: then we read once more.
   */
  read(rewind: () => void): void {
    try {
      this.#readObject(true);
    } catch (problem) {
      if (!(problem instanceof SyntaxProblem)) throw problem;
      rewind();
      try {
        this.#readObject(false);
      } catch {
        throw problem;
      }
      if (this.event.session !== NO_CLIENT) throw problem;
    }
  }

  #readObject(readsValue: boolean): void {
    const { reader, event } = this;
    event.clear();
    reader.beginObject();
    let seen = 0;
    for (let name = reader.nextKey(); name !== undefined; name = reader.nextKey()) {
      const bit = 1 << (NAMES.indexOf(name) + 1);
      if (bit > 1 && seen & bit) this.#fail(`"${name}"`, `a key other than "${name}", which this object has already`);
      seen |= bit;
      switch (name) {
        case 'type':
          this.#readType();
          break;
        case 'f':
          if (reader.peek() === 'null') reader.readNull();
          else event.f = reader.readString();
          break;
        case 'process':
          this.#readProcess();
          break;
        case 'time':
          this.#readNumber(event.time);
          break;
        case 'index':
          this.#readNumber(event.index);
          break;
        case 'value':
          if (readsValue) this.#readValue();
          else reader.skipValue();
          break;
        default:
          if (name === 'error') event.hasError = true;
          reader.skipValue();
      }
    }
  }

  #readType(): void {
    const name = this.reader.readString();
    this.event.type = EVENT_TYPES.indexOf(name);
    if (this.event.type < 0) this.#fail(JSON.stringify(name), '"invoke", "ok", "fail" or "info"');
  }

  #readProcess(): void {
    const { reader, event } = this;
    const { sessions } = this.#builder;
    const kind = reader.peek();
    if (kind === 'null') reader.readNull();
    else if (kind === 'string') {
      event.session = NO_CLIENT;
      event.processName = reader.readString();
    } else
      event.session = reader.readInteger()
        ? sessions.integer(reader.hi, reader.lo)
        : sessions.bigint(BigInt(reader.bigText));
  }

  #readNumber(number: EventNumber): void {
    const { reader } = this;
    if (reader.peek() === 'null') reader.readNull();
    else if (reader.readInteger()) number.set(reader.hi, reader.lo);
  }

  #readValue(): void {
    const { reader, event } = this;
    if (reader.peek() !== 'array') {
      event.value = 'datum';
      event.datum = datumOf(reader.readValue());
      return;
    }
    reader.beginArray();
    let more = reader.nextElement();
    if (more && reader.peek() === 'array') {
      event.value = 'transaction';
      for (; more; more = reader.nextElement()) this.#readMicroOp();
      return;
    }
    const items: Datum[] = [];
    for (; more; more = reader.nextElement()) items.push(datumOf(reader.readValue()));
    event.value = 'datum';
    event.datum = items;
  }

  #readMicroOp(): void {
    const { reader } = this;
    const { keys, values } = this.#builder;
    const { microOps } = this.event;
    reader.beginArray();
    reader.expectElement('"r", "w" or "append"');
    const name = reader.readString();
    if (name !== 'r' && name !== 'append' && name !== 'w') this.#fail(JSON.stringify(name), '"r", "w" or "append"');
    reader.expectElement('a key');
    const key = this.#readAtom(keys, 'a key: an integer, a string, true or false');
    reader.expectElement('a value');
    if (name !== 'r') microOps.add(name === 'w' ? MicroKind.Write : MicroKind.Append, key, this.#readValueAtom());
    else {
      const kind = reader.peek();
      if (kind === 'null') {
        reader.readNull();
        microOps.add(MicroKind.ReadNil, key, values.nil());
      } else if (kind === 'array') microOps.add(MicroKind.ReadList, key, this.#readList(key));
      else microOps.add(MicroKind.ReadValue, key, this.#readValueAtom());
    }
    reader.endArray();
  }

  /** The node of the list that comes next. */
  #readList(key: number): number {
    const { reader } = this;
    const { lists } = this.#builder;
    let node = EMPTY_LIST;
    reader.beginArray();
    while (reader.nextElement()) node = lists.extend(key, node, this.#readValueAtom());
    return node;
  }

  #readValueAtom(): number {
    const { reader } = this;
    const { values } = this.#builder;
    const kind = reader.peek();
    if (kind === 'number')
      return reader.readInteger() ? values.integer(reader.hi, reader.lo) : values.bigint(BigInt(reader.bigText));
    if (kind !== 'null') return this.#readAtom(values, VALUE);
    reader.readNull();
    return values.nil();
  }

  /** The id of a scalar that is not null. */
  #readAtom(atoms: Interner, expected: string): number {
    const { reader } = this;
    switch (reader.peek()) {
      case 'number':
        return reader.readInteger() ? atoms.integer(reader.hi, reader.lo) : atoms.bigint(BigInt(reader.bigText));
      case 'string':
        return atoms.string(reader.readString());
      case 'boolean':
        return atoms.literal(String(reader.readBoolean()));
      default:
        return this.#fail(ARTICLES[reader.peek()] ?? reader.peek(), expected);
    }
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.reader.place(), found, expected);
  }
}

/** A value in the terms of both notations; keywords are strings here. */
function datumOf(value: JsonValue): Datum {
  if (value === null || typeof value === 'bigint' || typeof value === 'string') return value;
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'boolean') return literal(String(value));
  if (Array.isArray(value)) return value.map(datumOf);
  return value instanceof Map ? OPAQUE : literal(value.text);
}

const VALUE = 'a value: an integer, a string, null, true or false';
const NAMES = ['type', 'f', 'process', 'time', 'index', 'value', 'error'];
const ARTICLES: Readonly<Record<string, string>> = { array: 'an array', object: 'an object', end: 'the end' };
