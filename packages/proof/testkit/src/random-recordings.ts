import {
  type Atom,
  type PlainHistory,
  type PlainOperation,
  type Predicate,
  keyOfRow,
  tableOfRow,
} from '@isolab/history';
import { type RowKind, randomRows } from './random-rows.ts';

/** A column that the recorder adds. Two versions may differ only in this column. */
export const HIDDEN_COLUMN = 'xmin';

/**
 * Generates the text of a file as `isolab record` writes it, for a random history of rows. Its tables, keys, columns
 * and contents have names that are easily misread. It has a hidden column, versions with only some known columns,
 * outcomes on separate lines, and many initial rows that no transaction reads.
 */
export function randomRecording(random: () => number, kind: RecordingKind = {}): string {
  return new Recording(random, randomRows(random, { ...kind, open: random() < 0.5 }), kind).text();
}

export interface RecordingKind extends RowKind {
  /** Whether rows are read only by their keys. */
  readonly pointwise?: boolean;
  /** Uses names that no notation misreads. */
  readonly plainNames?: boolean;
}

const TABLES = [
  'items',
  'a b',
  "it's",
  '<_script>',
  't where x',
  'scan(t',
  'x"y',
  '[a]',
  'constructor',
  '__proto__',
  'é',
  '…',
];
const KEYS = [
  'a,b',
  "o'brien",
  '[1]',
  '{"a":1}',
  'x" where y',
  'a/b',
  '',
  '1',
  'null',
  'a\nb',
  '→',
  '\u202E',
  '__proto__',
];
const COLUMNS = [
  'n',
  'on_call',
  'a b',
  "it's",
  'x"y',
  'constructor',
  '__proto__',
  'toString',
  'not',
  'null',
  'é',
  'a/b',
  '1',
];
const SESSIONS = ['', ' a,b', " 'x'", ' [1]'];
// Ordered by code units, like a and b.
const LOW_TEXTS = ['', '\u001B[31m', '"', '</script>', '['];
const HIGH_TEXTS = ['\\', 'a, b', "it's", 'null', '}', '→'];

class Recording {
  readonly #random: () => number;
  readonly #history: PlainHistory;
  readonly #tables: Names;
  readonly #keys: Names;
  readonly #columns: Names;
  readonly #texts: Readonly<Record<string, string>>;
  readonly #session: string;
  readonly #contents = new Map<string, object>();
  readonly #isShortOf: boolean; // whether versions lack columns
  readonly #isPointwise: boolean;
  #writer = 700;

  constructor(random: () => number, history: PlainHistory, { pointwise = false, plainNames = false }: RecordingKind) {
    this.#random = random;
    this.#history = history;
    this.#isShortOf = random() < 0.3;
    this.#isPointwise = pointwise;
    this.#tables = new Names(random, TABLES, plainNames);
    this.#keys = new Names(random, KEYS, plainNames);
    this.#columns = new Names(random, COLUMNS, plainNames);
    const [low, high] = [new Names(random, LOW_TEXTS, plainNames), new Names(random, HIGH_TEXTS, plainNames)];
    this.#texts = { a: low.of('a'), b: high.of('b') };
    this.#session = new Names(random, SESSIONS, plainNames).of('');
  }

