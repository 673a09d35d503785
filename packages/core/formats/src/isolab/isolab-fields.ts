import { type Atom, type Interner, UNKNOWN, keyword, literal } from '@isolab/history';
import { SyntaxProblem } from '../syntax/problem.ts';
import type { OperationsReader } from './plain-operations.ts';

/** Represents the result of a list read that the client never learned; distinguished from UNKNOWN by identity. */
export const UNKNOWN_LIST_ATOM: Atom = { type: 'unknown', text: 'list' };

const LAST_TIME = 2n ** 63n - 1n;

/** Wrong names that users may give to our fields. */
const MISNAMED: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  op: 'ops',
  operations: 'ops',
  state: 'status',
});

/** Checks the fields of an object, and reads the kinds of values that several lines share. */
export class FieldReader {
  readonly #json: OperationsReader;
  readonly #strangers = new Set<string>(); // fields that we do not define

  constructor(json: OperationsReader) {
    this.#json = json;
  }

  /**
   * Adds a field to the set of seen fields. Refuses a repeated field, and a field that looks like a misspelt known
   * field.
   */
  withField(seen: number, key: string, known: readonly string[]): number {
    const i = known.indexOf(key);
    if (i < 0) {
      if (this.#strangers.has(key)) return seen;
      const meant = known.find((name) => MISNAMED[key] === name || looksLike(key, name));
      const found = JSON.stringify(key);
      if (meant !== undefined)
        throw new SyntaxProblem(this.#json.keyPlace(), found, `"${meant}", or a less similar field name`);
      if (this.#strangers.size < 1000) this.#strangers.add(key);
      return seen;
    }
    const bit = 1 << i;
    if (seen & bit) throw new SyntaxProblem(this.#json.keyPlace(), `"${key}" a second time`, 'each field once');
    return seen | bit;
  }

  readPairs(): [key: Atom, value: Atom][] {
    const json = this.#json;
    return this.readArray(() => {
      json.beginSequence();
      json.expectElement('a key');
      const key = this.readAtom();
      json.expectElement('its initial value');
      const value = this.readAtom();
      json.endSequence();
      return [key, value];
    });
  }

  readArray<Element>(read: () => Element): Element[] {
    const elements: Element[] = [];
    this.#json.beginSequence();
    while (this.#json.nextElement()) elements.push(read());
    return elements;
  }

  readNatural(): number {
    const integer = this.#json.readSafeInteger();
    if (integer < 0) throw this.problem(String(integer), 'a natural number');
    return integer;
  }

  /** Reads a time, which must still fit in 64 bits after the drift of clocks is added. */
  readTime(drift = 0): bigint {
    const json = this.#json;
    if (!json.readInteger()) throw this.problem(json.bigText, 'an integer of 64 bits');
    const time = BigInt(json.integer());
    const latest = LAST_TIME - BigInt(drift);
    if (time > latest) throw this.problem(`the time ${time}`, `at most ${latest}, because the drift is added to it`);
    return time;
  }

  readTable(): string {
    const name = this.#json.readString();
    if (name === '' || name.includes('/')) throw this.problem(JSON.stringify(name), 'a table name without "/"');
    return name;
  }

  readWord(words: readonly string[]): string {
    const word = this.#json.readString();
    if (words.includes(word)) return word;
    throw this.problem(JSON.stringify(word), words.map((known) => JSON.stringify(known)).join(' or '));
  }

  /** Reads and interns an atom; integers and most strings need no object. */
  readAtomInto(interner: Interner): number {
    const json = this.#json;
    if (json.peek() !== 'number') {
      const id = json.readStringInto(interner);
      return id >= 0 ? id : interner.atom(this.readAtom());
    }
    return json.readInteger() ? interner.integer(json.hi, json.lo) : interner.bigint(BigInt(json.bigText));
  }

  /** Reads the result of an operation, which the client may never have learned. */
  readFoundInto(values: Interner): number {
    if (this.#json.peek() !== 'object') return this.readAtomInto(values);
    const atom = this.readTagged();
    if (atom === UNKNOWN_LIST_ATOM) throw this.problem('an unknown list', 'a value');
    return values.atom(atom);
  }

  readAtom(): Atom {
    const json = this.#json;
    switch (json.peek()) {
      case 'null':
        json.readNull();
        return null;
      case 'number':
        json.readInteger();
        return BigInt(json.integer());
      case 'object': {
        const atom = this.readTagged();
        if (atom === UNKNOWN || atom === UNKNOWN_LIST_ATOM)
          throw this.problem('an unknown value', 'a known value: only the result of an operation may be unknown');
        return atom;
      }
      default:
        return json.readString();
    }
  }

  /** Reads `{"keyword":"x"}`, `{"literal":"1.5"}`, `{"unknown":"value"}` or `{"unknown":"list"}`. */
  readTagged(): Atom {
    const json = this.#json;
    json.beginObject();
    const tag = json.nextKey();
    let atom: Atom;
    if (tag === 'keyword') atom = keyword(json.readString());
    else if (tag === 'literal') atom = literal(json.readString());
    else if (tag === 'unknown') atom = this.readWord(['value', 'list']) === 'list' ? UNKNOWN_LIST_ATOM : UNKNOWN;
    else throw this.problem(`the tag ${JSON.stringify(tag ?? '')}`, "one of 'keyword', 'literal' or 'unknown'");
    json.endObject();
    return atom;
  }

  problem(found: string, expected: string): SyntaxProblem {
    return new SyntaxProblem(this.#json.place(), found, expected);
  }
}

/** Returns whether a word is probably a misspelling of another: `Status`, `commit_ts`, `stauts`, `sesion`. */
function looksLike(word: string, meant: string): boolean {
  const [a, b] = [plain(word), plain(meant)];
  return a === b || (Math.min(a.length, b.length) >= 4 && isOneEditAway(a, b));
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '');

/** Returns whether two words differ by one added, removed or replaced letter, or by two swapped neighbours. */
function isOneEditAway(a: string, b: string): boolean {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const [restA, restB] = [a.slice(i), b.slice(i)];
  if (restA.length === restB.length)
    return (
      restA.slice(1) === restB.slice(1) ||
      (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
    );
  return restA.length > restB.length ? restA.slice(1) === restB : restB.slice(1) === restA;
}
