import { EMPTY_LIST, type HistoryBuilder, type Interner } from '@isolab/history';
import type { FormReader } from '../events/forms.ts';
import { SyntaxProblem } from '../syntax/problem.ts';
import { type Datum, EVENT_TYPES, type EventNumber, JepsenEvent, MicroKind, NO_CLIENT } from './jepsen-event.ts';

/** Interface shared by EdnReader and JsonReader. */
interface DataReader extends FormReader {
  readonly hi: number;
  readonly lo: number;
  readonly bigText: string;
  beginSequence(): void;
  nextElement(): boolean;
  expectElement(expected: string): void;
  endSequence(): void;
  readNull(): void;
  readInteger(): boolean;
  readString(): string;
  skipValue(): void;
}

/** Terms for messages, and kinds of values in a notation. */
export interface Terms {
  readonly nothing: 'nil' | 'null';
  /** Kind of the names of functions, event types and non-client processes. */
  readonly word: 'keyword' | 'string';
  readonly map: string;
  isSequence(kind: string): boolean;
  show(word: string): string;
  readonly types: string;
  readonly functions: string;
  readonly key: string;
  readonly value: string;
  /** Kinds of values, each with its article. */
  readonly articles: Readonly<Record<string, string>>;
}

/** Reads the events of a Jepsen history into {@link JepsenEvent}. A subclass implements the notation. */
export abstract class JepsenEventReader {
  abstract readonly reader: DataReader;
  readonly event = new JepsenEvent();
  protected abstract readonly terms: Terms;
  readonly #builder: HistoryBuilder;

  constructor(builder: HistoryBuilder) {
    this.#builder = builder;
  }

  protected abstract beginMap(): void;
  /**
   * Moves to the next value of the map and returns its key. At the end of the map, leaves the map and returns
   * undefined.
   */
  protected abstract nextName(): string | undefined;
  /** Reads a name of a function, event type or process. */
  protected abstract readWord(): string;
  protected abstract readDatum(): Datum;
  /**
   * Reads an atom that is neither a number nor a string and returns its id; undefined if the value is not such an atom.
   */
  protected abstract readOtherAtom(atoms: Interner, kind: string): number | undefined;

  /**
   * Reads the next map. The value of a non-client process may have any form, and may precede the process, so a map with
   * a malformed value is read again without its value.
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
    const { event } = this;
    event.clear();
    this.beginMap();
    let seen = 0;
    for (let name = this.nextName(); name !== undefined; name = this.nextName()) {
      const bit = 1 << (NAMES.indexOf(name) + 1);
      if (bit > 1 && seen & bit) this.#failTwice(name);
      seen |= bit;
      switch (name) {
        case 'type':
          this.#readType();
          break;
        case 'f':
          if (!this.#skipsNothing()) event.f = this.readWord();
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
          else this.reader.skipValue();
          break;
        default:
          if (name === 'error') event.hasError = true;
          this.reader.skipValue();
      }
    }
  }

  #readType(): void {
    const name = this.readWord();
    this.event.type = EVENT_TYPES.indexOf(name);
    if (this.event.type < 0) this.#fail(this.terms.show(name), this.terms.types);
  }

  #readProcess(): void {
    const { event } = this;
    if (this.#skipsNothing()) return;
    if (this.reader.peek() === this.terms.word) {
      event.session = NO_CLIENT;
      event.processName = this.readWord();
    } else event.session = this.#readInteger(this.#builder.sessions);
  }

  #readNumber(number: EventNumber): void {
    const { reader } = this;
    if (!this.#skipsNothing() && reader.readInteger()) number.set(reader.hi, reader.lo);
  }

  #readValue(): void {
    const { reader, event, terms } = this;
    if (!terms.isSequence(reader.peek())) {
      event.value = 'datum';
      event.datum = this.readDatum();
      return;
    }
    reader.beginSequence();
    let more = reader.nextElement();
    if (more && terms.isSequence(reader.peek())) {
      event.value = 'transaction';
      for (; more; more = reader.nextElement()) this.#readMicroOp();
      return;
    }
    const items: Datum[] = [];
    for (; more; more = reader.nextElement()) items.push(this.readDatum());
    event.value = 'datum';
    event.datum = items;
  }

  #readMicroOp(): void {
    const { terms, event, reader } = this;
    const { keys, values } = this.#builder;
    const { microOps } = event;
    reader.beginSequence();
    reader.expectElement(terms.functions);
    const name = this.readWord();
    if (name !== 'r' && name !== 'append' && name !== 'w') this.#fail(terms.show(name), terms.functions);
    reader.expectElement('a key');
    const key = this.#readAtom(keys, reader.peek(), terms.key);
    reader.expectElement('a value');
    const kind = reader.peek();
    if (name !== 'r') microOps.add(name === 'w' ? MicroKind.Write : MicroKind.Append, key, this.#readValueAtom(kind));
    else if (kind === terms.nothing) {
      reader.readNull();
      microOps.add(MicroKind.ReadNil, key, values.nil());
    } else if (terms.isSequence(kind)) microOps.add(MicroKind.ReadList, key, this.#readList(key));
    else microOps.add(MicroKind.ReadValue, key, this.#readValueAtom(kind));
    reader.endSequence();
  }

  #readList(key: number): number {
    const { reader } = this;
    const { lists } = this.#builder;
    let node = EMPTY_LIST;
    reader.beginSequence();
    while (reader.nextElement()) node = lists.extend(key, node, this.#readValueAtom(reader.peek()));
    return node;
  }

  #readValueAtom(kind: string): number {
    const { values } = this.#builder;
    if (kind !== this.terms.nothing) return this.#readAtom(values, kind, this.terms.value);
    this.reader.readNull();
    return values.nil();
  }

  /** Reads a scalar other than nil or null and returns its id. */
  #readAtom(atoms: Interner, kind: string, expected: string): number {
    if (kind === 'number') return this.#readInteger(atoms);
    if (kind === 'string') return atoms.string(this.reader.readString());
    return this.readOtherAtom(atoms, kind) ?? this.#fail(this.terms.articles[kind] ?? kind, expected);
  }

  #readInteger(atoms: Interner): number {
    const { reader } = this;
    return reader.readInteger() ? atoms.integer(reader.hi, reader.lo) : atoms.bigint(BigInt(reader.bigText));
  }

  /** Skips nil or null if it comes next, and returns whether it did. */
  #skipsNothing(): boolean {
    if (this.reader.peek() !== this.terms.nothing) return false;
    this.reader.readNull();
    return true;
  }

  #failTwice(name: string): never {
    const shown = this.terms.show(name);
    this.#fail(shown, `a key other than ${shown}, which this ${this.terms.map} already has`);
  }

  #fail(found: string, expected: string): never {
    throw new SyntaxProblem(this.reader.place(), found, expected);
  }
}

const NAMES = ['type', 'f', 'process', 'time', 'index', 'value', 'error'];
