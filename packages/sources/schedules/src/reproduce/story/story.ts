import { CollectorError, type KeyData as DataKind, type KeyQuestion as Question } from '@isolab/collector';
import { type Atom, type History, type PlainOperation, printAtom, toPlain } from '@isolab/history';
import type { Key, WorkloadRow } from '@isolab/workloads';
import { PLAIN_NAME, type Reply } from '../../schedule/schedule.ts';

/** The transactions of a violation as requests that a driver accepts. */
export interface Story {
  readonly data: DataKind;
  /** Writes of an initial transaction, for keys that have a value at first according to the history. */
  readonly initial: readonly { readonly key: Key; readonly value: number }[];
  readonly transactions: readonly StoryTransaction[];
  /** A value that the story does not use. */
  readonly freeValue: number;
}

export interface StoryTransaction {
  readonly name: string;
  readonly terminal: number;
  /** Last request of the client. Where the outcome is unknown, a commit. */
  readonly ends: 'commit' | 'rollback';
  readonly begin: bigint | null;
  readonly end: bigint | null;
  readonly operations: readonly StoryOperation[];
}

export interface StoryOperation {
  readonly asks: Question;
  readonly told?: Reply;
}

/** Converts a history of a few transactions. Refuses a history with requests that drivers do not support. */
export function storyOf(history: History): Story {
  const { sessions, initialOf = [] } = toPlain(history);
  const operations = sessions.flatMap(({ transactions }) => transactions.flatMap((one) => asked(one.operations)));
  if (operations.length === 0)
    throw new CollectorError('The history has no operations; there is nothing to reproduce.');
  if (operations.length > MOST_OPERATIONS)
    throw new CollectorError(
      `The violation has ${operations.length} operations, more than the ${MOST_OPERATIONS} that a schedule takes. Shrink it further.`,
    );
  const data = dataOf(operations);
  const names = new Naming(operations, data);
  const initials = new Map(initialOf.map(([key, value]) => [printAtom(key), value]));
  const transactions: StoryTransaction[] = [];
  for (const [terminal, session] of sessions.entries())
    for (const { status, operations: own, begin = null, end = null } of session.transactions)
      transactions.push({
        name: `T${transactions.length + 1}`,
        terminal,
        ends: status === 'aborted' ? 'rollback' : 'commit',
        begin,
        end,
        operations: asked(own).map((operation) => names.operation(operation, initials)),
      });
  return { data, initial: names.setup(initials), transactions, freeValue: names.freeValue };
}

const MOST_OPERATIONS = 60;

type Asked = Exclude<PlainOperation, { kind: 'scan' }>;

function asked(operations: readonly PlainOperation[]): Asked[] {
  return operations.map((operation) => {
    if (operation.kind === 'scan')
      throw new CollectorError('The history scans tables; schedules do not support scans.');
    return operation;
  });
}

function dataOf(operations: readonly Asked[]): DataKind {
  const kinds = new Set(operations.map(({ kind }) => DATA[kind]));
  if (kinds.has('lists') && kinds.size > 1 && [...kinds].some((kind) => kind !== 'lists'))
    throw new CollectorError('The history has lists and registers; a schedule supports only one kind of data.');
  return kinds.has('rows') ? 'rows' : kinds.has('lists') ? 'lists' : 'registers';
}

const DATA: Readonly<Record<Asked['kind'], DataKind>> = {
  read: 'registers',
  write: 'registers',
  'compare-and-set': 'registers',
  append: 'lists',
  'list-read': 'lists',
  insert: 'rows',
  delete: 'rows',
  'range-read': 'rows',
};

/**
 * Keys and values as drivers accept them: integers of the history stay unchanged, and other values are replaced by
 * numbers.
 */
class Naming {
  readonly #data: DataKind;
  readonly #keys = new Map<string, Key>();
  readonly #values = new Map<string, number>();

  constructor(operations: readonly Asked[], data: DataKind) {
    this.#data = data;
    const keys = distinct(operations.flatMap(keysOf));
    // Keys of rows are numbers. Other keys stay only if they need no quotes in any language that schedules are written
    // in.
    const canKeep = keys.every((key) => integerOf(key) !== null || (data !== 'rows' && PLAIN_NAME.test(nameOf(key))));
    for (const [index, key] of keys.entries())
      this.#keys.set(printAtom(key), canKeep ? (integerOf(key) ?? nameOf(key)) : index);
    const values = distinct(operations.flatMap(valuesOf));
    const keeps = values.every((value) => integerOf(value) !== null);
    for (const [index, value] of values.entries())
      this.#values.set(printAtom(value), keeps ? integerOf(value)! : index + 1);
  }

