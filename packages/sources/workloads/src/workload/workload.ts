import { KEY_DISTRIBUTIONS } from './distributions.ts';
import type { Random } from './random.ts';
import type { Table, TableAnswer, TableRequest } from './table.ts';

export type Key = number | string;

/** Request of a client within a transaction. Values are numbers, and no value is written to a key twice. */
export type Request =
  | { readonly kind: 'read'; readonly key: Key; readonly lock?: Lock }
  | { readonly kind: 'write'; readonly key: Key; readonly value: number }
  | { readonly kind: 'append'; readonly key: Key; readonly value: number }
  /** Adds to a counter, without reading it. */
  | { readonly kind: 'increment'; readonly key: Key; readonly value: number }
  | { readonly kind: 'read-list'; readonly key: Key; readonly lock?: Lock }
  /** Reads a key and writes it if it is absent or deleted. */
  | { readonly kind: 'insert'; readonly key: Key; readonly value: number }
  /** Reads a key and, if it has a value, writes a tombstone, which is a version of its own. */
  | { readonly kind: 'delete'; readonly key: Key; readonly value: number }
  /** Reads all keys between two numbers, tombstones included. */
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  /** Writes if the key has the expected value; null means that the key must be absent. */
  | { readonly kind: 'compare-and-set'; readonly key: Key; readonly expected: number | null; readonly value: number }
  /** Gives up, so that the database rolls the transaction back. */
  | { readonly kind: 'abort' }
  /**
   * Lets other clients continue first. A client of a real database waits; a client of the simulated database checks
   * again at its next step.
   */
  | { readonly kind: 'wait'; readonly isOver: () => boolean; readonly over: () => Promise<void> }
  | StatementRequest
  | TableRequest;

/** Lock that a read takes, where the database has locking reads: FOR UPDATE or FOR SHARE. */
export type Lock = 'update' | 'share';

/** Statements without an answer. A history does not contain them, nor operations that a rollback has undone. */
export type StatementRequest =
  /** First request of a transaction, which takes its snapshot. */
  | { readonly kind: 'take-snapshot' }
  | { readonly kind: 'savepoint' | 'rollback-to-savepoint' }
  | { readonly kind: 'update-nothing' | 'delete-nothing'; readonly key: Key };

const STATEMENT_KINDS = {
  'take-snapshot': true,
  savepoint: true,
  'rollback-to-savepoint': true,
  'update-nothing': true,
  'delete-nothing': true,
} as const satisfies Record<StatementRequest['kind'], true>;

export const isStatementRequest = <R extends { readonly kind: string }>(
  request: R,
): request is Extract<R, StatementRequest> => Object.hasOwn(STATEMENT_KINDS, request.kind);

export interface WorkloadRow {
  readonly key: Key;
  readonly value: number;
  readonly dead: boolean;
}

/** Answer of the database: a value or null, a list, rows, whether a compare-and-set wrote, or an answer of tables. */
export type Answer = number | null | readonly number[] | readonly WorkloadRow[] | boolean | undefined | TableAnswer;

/** An attempt at a transaction: yields requests and receives answers. Its return is a request to commit. */
export type Program = Generator<Request, void, Answer>;

/** A transaction that can be retried: every attempt requests the same keys but writes new values. */
export type Transaction = () => Program;

/** A workload with its parameters, prepared for a number of sessions. */
export interface Run {
  /** Transactions that fill the database before the sessions begin. */
  readonly load: Iterable<Transaction>;
  /** Yields the transactions of a session, possibly without end. */
  session(index: number, random: Random): () => Transaction;
}

export type Setting = number | string | boolean;
export type Settings = Readonly<Record<string, Setting>>;

export interface Parameter {
  readonly default: Setting;
  readonly help: string;
  readonly choices?: readonly string[];
  /** Smallest and largest permitted number. */
  readonly range?: readonly [low: number, high: number];
  /** Whether the number may have a fraction. */
  readonly fractional?: true;
  /** Whether the parameter names a distribution of keys, which may be a plug-in. */
  readonly isDistribution?: true;
}

/** Parameter with which a workload lets users choose the distribution of its keys. */
export const DISTRIBUTION = {
  default: 'uniform',
  help: 'distribution of keys',
  choices: KEY_DISTRIBUTIONS.map(({ name }) => name),
  isDistribution: true,
} as const satisfies Parameter;

export interface Workload<Parameters extends Settings = Settings> {
  /** Name in kebab case, for `isolab generate`. */
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly data: 'registers' | 'counters' | 'lists' | 'rows' | 'tables';
  /** Tables that the workload needs, where its data are tables. */
  readonly tables?: readonly Table[];
  readonly parameters: Readonly<Record<keyof Parameters, Parameter>>;
  /**
   * Upper bound (exclusive) of its keys, which are integers from 0; null or absent where it is not known in advance.
   */
  keys?(parameters: Parameters, sessions: number): number | null;
  /** `earlierRuns`: number of earlier runs whose rows are still in the database. */
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

/** Infers the types of a workload's parameters. */
export const defineWorkload = <const Parameters extends Readonly<Record<string, Parameter>>>(
  workload: Omit<Workload<SettingsOf<Parameters>>, 'parameters'> & { readonly parameters: Parameters },
): Workload<SettingsOf<Parameters>> => workload;

export const read = (key: Key) => ({ kind: 'read', key }) as const;

/** Requests to read a key or to write its next version; a list is read as a whole and appended to. */
export function readOrWrite(isRead: boolean, key: Key, lists: boolean, versions: Versions): Request {
  if (isRead) return { kind: lists ? 'read-list' : 'read', key };
  return { kind: lists ? 'append' : 'write', key, value: versions.next(key) };
}

/** Splits rows into transactions that write `size` rows each. */
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

/** Version numbers per key, from 1, so that no value is written to a key twice. */
export class Versions {
  /** A Map holds at most sixteen million keys, but large histories write more. */
  readonly #last = Array.from({ length: PARTS }, () => new Map<Key, number>());

  next(key: Key): number {
    const last = this.#last[typeof key === 'number' ? Math.abs(key % PARTS) | 0 : 0]!;
    const value = (last.get(key) ?? 0) + 1;
    last.set(key, value);
    return value;
  }
}

const PARTS = 16;
