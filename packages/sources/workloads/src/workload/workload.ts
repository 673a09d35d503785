import { KEY_DISTRIBUTIONS } from './distributions.ts';
import type { Random } from './random.ts';
import type { Table, TableAnswer, TableRequest } from './table.ts';

export type Key = number | string;

/** Request of a client to a database, within a transaction. Values are numbers, and none is written twice to a key. */
export type Request =
  | { readonly kind: 'read'; readonly key: Key }
  | { readonly kind: 'write'; readonly key: Key; readonly value: number }
  | { readonly kind: 'append'; readonly key: Key; readonly value: number }
  | { readonly kind: 'read-list'; readonly key: Key }
  /** Reads a key and, where it is absent or deleted, writes it. */
  | { readonly kind: 'insert'; readonly key: Key; readonly value: number }
  /** Reads a key and, where there is something, writes a tombstone, which is a version of its own. */
  | { readonly kind: 'delete'; readonly key: Key; readonly value: number }
  /** Reads all keys between two numbers, tombstones included. */
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  /** Writes if the key holds the expected value; null: expects the key to be absent. */
  | { readonly kind: 'compare-and-set'; readonly key: Key; readonly expected: number | null; readonly value: number }
  /** Gives up: the database undoes the transaction. */
  | { readonly kind: 'abort' }
  /** Lets others go first. A client of a real database waits; one of the simulated database looks again at its next step. */
  | { readonly kind: 'wait'; readonly isOver: () => boolean; readonly over: () => Promise<void> }
  | TableRequest;

export interface WorkloadRow {
  readonly key: Key;
  readonly value: number;
  readonly dead: boolean;
}

/** Answer of the database: a value or null, a list, rows, whether a compare-and-set wrote, or answers of tables. */
export type Answer = number | null | readonly number[] | readonly WorkloadRow[] | boolean | undefined | TableAnswer;

/** Attempt at a transaction: sends requests and gets answers, until it returns and wants to commit. */
export type Program = Generator<Request, void, Answer>;

/** A transaction that may be attempted again: every attempt asks for the same keys, but writes values of its own. */
export type Transaction = () => Program;

/** A workload with its parameters set, ready for some number of sessions. */
export interface Run {
  /** Transactions that fill the database before the sessions begin. */
  readonly load: Iterable<Transaction>;
  /** The transactions of a session, one after another, as many as are wanted. */
  session(index: number, random: Random): () => Transaction;
}

export type Setting = number | string | boolean;
export type Settings = Readonly<Record<string, Setting>>;

export interface Parameter {
  readonly default: Setting;
  readonly help: string;
  readonly choices?: readonly string[];
  /** The least and the greatest number that makes sense. */
  readonly range?: readonly [low: number, high: number];
  /** Whether a number need not be whole. */
  readonly fractional?: true;
  /** Whether it names a distribution of keys, which may be a plug-in. */
  readonly isDistribution?: true;
}

/** The parameter by which a workload lets its keys be drawn otherwise. */
export const DISTRIBUTION = {
  default: 'uniform',
  help: 'distribution of keys',
  choices: KEY_DISTRIBUTIONS.map(({ name }) => name),
  isDistribution: true,
} as const satisfies Parameter;

export interface Workload<Parameters extends Settings = Settings> {
  /** In kebab-case; a name for `isolab generate`. */
  readonly name: string;
  readonly title: string;
  readonly source: string;
  /** Kind of data that its keys hold. */
  readonly data: 'registers' | 'lists' | 'rows' | 'tables';
  /** The tables that it needs, where its data are tables. */
  readonly tables?: readonly Table[];
  readonly parameters: Readonly<Record<keyof Parameters, Parameter>>;
  /**
   * Upper bound of its keys, which are whole numbers from 0 on and below this; null or absent where it is not known
   * before.
   */
  keys?(parameters: Parameters, sessions: number): number | null;
  /** `earlierRuns`: how many runs of it the database has seen, whose rows are still there. */
  prepare(parameters: Parameters, sessions: number, random: Random, earlierRuns?: number): Run;
}

/** Values of parameters, typed by their defaults. */
export type SettingsOf<Parameters extends Readonly<Record<string, Parameter>>> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends { readonly default: number }
    ? number
    : Parameters[Name] extends { readonly default: boolean }
      ? boolean
      : Parameters[Name] extends { readonly choices: readonly (infer Choice extends string)[] }
        ? Choice
        : string;
};

/** Fixes the types of a workload's parameters. */
export const defineWorkload = <const Parameters extends Readonly<Record<string, Parameter>>>(
  workload: Omit<Workload<SettingsOf<Parameters>>, 'parameters'> & { readonly parameters: Parameters },
): Workload<SettingsOf<Parameters>> => workload;

export const read = (key: Key) => ({ kind: 'read', key }) as const;

/** Asks to read a key or to write its next version; a list is read whole and appended to. */
export function readOrWrite(isRead: boolean, key: Key, lists: boolean, versions: Versions): Request {
  if (isRead) return { kind: lists ? 'read-list' : 'read', key };
  return { kind: lists ? 'append' : 'write', key, value: versions.next(key) };
}

/** Splits rows into transactions of `size` rows that write them. */
export function* loadOf<Written>(
  rows: Iterable<Written>,
  size: number,
  write: (row: Written) => Request,
): Generator<Transaction> {
  const writing = (own: readonly Written[]): Transaction =>
    function* (): Program {
      for (const row of own) yield write(row);
    };
  let block: Written[] = [];
  for (const row of rows) {
    if (block.push(row) < size) continue;
    yield writing(block);
    block = [];
  }
  if (block.length > 0) yield writing(block);
}

/** Counts up for each key, from 1, so that no value is written to a key twice. */
export class Versions {
  /** A Map has room for sixteen million keys, and histories of millions of long transactions write more. */
  readonly #last = Array.from({ length: PARTS }, () => new Map<Key, number>());

  next(key: Key): number {
    const last = this.#last[typeof key === 'number' ? Math.abs(key % PARTS) | 0 : 0]!;
    const value = (last.get(key) ?? 0) + 1;
    last.set(key, value);
    return value;
  }
}

const PARTS = 16;