  get freeValue(): number {
    return Math.max(0, ...this.#values.values()) + 1;
  }

  key(key: Atom): Key {
    return this.#keys.get(printAtom(key))!;
  }

  value(value: Atom): number {
    return this.#values.get(printAtom(value))!;
  }

  /** Returns the writes before the story, for keys that have a value at first. An absent register reads as 0. */
  setup(initials: ReadonlyMap<string, Atom>): Story['initial'] {
    if (this.#data !== 'registers') return [];
    return [...this.#keys].flatMap(([text, key]) => {
      const value = integerOf(initials.get(text) ?? null);
      return value === null || value === 0 ? [] : [{ key, value }];
    });
  }

  operation(operation: Asked, initials: ReadonlyMap<string, Atom>): StoryOperation {
    const reply = (key: Atom, value: Atom): number | null => {
      const initial = initials.get(printAtom(key)) ?? null;
      if (value === null) return null;
      if (printAtom(value) !== printAtom(initial)) return this.value(value);
      return integerOf(value) === 0 || !this.#values.has(printAtom(value)) ? null : this.value(value);
    };
    switch (operation.kind) {
      case 'read':
        return told({ kind: 'read', key: this.key(operation.key) }, operation.value, () =>
          reply(operation.key, operation.value),
        );
      case 'write':
      case 'append': {
        const { kind, key, value } = operation;
        return { asks: { kind, key: this.key(key), value: this.value(value) } };
      }
      case 'list-read': {
        const { key, elements } = operation;
        const asks: Question = { kind: 'read-list', key: this.key(key) };
        return elements === null ? { asks } : { asks, told: elements.map((element) => this.value(element)) };
      }
      case 'compare-and-set': {
        const { key, observed, written, failed } = operation;
        const expected = reply(key, observed);
        return {
          asks: { kind: 'compare-and-set', key: this.key(key), expected, value: this.value(written) },
          told: !failed,
        };
      }
      case 'insert':
      case 'delete': {
        const { kind, key, observed, written, foundTombstone } = operation;
        const found = reply(key, observed);
        return {
          asks: { kind, key: this.key(key), value: this.value(written) },
          told: found === null ? [] : [{ key: this.key(key), value: found, dead: foundTombstone }],
        };
      }
      case 'range-read':
        return this.#range(operation);
    }
  }

  #range({ low, high, rows }: Extract<PlainOperation, { kind: 'range-read' }>): StoryOperation {
    const numbers = [...this.#keys.values()].filter((key) => typeof key === 'number');
    const bound = (key: Atom, otherwise: number): number => (key === null ? otherwise : (this.key(key) as number));
    const found = rows.map(({ key, value, dead }): WorkloadRow => ({
      key: this.key(key),
      value: this.value(value),
      dead,
    }));
    return {
      asks: {
        kind: 'range',
        low: bound(low, Math.min(...numbers)),
        high: bound(high, Math.max(...numbers)),
      },
      told: found,
    };
  }
}

/** Returns an operation with its reply, unless the client never received the reply. */
const told = (asks: Question, value: Atom, reply: () => Reply): StoryOperation =>
  typeof value === 'object' && value !== null && value.type === 'unknown' ? { asks } : { asks, told: reply() };

function keysOf(operation: Asked): Atom[] {
  if (operation.kind !== 'range-read') return [operation.key];
  const bounds = [operation.low, operation.high].filter((bound) => bound !== null);
  return [...bounds, ...operation.rows.map(({ key }) => key)];
}

function valuesOf(operation: Asked): Atom[] {
  switch (operation.kind) {
    case 'read':
    case 'write':
    case 'append':
      return known([operation.value]);
    case 'list-read':
      return known(operation.elements ?? []);
    case 'range-read':
      return known(operation.rows.map(({ value }) => value));
    default:
      return known([operation.observed, operation.written]);
  }
}

const known = (values: readonly Atom[]): Atom[] =>
  values.filter((value) => value !== null && !(typeof value === 'object' && value.type === 'unknown'));

const distinct = (atoms: readonly Atom[]): Atom[] => [
  ...new Map(atoms.map((atom) => [printAtom(atom), atom])).values(),
];

const nameOf = (atom: Atom): string => (typeof atom === 'string' ? atom : printAtom(atom));

/** Returns the integer if a double represents it exactly, otherwise null. */
const integerOf = (atom: Atom): number | null =>
  typeof atom === 'bigint' && atom >= -MOST && atom <= MOST ? Number(atom) : null;
const MOST = 2n ** 53n - 1n;
