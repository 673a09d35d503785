import { EMPTY_LIST, type HistoryBuilder, type Interner, keyword, literal } from '@isolab/history';
import {
  type Datum,
  EVENT_TYPES,
  type EventNumber,
  JepsenEvent,
  MicroKind,
  NO_CLIENT,
  OPAQUE,
} from './jepsen-event.ts';
import { EdnReader, type EdnValue } from '../syntax/edn.ts';
import { SyntaxProblem } from '../syntax/problem.ts';

/** Reads events such as `{:type :ok, :f :txn, :value [[:append 3 1] [:r 4 [7]]], :process 0, :time 17, :index 2}`. */
export class EdnEventReader {
  readonly reader = new EdnReader();
  readonly event = new JepsenEvent();
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  /**
   * Reads the map that comes next. What is no client may have any value, also one that only looks like a transaction,
   * but that it is none shows after the value: then we read once more.
   */
  read(rewind: () => void): void {
    try {
      this.#readMap(true);
    } catch (problem) {
      if (!(problem instanceof SyntaxProblem)) throw problem;
      rewind();
      try {
        this.#readMap(false);
      } catch {
        throw problem;
      }
      if (this.event.session !== NO_CLIENT) throw problem;
    }
  }

  #readMap(readsValue: boolean): void {
    const { reader, event } = this;
    event.clear();
    if (reader.peek() === 'tagged') reader.readTag(); // Jepsen's own record
    reader.beginMap();
    let seen = 0;
    while (reader.nextEntry()) {
      if (reader.peek() !== 'keyword') {
        reader.skipForm();
        reader.skipForm();
        continue;
      }
      const name = reader.readKeyword();
      const bit = 1 << (NAMES.indexOf(name) + 1);
      if (bit > 1 && seen & bit) this.#fail(`:${name}`, `a key other than :${name}, which this map has already`);
      seen |= bit;
      switch (name) {
        case 'type':
          this.#readType();
          break;
        case 'f':
          if (reader.peek() === 'nil') reader.readNil();
          else event.f = reader.readKeyword();
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
          else reader.skipForm();
          break;
        default:
          if (name === 'error') event.hasError = true;
          reader.skipForm();
      }
    }
  }

  #readType(): void {
    const name = this.reader.readKeyword();
    this.event.type = EVENT_TYPES.indexOf(name);
    if (this.event.type < 0) this.#fail(`:${name}`, "':invoke', ':ok', ':fail' or ':info'");
  }

  #readProcess(): void {
    const { reader, event } = this;
    const { sessions } = this.#builder;
    const kind = reader.peek();
    if (kind === 'nil') reader.readNil();
    else if (kind === 'keyword') {
      event.session = NO_CLIENT;
      event.processName = reader.readKeyword();
    } else
      event.session = reader.readInteger()
        ? sessions.integer(reader.hi, reader.lo)
        : sessions.bigint(BigInt(reader.bigText));
  }

  #readNumber(number: EventNumber): void {
    const { reader } = this;
    if (reader.peek() === 'nil') reader.readNil();
    else if (reader.readInteger()) number.set(reader.hi, reader.lo);
  }

  #readValue(): void {
    const { reader, event } = this;
    const kind = reader.peek();
    if (kind !== 'vector' && kind !== 'list') {
      event.value = 'datum';
      event.datum = datumOf(reader.readForm());
      return;
    }
    reader.beginSequence();
    let more = reader.nextElement();
    if (more && isSequence(reader.peek())) {
      event.value = 'transaction';
      for (; more; more = reader.nextElement()) this.#readMicroOp();
      return;
    }
    const items: Datum[] = [];
    for (; more; more = reader.nextElement()) items.push(datumOf(reader.readForm()));
    event.value = 'datum';
    event.datum = items;
  }

  #readMicroOp(): void {
    const { reader } = this;
    const { keys, values } = this.#builder;
    const { microOps } = this.event;
    reader.beginSequence();
    const name = reader.readKeyword();
    if (name !== 'r' && name !== 'append' && name !== 'w') this.#fail(`:${name}`, "':r', ':w' or ':append'");
    const key = this.#readAtom(keys, 'a key: an integer, a keyword, a string or another single token');
    if (name !== 'r') microOps.add(name === 'w' ? MicroKind.Write : MicroKind.Append, key, this.#readValueAtom());
    else {
      const kind = reader.peek();
      if (kind === 'nil') {
        reader.readNil();
        microOps.add(MicroKind.ReadNil, key, values.nil());
      } else if (isSequence(kind)) microOps.add(MicroKind.ReadList, key, this.#readList(key));
      else microOps.add(MicroKind.ReadValue, key, this.#readValueAtom());
    }
    reader.endCollection();
  }

  /** The node of the list that comes next. */
  #readList(key: number): number {
    const { reader } = this;
    const { lists } = this.#builder;
    let node = EMPTY_LIST;
    reader.beginSequence();
    while (reader.nextElement()) node = lists.extend(key, node, this.#readValueAtom());
    return node;
  }

  #readValueAtom(): number {
    const { reader } = this;
    const { values } = this.#builder;
    const kind = reader.peek();
    if (kind === 'number')
      return reader.readInteger() ? values.integer(reader.hi, reader.lo) : values.bigint(BigInt(reader.bigText));
    if (kind !== 'nil') return this.#readAtom(values, VALUE);
    reader.readNil();
    return values.nil();
  }

  /** The id of a single token that is not nil. */
  #readAtom(atoms: Interner, expected: string): number {
    const { reader } = this;
    switch (reader.peek()) {
      case 'number':
        return reader.readInteger() ? atoms.integer(reader.hi, reader.lo) : atoms.bigint(BigInt(reader.bigText));
      case 'keyword':
        return atoms.keyword(reader.readKeyword());
      case 'string':
        return atoms.string(reader.readString());
      case 'boolean':
      case 'symbol':
      case 'character':
        return atoms.literal(reader.readVerbatim());
      default:
        return this.#fail(ARTICLES[reader.peek()] ?? reader.peek(), expected);
    }
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.reader.place(), found, expected);
  }
}

const isSequence = (kind: string): boolean => kind === 'vector' || kind === 'list';

/** A form in the terms of both notations. */
function datumOf(form: EdnValue): Datum {
  if (form === null || typeof form === 'bigint' || typeof form === 'string') return form;
  if (typeof form === 'number') return BigInt(form);
  if (typeof form === 'boolean') return literal(String(form));
  switch (form.kind) {
    case 'keyword':
      return keyword(form.name);
    case 'symbol':
    case 'character':
      return literal(form.name);
    case 'number':
    case 'tagged':
      return literal(form.text);
    case 'map':
      return OPAQUE;
    default:
      return form.items.map(datumOf);
  }
}

const VALUE = 'a value: an integer, a keyword, a string or another single token';
const NAMES = ['type', 'f', 'process', 'time', 'index', 'value', 'error'];
const ARTICLES: Readonly<Record<string, string>> = {
  vector: 'a vector',
  list: 'a list',
  set: 'a set',
  map: 'a map',
  tagged: 'a tagged form',
  end: 'the end',
};
