import {
  type Atom,
  type History,
  NIL,
  OpKind,
  type TransactionId,
  TxnStatus,
  UNKNOWN_VALUE,
  countAtoms,
  countSessions,
  printOperation,
  printTimes,
} from '@isolab/history';
import { spelling } from '../format/capabilities.ts';
import type { Output } from '../files/output.ts';
import { isRowKey, printRow, printRowKey, printScan, rangesOf } from './print-rows.ts';

/** Returns whether the notation can spell this key so that it is read back unchanged. */
export const isWord = (atom: Atom): boolean =>
  typeof atom === 'bigint' || (typeof atom === 'string' && /^\w+$/.test(atom) && !/^\d+$/.test(atom));

/**
 * Prints a history in the notation. Keys and values that it cannot spell are numbered. An empty transaction that is
 * alone in its session is left out.
 */
export const printNotation = (history: History): string => [...linesOf(history)].join('\n');

export async function writeNotation(history: History, output: Output): Promise<void> {
  const sink = await output.file();
  for (const line of linesOf(history)) await sink.write(`${line}\n`);
  await sink.close();
}

function* linesOf(history: History): Generator<string> {
  const { sessionStart } = history;
  const printer = new Printer(history);
  yield* printer.initial();
  for (let s = 0; s < countSessions(history); s++) {
    const transactions: string[] = [];
    for (let t = sessionStart[s]!; t < sessionStart[s + 1]!; t++) transactions.push(printer.transaction(t));
    const line = transactions.join(' | ');
    if (line !== '') yield line;
  }
}

class Printer {
  readonly #history: History;
  readonly #key: (id: number) => string;
  readonly #value: (id: number) => string;

  constructor(history: History) {
    this.#history = history;
    const { keys, values } = rangesOf(history, isWord);
    const key = spelling(history.keys, keys, 0n);
    const value = spelling(history.values, values, 1n, UNKNOWN_VALUE + 1);
    this.#key = (id) => `${key(id)}`;
    this.#value = (id) => (id === NIL ? 'nil' : id === UNKNOWN_VALUE ? '?' : `${value(id)}`);
  }

  /** Returns the line of initial values, unless they are all 0. */
  initial(): string[] {
    const { keys, keyInitial } = this.#history;
    const isZero = (id: number): boolean => this.#value(id) === '0';
    const isRow = (key: number): boolean => isRowKey(this.#history, key);
    const all = Array.from({ length: countAtoms(keys) }, (_, key) => key);
    const rows = all.filter((key) => isRow(key) && keyInitial[key] !== NIL);
    const others = all.filter((key) => !isRow(key) && !isZero(keyInitial[key]!));
    if (others.length + rows.length === 0) return [];
    const isNil = others.length > 0 && all.every((key) => isRow(key) || keyInitial[key] === NIL);
    const states = [
      ...(isNil ? [] : others.map((key) => `${this.#key(key)}=${this.#value(keyInitial[key]!)}`)),
      ...rows.map((key) => `${printRowKey(this.#history, key)}=${printRow(this.#history, keyInitial[key]!)}`),
    ];
    return [['initial', isNil ? 'nil' : '0', ...states].join(' ')];
  }

  transaction(t: TransactionId): string {
    const { txnStart, txnStatus } = this.#history;
    const mark = txnStatus[t] === TxnStatus.Aborted ? '!' : txnStatus[t] === TxnStatus.Unknown ? '?' : '';
    const operations: string[] = [];
    for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) operations.push(this.#operation(op));
    return `${mark}${operations.join(' ')}${printTimes(this.#history, t)}`;
  }

  #operation(op: number): string {
    const { opKind, opKey, opValue } = this.#history;
    const [kind, x] = [opKind[op]!, opValue[op]!];
    if (kind === OpKind.Scan) return printScan(this.#history, x);
    if (isRowKey(this.#history, opKey[op]!) && (kind === OpKind.Read || kind === OpKind.Write))
      return `${kind === OpKind.Read ? 'get' : 'put'}(${printRowKey(this.#history, opKey[op]!)}, ${printRow(this.#history, x)})`;
    return printOperation(this.#history, op, this.#key, this.#value);
  }
}
