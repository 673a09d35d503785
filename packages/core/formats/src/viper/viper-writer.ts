import {
  type Atom,
  Exchange,
  type History,
  NIL,
  NO_TIME,
  OPEN_BOUND,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  atomOf,
  buildReadFrom,
  countOperations,
  countSessions,
  valueRead,
  valueWritten,
} from '@isolab/history';
import {
  type AtomRange,
  type Capabilities,
  addingTo,
  anyInteger,
  idOf,
  lossesOf,
  spelling,
} from '../format/capabilities.ts';
import type { HistoryWriter, Loss } from '../format/format.ts';
import { areLogNumbers } from '../files/numbered-logs.ts';
import type { Output } from '../files/output.ts';

/**
 * Writes the array forms, and always writes the initial state to a separate log so that initial reads are recognised.
 */
export const viperWriter: HistoryWriter = { losses, write };

const names: AtomRange = (atom) => anyInteger(atom) || (typeof atom === 'string' && atom !== 'nil');
const namesButZero: AtomRange = (atom) => names(atom) && atom !== 0n;

function capabilities(history: History): Capabilities {
  const { sessionNames, txnStatus, source } = history;
  return {
    operations: [OpKind.Read, OpKind.Write, OpKind.RangeRead, OpKind.Insert, OpKind.Delete],
    emptyTransactions: true,
    emptySessions: txnStatus.some((status) => status === TxnStatus.Committed), // unless all sessions are empty
    sessionNames: areLogNumbers(sessionNames) ? anyInteger : 'ordinal',
    keys: names,
    values: hasZeroVersion(history) ? namesButZero : names,
    initial: null,
    nilValues: true,
    times: source.timeUnit === 'nanoseconds',
  };
}

/** Returns whether 0, which represents an absent key, is used beyond the initial state: written, or read otherwise. */
function hasZeroVersion(history: History): boolean {
  const zero = idOf(history.values, 0n);
  if (zero < 0) return false;
  const { readFrom, rowReadFrom } = buildReadFrom(history);
  for (let op = 0; op < countOperations(history); op++) {
    if (valueWritten(history, op) === zero) return true;
    if (valueRead(history, op) === zero && readFrom[op] !== ReadFrom.Initial) return true;
  }
  return history.ranges.rowValue.some((value, row) => value === zero && rowReadFrom[row] !== ReadFrom.Initial);
}

function losses(history: History): Loss[] {
  const found = [...lossesOf(history, capabilities(history))];
  const lose = addingTo(found);
  lose('range-reads', countMixedRanges(history), 'have their tombstones moved to the end');
  // The format has no tables: their rows become keys, which are part of ranges.
  if (history.scans.tables.length > 0)
    lose('range-reads', history.ranges.low.length, 'also read the rows of tables in their range');
  return found;
}

function countMixedRanges({ ranges: { rowStart, rowDead } }: History): number {
  let mixed = 0;
  for (let range = 0; range + 1 < rowStart.length; range++) {
    const firstDead = rowDead.indexOf(1, rowStart[range]);
    if (firstDead >= 0 && rowDead.subarray(firstDead, rowStart[range + 1]).includes(0)) mixed++;
  }
  return mixed;
}

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStatus, sessionNames } = history;
  const text = new TransactionText(history);
  const named = areLogNumbers(sessionNames);
  const numbers = new Set<bigint>();
  for (let s = 0; s < countSessions(history); s++) {
    const number = named ? (atomOf(sessionNames, s) as bigint) : BigInt(s);
    numbers.add(number);
    const log = await output.fileIn(`J${number}.log`);
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (txnStatus[t] === TxnStatus.Committed) await log.write(text.transaction(t));
    }
    await log.close();
  }
  let free = 0n;
  while (numbers.has(free)) free++;
  const log = await output.fileIn(`J${free}.log`);
  await log.write(text.initialState());
  await log.close();
}

class TransactionText {
  readonly #history: History;
  readonly #key: (id: number) => string;
  readonly #value: (id: number) => string;

  constructor(history: History) {
    const can = capabilities(history);
    const key = spelling(history.keys, can.keys, 0n);
    const value = spelling(history.values, can.values, 1n, UNKNOWN_VALUE + 1);
    this.#history = history;
    this.#key = (id) => json(key(id));
    this.#value = (id) => (id === NIL ? '0' : json(value(id)));
  }

  transaction(t: number): string {
    const { txnStart, txnBegin, txnEnd, source } = this.#history;
    const operations: string[] = [];
    for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
      const text = this.#operation(op);
      if (text !== null) operations.push(text);
    }
    const time = (field: string, column: BigInt64Array | null): string =>
      column === null || source.timeUnit !== 'nanoseconds' || column[t] === NO_TIME ? '' : `, "${field}": ${column[t]}`;
    return `{"value": [${operations.join(', ')}]${time('preBeginTS', txnBegin)}${time('postCommitTS', txnEnd)}}\n`;
  }

  initialState(): string {
    const values: string[] = [];
    for (const [key, value] of this.#history.keyInitial.entries()) {
      if (this.#value(value) !== '0') values.push(this.#writeOf(key, value));
    }
    return `{"value": [${values.join(', ')}], "isInitial": true}\n`;
  }

  #operation(op: number): string | null {
    const { opKind, opKey, opValue, exchanges } = this.#history;
    const [key, x] = [opKey[op], opValue[op]];
    switch (opKind[op]) {
      case OpKind.Read:
        return x === UNKNOWN_VALUE ? null : `["r", ${this.#key(key)}, ${this.#value(x)}, false]`;
      case OpKind.Write:
        return x === UNKNOWN_VALUE ? null : this.#writeOf(key, x);
      case OpKind.RangeRead:
        return this.#range(x);
      case OpKind.Insert:
      case OpKind.Delete: {
        const [observed, written] = [exchanges.observed[x], exchanges.written[x]];
        if (observed === UNKNOWN_VALUE) return this.#writeOf(key, written); // leaves out only the read
        const kind = opKind[op] === OpKind.Insert ? 'i' : 'd';
        const isDead = (exchanges.flags[x] & Exchange.FoundTombstone) !== 0;
        return `["${kind}", ${this.#key(key)}, ${this.#value(written)}, ${this.#value(observed)}, ${isDead}, true]`;
      }
      default:
        return null;
    }
  }

  #writeOf = (key: number, value: number): string => `["w", ${this.#key(key)}, ${this.#value(value)}, true]`;

  /** Without the row, a range read would report an absent key, so a range read with an unknown row is left out. */
  #range(range: number): string | null {
    const { low, high, rowStart, rowKey, rowValue, rowDead } = this.#history.ranges;
    const bound = (key: number): string => (key === OPEN_BOUND ? '"nil"' : this.#key(key));
    const live: string[] = [];
    const dead: string[] = [];
    for (let row = rowStart[range]; row < rowStart[range + 1]; row++) {
      if (rowValue[row] === UNKNOWN_VALUE) return null;
      const key = this.#key(rowKey[row]);
      (rowDead[row] ? dead : live).push(`{"id": ${key}, "sk": ${key}, "val": ${this.#value(rowValue[row])}}`);
    }
    return `["range", ${bound(low[range])}, ${bound(high[range])}, [${live.join(', ')}], [${dead.join(', ')}]]`;
  }
}

const json = (atom: Atom): string => (typeof atom === 'string' ? JSON.stringify(atom) : String(atom));
