import {
  ALLOWED_READS,
  type AllowedRead,
  type Axiom,
  type Definition,
  type LevelFile,
  type Named,
  type Position,
} from './ast.ts';
import { Cursor } from './cursor.ts';
import { LevelError } from './error.ts';
import { didYouMean } from './nearest.ts';
import { parseExpression } from './parse-expression.ts';
import { isBaseRelation } from './relations.ts';
import { tokensOf } from './tokens.ts';
import { checkTypes } from './types.ts';

/** Words that begin a statement, and words inside a statement. */
const STATEMENTS =
  'level title summary also paper implies includes allows let for acyclic irreflexive empty co before if'.split(' ');
const RESERVED = [...STATEMENTS, 'each', 'key', 'satisfies', 'contains', 'then', 't1', 't2', 't3', 'r'];

const MOST_AXIOMS = 100;

/** Parses a level and checks its types. Throws a LevelError with the position. */
export function parseLevel(source: string, file: string): LevelFile {
  const level = new Parser(source, file).level();
  checkTypes(level);
  return level;
}

interface Draft {
  name?: string;
  title?: string;
  summary?: string;
  paper?: string;
  aliases: string[];
  implies: Named[];
  includes: Named[];
  eachKeySatisfies?: Named;
  allows: AllowedRead[];
  definitions: Definition[];
  axioms: Axiom[];
}

class Parser {
  readonly #cursor: Cursor;
  readonly #draft: Draft = { aliases: [], implies: [], includes: [], allows: [], definitions: [], axioms: [] };

  constructor(source: string, file: string) {
    this.#cursor = new Cursor(tokensOf(source, file));
  }

  level(): LevelFile {
    const start = this.#cursor.position;
    if (!this.#cursor.is('level')) this.#cursor.fail('level NAME at the start of the file');
    while (this.#cursor.token.kind !== 'end') this.#statement();
    const { name, title, summary, paper, eachKeySatisfies, ...rest } = this.#draft;
    if (rest.axioms.length + rest.includes.length === 0 && eachKeySatisfies === undefined)
      throw new LevelError(start, `Found no axiom in ${name}, expected at least one, or includes NAME.`);
    return {
      name: name!,
      title: title ?? name!,
      summary: summary ?? '',
      paper: paper ?? null,
      eachKeySatisfies: eachKeySatisfies ?? null,
      ...rest,
    };
  }

  #statement(): void {
    const cursor = this.#cursor;
    const draft = this.#draft;
    const { position } = cursor;
    if (cursor.is('level') && draft.name !== undefined) cursor.fail('only one level per file');
    if (cursor.skip('level')) draft.name = this.#levelName();
    else if (cursor.skip('title')) draft.title = this.#text(draft.title, position);
    else if (cursor.skip('summary')) draft.summary = this.#text(draft.summary, position);
    else if (cursor.skip('paper')) draft.paper = this.#text(draft.paper, position);
    else if (cursor.skip('also')) this.#list(() => draft.aliases.push(this.#levelName()));
    else if (cursor.skip('implies')) this.#list(() => draft.implies.push(this.#named()));
    else if (cursor.skip('includes')) this.#list(() => draft.includes.push(this.#named()));
    else if (cursor.skip('allows')) this.#list(() => draft.allows.push(this.#allowed()));
    else if (cursor.skip('let')) this.#definition(position);
    else if (cursor.is('for', 'each', 'key', 'satisfies')) this.#eachKey();
    else this.#axiom(position);
  }

  #text(before: string | undefined, position: Position): string {
    if (before !== undefined) throw new LevelError(position, 'Found this statement a second time, expected it once.');
    if (this.#cursor.token.kind !== 'text') this.#cursor.fail('a text in "');
    return this.#cursor.next().text;
  }

  #list(item: () => void): void {
    do item();
    while (this.#cursor.skip(','));
  }

  /** Parses a name, which is in quotes if it has other characters, such as "pl-2+". */
  #levelName(): string {
    const { kind, text } = this.#cursor.token;
    const isName = kind === 'word' ? /^[a-z0-9.-]+$/.test(text) : kind === 'text' && /^[a-z][^\s,]*$/.test(text);
    if (!isName) this.#cursor.fail('the name of a level, in lower case');
    return this.#cursor.next().text;
  }

