import type { Redefined } from '../recorded/definitions.ts';
import { isTransaction, type Versioned } from '../recorded/lines.ts';
import { type SettleLine, type Unsettled, forgetsUncertain, lineOf, settle, stepsOf } from '../recorded/settle.ts';
import type { Tuples } from '../recorded/tuples.ts';
import type { Entry, LogPut } from '../recorded/entries.ts';
import type { LogRead } from './log.ts';
import { type Operation, type LogStep, place } from '../recorded/placing.ts';
import { type Survey, survey } from './survey.ts';

export interface Settling {
  readonly log: LogRead;
  /** Rows whose keys were inserted again, in tables inside and outside the log. */
  readonly tuples: Tuples;
  readonly redefined: ReadonlyMap<string, Redefined>;
  /** Tables whose rows may have disappeared without a trace. */
  readonly replaced: ReadonlySet<string>;
  readonly isInitial: (xmin: number) => boolean;
  /** Whether the log has changes of a table, and whether it has all of the table's changes. */
  readonly isInLog: (table: string) => boolean;
  readonly isComplete: (table: string) => boolean;
  readonly isUndisturbed: (table: string) => boolean;
  readonly defersTriggers: boolean;
}

export interface FromLog {
  /** Number of conditions that the returned rows contradicted. */
  readonly misread: number;
  /** Transactions that did not come through the proxy. */
  readonly outside: number;
  /** Number of versions that the log does not have and whose writers are unknown. */
  readonly strangers: number;
  /** Number of versions from outside the recording whose writers the log does not have. */
  readonly outsiders: number;
}

/** Completes a recording with the information in the log. */
export async function settleByLog(path: string, settling: Settling): Promise<FromLog> {
  const {
    log: { entries },
    redefined,
    replaced,
  } = settling;
  const uncertain = new Set([...redefined.keys(), ...replaced]);
  const lines = new LinesByLog(settling, await survey(path, settling));
  const misread = await settle(path, lines.settle, uncertain, lines.rest);
  entries.remove();
  return { ...lines.counts, misread };
}

class LinesByLog {
  readonly #settling: Settling;
  readonly #survey: Survey;
  readonly #others: Iterator<Entry>;
  #nextOther: Entry | null;
  /** Shapes that have not yet been written to a line. */
  #shapes: (readonly [number, string])[] = [];
  /** Sessions whose last transaction was left out because it did nothing. */
  readonly #left = new Set<string>();
  readonly counts = { outside: 0, strangers: 0, outsiders: 0 };

  constructor(settling: Settling, known: Survey) {
    this.#settling = settling;
    this.#survey = known;
    this.#others = settling.log.entries[Symbol.iterator]();
    this.#nextOther = this.#takeOther();
  }

  readonly settle: SettleLine = (text, number) => {
    if (text.startsWith('{"rows":')) return this.#initialRows(text);
    if (text.startsWith('{"outcome":')) {
      const { session } = JSON.parse(text) as { session: string };
      return this.#left.delete(session) ? [] : [text];
    }
    if (!isTransaction(text)) return [text];
    const line = JSON.parse(text) as Unsettled;
    return line.steps === undefined ? this.#outsider(line) : this.#transaction(line, number);
  };

  /** Writes from outside the recording that follow its last transaction. */
  readonly rest = (): readonly string[] => this.#othersUpTo(Infinity);

