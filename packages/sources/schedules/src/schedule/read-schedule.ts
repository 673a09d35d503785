import { CollectorError, type KeyData as DataKind, type KeyQuestion as Question } from '@isolab/collector';
import { type Action, PLAIN_NAME, type Schedule, type ScheduledTransaction, type Step } from './schedule.ts';

/** Contents of a schedule file. */
export interface KeptSchedule {
  readonly schedule: Schedule;
  readonly load: number;
  /** Names of the violated level and of the isolation level at which the violation occurred. */
  readonly level: string;
  readonly isolation: string;
}

/** Parses the output of `asData`. Refuses anything else, with the place and the expected contents. */
export function readSchedule(text: string, name: string): KeptSchedule {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new CollectorError(`${name} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  const at = new Reader(name);
  const file = at.record(raw, 'the file');
  if (file['isolab'] !== 'schedule' || file['version'] !== 1)
    at.fail('version', file['version'], 'a schedule of version 1');
  const transactions = at.list(file['transactions'], 'transactions').map((one, i) => transactionOf(at, one, i));
  const terminals = 1 + Math.max(-1, ...transactions.map(({ terminal }) => terminal));
  if (terminals > MOST_TERMINALS) at.fail('transactions', terminals, `at most ${MOST_TERMINALS} terminals`);
  const steps = at.list(file['steps'], 'steps').map((one, i) => stepOf(at, one, i, transactions));
  checkOrder(at, steps, transactions);
  const schedule: Schedule = {
    data: at.oneOf(file['data'], 'data', DATA),
    setup: at.list(file['setup'], 'setup').map((one, i) => questionOf(at, one, `setup ${i}`)),
    terminals,
    transactions,
    steps,
    differs: at.list(file['differs'], 'differs').map((one, i) => at.text(one, `differs ${i}`)),
  };
  return {
    schedule,
    load: at.whole(file['load'], 'load', MOST_TERMINALS),
    level: at.text(file['level'], 'level'),
    isolation: at.text(file['isolation'], 'isolation'),
  };
}

const MOST_TERMINALS = 100;
const DATA: readonly DataKind[] = ['registers', 'lists', 'rows'];

function transactionOf(at: Reader, raw: unknown, i: number): ScheduledTransaction {
  const place = `transaction ${i}`;
  const one = at.record(raw, place);
  return {
    name: at.name(one['name'], `${place}, name`),
    terminal: at.whole(one['terminal'], `${place}, terminal`, MOST_TERMINALS),
    role: at.oneOf(one['role'], `${place}, role`, ['story', 'beside']),
  };
}

function stepOf(at: Reader, raw: unknown, i: number, transactions: readonly ScheduledTransaction[]): Step {
  const place = `step ${i}`;
  const one = at.record(raw, place);
  const transaction = at.whole(one['transaction'], `${place}, transaction`, transactions.length - 1);
  const does = at.record(one['does'], `${place}, does`);
  const kind = does['kind'];
  const action: Action =
    kind === 'begin' || kind === 'commit' || kind === 'rollback' ? { kind } : questionOf(at, does, `${place}, does`);
  return {
    name: at.name(one['name'], `${place}, name`),
    terminal: transactions[transaction]!.terminal,
    transaction,
    does: action,
    ...(one['rushes'] === true && { rushes: true }),
    ...(one['told'] !== undefined && { told: one['told'] as NonNullable<Step['told']> }), // used only for comparison
  };
}

function questionOf(at: Reader, raw: unknown, place: string): Question {
  const one = at.record(raw, place);
  const kind = at.oneOf(one['kind'], `${place}, kind`, KINDS);
  const number = (field: string): number => at.number(one[field], `${place}, ${field}`);
  if (kind === 'range') return { kind, low: number('low'), high: number('high') };
  const key = typeof one['key'] === 'string' ? at.name(one['key'], `${place}, key`) : number('key');
  if (kind === 'read' || kind === 'read-list') return { kind, key };
  const value = number('value');
  if (kind !== 'compare-and-set') return { kind, key, value };
  return { kind, key, expected: one['expected'] === null ? null : number('expected'), value };
}

const KINDS = ['read', 'write', 'append', 'read-list', 'insert', 'delete', 'range', 'compare-and-set'] as const;

/**
 * Checks that every transaction begins and ends once, with its statements in between, and that each terminal runs one
 * transaction at a time.
 */
function checkOrder(at: Reader, steps: readonly Step[], transactions: readonly ScheduledTransaction[]): void {
  const open = new Map<number, number>();
  const over = new Set<number>();
  for (const [i, { terminal, transaction, does }] of steps.entries()) {
    const isOwn = open.get(terminal) === transaction;
    const isNext = !open.has(terminal) && !over.has(transaction);
    if (does.kind === 'begin' ? !isNext : !isOwn)
      at.fail(
        `step ${i}`,
        does.kind,
        `a statement of the transaction that is open at terminal ${terminal}, or its begin`,
      );
    if (does.kind === 'begin') open.set(terminal, transaction);
    if (does.kind !== 'commit' && does.kind !== 'rollback') continue;
    open.delete(terminal);
    over.add(transaction);
  }
  if (over.size === 0 || over.size < transactions.length) at.fail('steps', over.size, 'every transaction to end');
}

/** Validates values of unknown shape, or fails with the problem in them. */
class Reader {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  fail(place: string, found: unknown, expected: string): never {
    throw new CollectorError(
      `${this.#name}, ${place}: found ${JSON.stringify(found)?.slice(0, 100) ?? 'nothing'}, expected ${expected}.`,
    );
  }

  record(raw: unknown, place: string): Readonly<Record<string, unknown>> {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return this.fail(place, raw, 'an object');
    return raw as Readonly<Record<string, unknown>>;
  }

  list(raw: unknown, place: string): readonly unknown[] {
    return Array.isArray(raw) ? (raw as readonly unknown[]) : this.fail(place, raw, 'a list');
  }

  text(raw: unknown, place: string): string {
    return typeof raw === 'string' ? raw : this.fail(place, raw, 'a text');
  }

  /** Returns a name that needs no quotes in statements. */
  name(raw: unknown, place: string): string {
    const text = this.text(raw, place);
    return PLAIN_NAME.test(text) ? text : this.fail(place, raw, 'letters, digits and . : _ -');
  }

  number(raw: unknown, place: string): number {
    return Number.isSafeInteger(raw) ? (raw as number) : this.fail(place, raw, 'a whole number of at most 2^53 − 1');
  }

  whole(raw: unknown, place: string, most: number): number {
    const number = this.number(raw, place);
    return number >= 0 && number <= most ? number : this.fail(place, raw, `a whole number from 0 to ${most}`);
  }

  oneOf<T extends string>(raw: unknown, place: string, words: readonly T[]): T {
    return words.find((word) => word === raw) ?? this.fail(place, raw, words.join(', '));
  }
}