  #named(): Named {
    const { position } = this.#cursor;
    return { name: this.#levelName(), position };
  }

  #allowed(): AllowedRead {
    const { text } = this.#cursor.token;
    const allowed = ALLOWED_READS.find((each) => each === text);
    if (allowed === undefined || this.#cursor.token.kind !== 'word')
      return this.#cursor.fail(`one of ${ALLOWED_READS.join(', ')}`);
    this.#cursor.next();
    return allowed;
  }

  #definition(position: Position): void {
    const { kind, text: name } = this.#cursor.token;
    const taken = isBaseRelation(name) || RESERVED.includes(name) || this.#defined().includes(name);
    if (kind !== 'word' || !/^[a-z][a-z0-9-]*$/.test(name))
      this.#cursor.fail('a name in lower case, with digits and dashes');
    if (taken) this.#cursor.fail('an unused name');
    this.#cursor.next();
    this.#cursor.expect('=');
    const expression = parseExpression(this.#cursor, this.#defined());
    this.#draft.definitions.push({ name, expression, position });
  }

  #defined(): string[] {
    return this.#draft.definitions.map(({ name }) => name);
  }

  #eachKey(): void {
    if (this.#draft.eachKeySatisfies !== undefined) this.#cursor.fail('at most one “for each key satisfies”');
    for (const word of ['for', 'each', 'key', 'satisfies']) this.#cursor.expect(word);
    this.#draft.eachKeySatisfies = this.#named();
  }

  #axiom(position: Position): void {
    const eachKey = this.#cursor.skip('for');
    if (eachKey) for (const word of ['each', 'key']) this.#cursor.expect(word);
    if (this.#draft.axioms.length === MOST_AXIOMS) this.#cursor.fail(`at most ${MOST_AXIOMS} axioms`);
    this.#draft.axioms.push(this.#axiomOf(eachKey, position));
  }

  #axiomOf(eachKey: boolean, position: Position): Axiom {
    const cursor = this.#cursor;
    const expression = () => parseExpression(cursor, this.#defined());
    for (const kind of ['acyclic', 'irreflexive', 'empty'] as const)
      if (cursor.skip(kind)) return { kind, eachKey, expression: expression(), position };
    for (const order of ['co', 'before'] as const) {
      if (!cursor.is(order, 'contains')) continue;
      if (eachKey) cursor.fail(`an axiom about one key; ${order} contains is about all keys`);
      cursor.next();
      cursor.next();
      return { kind: 'contains', eachKey: false, order, expression: expression(), position };
    }
    if (!cursor.skip('if')) return this.#noStatement();
    cursor.expect('t2');
    const condition = expression();
    const of = cursor.skip('t3') ? 'transaction' : 'read';
    if (of === 'read' && !cursor.skip('r')) cursor.fail('an operator, t3 or r');
    for (const word of ['then', 't2', 'before', 't1']) cursor.expect(word);
    return { kind: 'overwritten', eachKey, of, expression: condition, position };
  }

  #noStatement(): never {
    const { kind, text } = this.#cursor.token;
    if (this.#cursor.is('co') || this.#cursor.is('before'))
      return this.#cursor.fail(`a statement, such as ${text} contains so`);
    const hint = kind === 'word' ? didYouMean(text, STATEMENTS).trimEnd() : '';
    const orOperator = this.#draft.axioms.length + this.#draft.definitions.length > 0 ? 'an operator or ' : '';
    return this.#cursor.fail(
      `${orOperator}a statement, which begins with ${STATEMENTS.join(', ')}`,
      hint && ` ${hint[0]!.toUpperCase()}${hint.slice(1)}`,
    );
  }
}