  text(): string {
    const { sessions, initialOf = [] } = this.#history;
    const rows = initialOf.flatMap(([name, value]) => (value === null ? [] : [this.#row(name as string, value)]));
    const inScanned = this.#random() < 0.2; // scans then miss these rows
    const spare = Array.from({ length: this.#random() < 0.5 ? 60 : 3 }, (_, i) => [
      this.#tables.of(inScanned ? 'a' : 'other'),
      1000 + i,
      { [this.#columns.of('x')]: i, [HIDDEN_COLUMN]: 3 },
    ]);
    const lines: object[] = [{ rows: [...rows, ...spare] }];
    const left = sessions.map(({ transactions }) => [...transactions]);
    while (left.some((each) => each.length > 0)) {
      const s = Math.floor(this.#random() * left.length);
      const transaction = left[s]!.shift();
      if (transaction === undefined) continue;
      const { status, operations, begin, end } = transaction;
      const isOpen = status !== 'unknown' && this.#random() < 0.5;
      const session = `${s}${this.#session}`;
      const ops = operations
        .filter((operation) => !this.#isPointwise || operation.kind !== 'scan')
        .map((operation) => this.#operation(operation));
      const began = begin === undefined ? {} : { begin: Number(begin) };
      const ended = end === undefined ? {} : { end: Number(end) };
      lines.push({ session, status: isOpen ? 'unknown' : status, ...began, ...(!isOpen && ended), ops });
      if (isOpen) lines.push({ outcome: status, session, ...ended });
    }
    const header = { isolab: 'history', version: 2, times: 'nanoseconds', recorded: { by: 'isolab record' } };
    return [header, ...lines, { isolab: 'end' }].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #key(key: bigint | string): number | string {
    return typeof key === 'bigint' ? Number(key) : this.#keys.of(key);
  }

  /** Replaces the unique number of a version by the number of its writer; null if the row is absent or unknown. */
  #content(value: Atom): object | null {
    if (typeof value !== 'string') return null;
    const before = this.#contents.get(value);
    if (before !== undefined) return before;
    const { v, ...row } = JSON.parse(value) as Record<string, unknown>;
    // Conditions use columns other than t.
    const isShort = this.#isShortOf && v !== undefined && this.#random() < 0.5;
    const known = Object.entries(row).filter(([column]) => !isShort || column !== 't');
    const columns = known.map(([column, held]) => [
      this.#columns.of(column),
      typeof held === 'string' ? this.#texts[held] : held,
    ]);
    const content = Object.fromEntries([...columns, [HIDDEN_COLUMN, v === undefined ? 2 : this.#writer++]]) as object;
    this.#contents.set(value, content);
    return content;
  }

  #row(name: string, value: Atom): unknown[] {
    return [this.#tables.of(tableOfRow(name)), this.#key(keyOfRow(name)), this.#content(value)];
  }

  #operation(operation: PlainOperation): unknown[] {
    if (operation.kind === 'read' || operation.kind === 'write')
      return [
        operation.kind === 'read' ? 'get' : 'put',
        ...this.#row(operation.key as string, operation.value as Atom),
      ];
    if (operation.kind !== 'scan') throw new TypeError(`a recording has no ${operation.kind}`);
    const { table, where, rows, aggregate } = operation;
    const from = [this.#tables.of(table), this.#predicate(where)];
    if (aggregate === null)
      return ['scan', ...from, rows.map(({ key, value }) => this.#row(key as string, value as Atom).slice(1))];
    if (aggregate.kind === 'count') return ['count', ...from, aggregate.result];
    const { kind, column, result } = aggregate;
    const said = typeof result === 'string' ? this.#texts[result] : result;
    return [kind, ...from, this.#columns.of(column), said];
  }

  #predicate(where: Predicate): unknown {
    if (where === true || where[0] === 'sql') return where;
    if (where[0] === 'and' || where[0] === 'or' || where[0] === 'not')
      return [where[0], ...where.slice(1).map((part) => this.#predicate(part as Predicate))];
    return [where[0], this.#columns.of(where[1] as string), ...where.slice(2)];
  }
}

/** Replaces each name by a unique odd name. */
class Names {
  readonly #random: () => number;
  readonly #from: readonly string[];
  readonly #areSame: boolean;
  readonly #taken = new Set<string>();
  readonly #chosen = new Map<string, string>();

  constructor(random: () => number, from: readonly string[], areSame: boolean) {
    this.#random = random;
    this.#from = from;
    this.#areSame = areSame;
  }

  of(name: string): string {
    const known = this.#chosen.get(name);
    if (known !== undefined) return known;
    const free = this.#from.filter((each) => !this.#taken.has(each));
    const chosen = free[Math.floor(this.#random() * free.length)]!;
    this.#taken.add(chosen);
    this.#chosen.set(name, this.#areSame ? name : chosen);
    return this.#chosen.get(name)!;
  }
}