  #initialRows(text: string): readonly string[] {
    if (this.#settling.redefined.size === 0 && this.#settling.tuples.isEmpty) return [text];
    const { rows } = JSON.parse(text) as { rows: (readonly [string, unknown, object])[] };
    const kept = rows
      .filter(([table]) => this.#settling.redefined.get(table) !== 'key')
      .map(([table, key, row]) => [table, this.#settling.tuples.keyOf(table, key, row), this.#rowOf(table, row)]);
    return kept.length === 0 ? [] : [JSON.stringify({ rows: kept })];
  }

  /** A version whose writer was unknown: the log may now identify the writer. */
  #outsider(line: Unsettled): readonly string[] {
    const [[, table, key, row]] = line.ops as [readonly [string, string, unknown, Versioned]];
    if (this.#settling.redefined.get(table) === 'key' || this.#survey.unclear.has(row.xmin)) return [];
    const entry = this.#settling.log.entries.entryOf(this.#survey.topOf(row.xmin));
    const written = this.#rowOf(table, row);
    const version = JSON.stringify([table, key, written]);
    if (entry && this.#putsOf(entry).some((put) => JSON.stringify(put.slice(0, 3)) === version)) return [];
    this.counts.outsiders++;
    return [
      JSON.stringify({ ...line, ops: [['put', table, this.#settling.tuples.keyOf(table, key, written), written]] }),
    ];
  }

  #transaction(line: Unsettled, number: number): readonly string[] {
    const { log, redefined, isUndisturbed } = this.#settling;
    const entry = line.xids === undefined ? null : log.entries.entryOf(line.xids[0]!);
    const status = this.#statusOf(line, number, entry !== null);
    const steps = stepsOf(line);
    let mayHaveWritten = false;
    for (const step of steps) {
      const after = mayHaveWritten;
      step.operations = step.operations.flatMap((operation) => this.#operation(operation, after));
      mayHaveWritten ||= step.mayWriteUnseen;
      if (step.scan && (redefined.has(step.scan[0]) || step.operations.some(isUnclear))) step.scan = null;
      step.operations = step.operations.filter((operation) => !isUnclear(operation));
    }
    const puts = entry && entry.isLarge !== true ? this.#putsOf(entry) : [];
    if (entry && entry.isLarge !== true) this.counts.strangers += place(steps, puts, this.#settling);
    addReplaced(steps, puts);
    if (line.xids === undefined) forgetsUncertain(steps);
    // The rows of these transactions are named first.
    const before = this.#othersUpTo(entry?.lsn ?? this.#lastReadOf(steps));
    this.#settling.tuples.rename(steps, replacedBy(puts));
    this.#shapes.push(...(line.shapes ?? []));
    if (steps.every(({ operations, more, scan }) => operations.length + more.length === 0 && scan === null)) {
      if (line.status === 'unknown') this.#left.add(line.session);
      return before;
    }
    this.#left.delete(line.session);
    const { status: _, xids: __, shapes: ___, ...rest } = line;
    const settled = {
      ...rest,
      ...(status !== undefined && { status }),
      ...(entry && { commitTs: entry.lsn }),
      ...(this.#shapes.length > 0 && { shapes: this.#shapes }),
    };
    this.#shapes = [];
    return [...before, lineOf(settled, steps, isUndisturbed)];
  }

  #statusOf({ status, xids }: Unsettled, number: number, isCommitted: boolean): string | undefined {
    if (isCommitted && status === 'aborted') return undefined;
    if (!this.#survey.unfinished.has(number) || xids === undefined) return status;
    const outcome = this.#settling.log.outcomes.get(xids[0]!);
    return outcome === 'committed' ? undefined : (outcome ?? status);
  }

  /**
   * The operation with the transaction number of the version's writer; empty if the writer is uncertain. In a table
   * that the log covers only partly, the unknown version may come from a subtransaction of a transaction with unseen
   * writes.
   */
  #operation(operation: Operation, mayHaveWritten: boolean): readonly Operation[] {
    const [kind, table, key, row] = operation as readonly [string, string, unknown, Versioned | null];
    if (this.#settling.redefined.get(table) === 'key') return [];
    if (row === null) return [operation];
    const { unclear, strange } = this.#survey;
    const mayBeOwn = mayHaveWritten && strange.has(row.xmin) && !this.#settling.isComplete(table);
    if (kind === 'get' && (mayBeOwn || unclear.has(row.xmin))) return [[UNCLEAR, table]];
    return [[kind, table, key, this.#rowOf(table, row)]];
  }

  #rowOf(table: string, row: object): object {
    const xmin = this.#survey.topOf((row as Versioned).xmin);
    return this.#settling.redefined.has(table) ? { xmin } : { ...row, xmin };
  }

  #putsOf({ puts }: Entry): readonly LogPut[] {
    const { redefined, replaced } = this.#settling;
    if (redefined.size + replaced.size === 0) return puts;
    return puts
      .filter(([table]) => redefined.get(table) !== 'key')
      .map((put) => {
        const [table, key, row, ...rest] = put;
        if (!redefined.has(table)) return replaced.has(table) ? [table, key, row] : put;
        return [table, key, row && this.#rowOf(table, row), ...rest.slice(0, 1)] as unknown as LogPut;
      });
  }

  /** Place of the last foreign commit that the transaction read from. */
  #lastReadOf(steps: readonly LogStep[]): number {
    let last = 0;
    for (const { operations } of steps)
      for (const [kind, , , row] of operations as readonly (readonly [string, string, unknown, Versioned | null])[]) {
        if (kind !== 'get' || row === null || this.#survey.claimed.has(row.xmin)) continue;
        if (this.#settling.log.entries.has(row.xmin))
          last = Math.max(last, this.#settling.log.entries.entryOf(row.xmin)!.lsn);
      }
    return last;
  }

  #othersUpTo(lsn: number): string[] {
    const lines: string[] = [];
    for (; this.#nextOther !== null && this.#nextOther.lsn <= lsn; this.#nextOther = this.#takeOther()) {
      const steps: LogStep[] = [{ shape: 0, operations: [], mayWriteUnseen: true, scan: null, more: [] }];
      const puts = this.#putsOf(this.#nextOther);
      place(steps, puts, { ...this.#settling, defersTriggers: false });
      addReplaced(steps, puts);
      this.#settling.tuples.rename(steps, replacedBy(puts));
      const ops = steps[0]!.more;
      if (ops.length > 0)
        lines.push(JSON.stringify({ session: `outside ${++this.counts.outside}`, commitTs: this.#nextOther.lsn, ops }));
    }
    return lines;
  }

  #takeOther(): Entry | null {
    for (;;) {
      const { value, done } = this.#others.next() as IteratorResult<Entry, undefined>;
      if (done) return null;
      if (!this.#survey.claimed.has(value.xid)) return value;
    }
  }
}

const UNCLEAR = 'unclear';
const isUnclear = ([kind]: Operation): boolean => kind === UNCLEAR;

/** Finds the writer of the version that the first put of a row replaced. */
function replacedBy(puts: readonly LogPut[]): (place: string) => number | null | undefined {
  const writers = new Map<string, number | null | undefined>();
  for (const [table, key, , writer] of puts) {
    const row = JSON.stringify([table, key]).slice(1, -1);
    if (!writers.has(row)) writers.set(row, writer);
  }
  return (row) => writers.get(row);
}

/** Inserts a read of the replaced version before each first version of a row. */
function addReplaced(steps: LogStep[], puts: readonly LogPut[]): void {
  const replaced = new Map<string, object | null>();
  for (const [table, key, , , old] of puts) {
    const row = JSON.stringify([table, key]);
    if (old !== undefined && !replaced.has(row)) replaced.set(row, old);
  }
  const withReads = (operations: readonly Operation[]): Operation[] =>
    operations.flatMap((operation, i) => {
      const [kind, table, key] = operation;
      const row = JSON.stringify([table, key]);
      const old = replaced.get(row);
      if (kind !== 'put' || old === undefined) return [operation];
      replaced.delete(row);
      const before = operations[i - 1];
      const isThere = before?.[0] === 'get' && JSON.stringify([before[1], before[2]]) === row;
      return isThere ? [operation] : [['get', table, key, old], operation];
    });
  if (replaced.size === 0) return;
  for (const step of steps) {
    step.operations = withReads(step.operations);
    step.more = withReads(step.more);
  }
}
