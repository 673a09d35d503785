import { type OperationId, type Row, type Scalar, showPredicate, visibleLine } from '@isolab/history';
import type { Version } from './row-history.ts';
import type { RowView } from './row-view.ts';

/** Describes operations on rows in the vocabulary of tables. Descriptions of an action begin with a verb. */
export class RowTexts {
  /** Whether a row was printed without some of its columns. */
  leavesColumnsOut = false;
  readonly #view: RowView;
  readonly #labelOf: (whole: number) => string | null;

  /** `labelOf` names a transaction of the whole history, if it is in the part. */
  constructor(view: RowView, labelOf: (whole: number) => string | null) {
    this.#view = view;
    this.#labelOf = labelOf;
  }

  /** "reads doctors/1 = {on_call: true}", "scans doctors where on_call = true, which does not return doctors/3". */
  reads(read: OperationId, place = ''): string {
    const view = this.#view;
    const row = this.#name(view.rowOf(read));
    const version = view.versionOf(read);
    if (view.kindOf(read) === 'get')
      return version === null ? `finds no ${row}${place}` : `reads ${this.#held(read)}${place}`;
    const { begin, among } = this.#scanned(read);
    const scans = `${begin}${this.#from(read)}${place}`;
    if (!view.isItem(read)) return `${scans}, which returns ${this.#held(read)}`;
    if (view.isOpen(read)) return scans;
    if (among !== null) return `${scans}, ${among(row, view.isMatch(read))}`;
    return `${scans}, which ${view.isMatch(read) ? `returns some version of ${row}` : `does not return ${row}`}`;
  }

  /**
   * Abbreviated result of a scan, for use after the missed write: "it counts 2 rows of doctors where on_call = true".
   */
  saw(read: OperationId): string {
    const view = this.#view;
    if (view.kindOf(read) === 'get') return `it ${this.reads(read)}`;
    const { begin, among } = this.#scanned(read);
    const from = this.#from(read);
    if (among !== null) return `it ${begin}${from}`;
    if (!view.isItem(read)) return `its scan of ${from} returns ${this.#held(read)}`;
    const returned = view.returnedBy(read).map((row) => this.#key(row));
    const shown = returned.length > KEYS ? [...returned.slice(0, KEYS), `${returned.length - KEYS} more`] : returned;
    return `its scan of ${from} returns ${shown.length === 0 ? 'nothing' : `only ${joined(shown)}`}`;
  }

  /** "scan of doctors where on_call = true" */
  nounOf(scan: number): string {
    const aggregate = this.#view.aggregateOf(scan);
    if (this.#view.readsCounter(scan)) return `read of ${this.#from(scan)}`;
    return `${aggregate === null ? 'scan' : aggregate.kind === 'count' ? 'count' : aggregate.kind} of ${this.#from(scan)}`;
  }

  /** "counts 2 rows of doctors where on_call = true" */
  found(scan: number): string {
    return `${this.#scanned(scan).begin}${this.#from(scan)}`;
  }

  /** Phrase for an aggregate's use of a row: "T1 counted doctors/1". */
  verbOf(scan: number): string {
    const kind = this.#view.aggregateOf(scan)?.kind;
    if (this.#view.readsCounter(scan)) return 'counted';
    return kind === 'count' ? 'counted' : kind === 'sum' ? 'added' : 'found';
  }

  /** Assumption about a row of an aggregate: "doctors/1", "not doctors/2", "accounts/1 where balance = 50". */
  supposed(read: OperationId, matched: boolean): string {
    const id = this.#view.rowOf(read);
    const row = this.#view.isOfCounter(id) ? this.#name(id) : this.#view.nameOf(id);
    const isPlain = !matched || this.#view.aggregateOf(read)?.kind === 'count' || this.#view.isOfCounter(id);
    return visibleLine(`${matched ? '' : 'not '}${isPlain ? row : `${row} where ${this.#view.conditionOf(read)}`}`);
  }

  /** "inserts doctors/3 {on_call: true}", "updates doctors/1: on_call true → false". */
  writes(write: number): string {
    const { verb, what } = this.#change(write);
    return `${verb}s ${what}`;
  }

  /** "insert of doctors/3 {on_call: true}", "update of doctors/1 (on_call true → false)". */
  made(write: number): string {
    const { verb, what, row, detail } = this.#change(write);
    return detail === null ? `${verb} of ${what}` : `${verb} of ${row} (${detail})`;
  }

  /** Reason why a scan should have seen a write: "which its predicate matches". Null where the reason is redundant. */
  concerns(read: OperationId, write: number, whose: string): string | null {
    const view = this.#view;
    if (!view.isItem(read) || !view.isItem(write) || view.isMatch(read) === view.isMatch(write)) return null;
    const { kind = null } = view.aggregateOf(read) ?? {};
    if (kind !== null && kind !== 'count') return 'which would change the result';
    return view.isMatch(write) ? `which ${whose} predicate matches` : `after which ${whose} predicate does not match`;
  }

  /** Version of a row in a table of versions: "{on_call: true}", "absent". */
  version(op: OperationId): string {
    const version = this.#view.versionOf(op);
    return version === undefined && this.#view.isItem(op)
      ? this.#view.isMatch(op)
        ? 'one that matches'
        : 'one that does not match'
      : this.#versionText(this.#view.rowOf(op), version);
  }

  initial(row: number): string {
    return this.#versionText(row, this.#view.initialOf(row));
  }

  /**
   * Label of an operation in the picture: "update doctors/1: on_call true → false", "read doctors/1 {id: 1, on_call:
   * true}". Rows have all their columns if these fit, or at any length.
   */
  drawn(op: OperationId, longest = LONGEST_ROW): string {
    const view = this.#view;
    const kind = view.kindOf(op);
    if (kind === 'put') {
      const { verb, what } = this.#change(op, longest);
      return `${verb} ${what}`;
    }
    const row = view.rowOf(op);
    const version = view.versionOf(op);
    const name = kind === 'get' || view.isOfCounter(row) ? this.#name(row) : this.#key(row);
    if (version !== undefined) {
      const shown = version === null ? `${name}: absent` : `${name} ${this.#row(row, version, longest)}`;
      return kind === 'get' ? `read ${shown}` : shown;
    }
    if (!view.isItem(op)) return `read ${name} ?`;
    if (view.aggregateOf(op) !== null) return view.isMatch(op) ? `includes ${name}` : `leaves out ${name}`;
    return view.isMatch(op) ? `some version of ${name}` : `not ${name}`;
  }

  /** "scan doctors where on_call = true", "count 2 of doctors where on_call = true" */
  drawnScan(scan: number): string {
    const aggregate = this.#view.aggregateOf(scan);
    const from = this.#from(scan);
    if (aggregate === null) return `scan ${from}`;
    if (this.#view.readsCounter(scan)) return `read ${from}`;
    const { kind, result } = aggregate;
    return kind === 'count'
      ? `count ${result} of ${from}`
      : `${kind} of ${aggregate.column} = ${literalOf(result)} in ${from}`;
  }

  table(scan: number): string {
    return visibleLine(this.#view.tableOf(scan));
  }

  /** "doctors/1 = {on_call: true}" */
  #held(op: OperationId): string {
    const row = this.#view.rowOf(op);
    return `${this.#name(row)} = ${this.#versionText(row, this.#view.versionOf(op))}`;
  }

  #name(row: number): string {
    if (this.#view.isOfCounter(row)) return this.#increment(row);
    return visibleLine(this.#view.nameOf(row));
  }

  /** Name of a counter's row: "T1’s increment of stock". */
  #increment(row: number): string {
    const counter = visibleLine(this.#view.tableNameOf(row));
    const adder = this.#view.adderOf(row);
    if (adder === null) return `the initial value of ${counter}`;
    const label = this.#labelOf(adder);
    return label === null ? `an increment of ${counter}` : `${label}’s increment of ${counter}`;
  }

  /** The key of a row without its table. */
  #key(row: number): string {
    return visibleLine(this.#view.nameOf(row).slice(this.#view.tableNameOf(row).length + 1));
  }

  #versionText(row: number, version: Version): string {
    return version === undefined ? '?' : version === null ? 'absent' : this.#row(row, version);
  }

  /** "doctors where on_call = true", or "doctors" for a scan of all rows. */
  #from(scan: number): string {
    const where = this.#view.whereOf(scan);
    const table = this.#view.tableOf(scan);
    if (this.#view.readsCounter(scan))
      return visibleLine(`${table} = ${literalOf((this.#view.aggregateOf(scan) as { result: Scalar }).result)}`);
    return visibleLine(where === true ? table : `${table} where ${showPredicate(where)}`);
  }

  /** The verb of a scan, and for an aggregate the phrase that states whether a row counts. */
  #scanned(scan: number): { begin: string; among: ((row: string, counts: boolean) => string) | null } {
    const aggregate = this.#view.aggregateOf(scan);
    if (aggregate === null) return { begin: 'scans ', among: null };
    const { kind, result } = aggregate;
    if (this.#view.readsCounter(scan))
      return { begin: 'reads ', among: (row, counts) => `which ${counts ? 'includes' : 'leaves out'} ${row}` };
    if (kind === 'count')
      return {
        begin: `counts ${String(result)} row${result === 1 ? '' : 's'} of `,
        among: (row, counts) => `${row} ${counts ? '' : 'not '}among them`,
      };
    return {
      begin: `finds ${literalOf(result)} to be the ${kind} of ${aggregate.column} in `,
      among: (row, counts) => `which ${counts ? `takes ${row} into account` : `leaves ${row} out`}`,
    };
  }

  #change(write: number, longest?: number): { verb: string; what: string; row: string; detail: string | null } {
    const id = this.#view.rowOf(write);
    const row = this.#name(id);
    const after = this.#view.versionOf(write);
    const before = this.#view.before(write);
    if (after && this.#view.isOfCounter(id)) {
      const counter = visibleLine(this.#view.tableNameOf(id));
      return { verb: 'increment', what: `${counter} by ${this.#view.amountOf(write)}`, row: counter, detail: null };
    }
    if (after === null || after === undefined) return { verb: 'delete', what: row, row, detail: null };
    if (before === null) return { verb: 'insert', what: `${row} ${this.#row(id, after, longest)}`, row, detail: null };
    if (before === undefined)
      return { verb: 'write', what: `${row} = ${this.#row(id, after, longest)}`, row, detail: null };
    const columns = this.#view.differences(before, after);
    const detail =
      columns.length === 0
        ? `no change${this.#mark(id, after)}`
        : visibleLine(
            columns
              .map((column) => `${column} ${literalOf(before[column] ?? null)} → ${literalOf(after[column] ?? null)}`)
              .join(', '),
          );
    return { verb: 'update', what: `${row}: ${detail}`, row, detail };
  }

  /**
   * Prints the columns that distinguish the versions of a row, or the first columns if no column does. With a longest
   * text, adds the other columns as far as they fit, and counts the rest.
   */
  #row(id: number, row: Row, longest = 0): string {
    const all = this.#view.shownColumns(row);
    const telling = this.#view.columnsOf(this.#view.tableNameOf(id));
    const text = (column: string): string => `${column}: ${literalOf(row[column]!)}`;
    const first = all.filter((column) => telling.has(column));
    const shown = new Set(first.length === 0 ? all.slice(0, COLUMNS) : first);
    const size = (column: string): number => text(column).length + 2;
    let room = [...shown].reduce((left, column) => left - size(column), longest);
    for (const column of all) {
      if (shown.has(column) || size(column) > room) continue;
      shown.add(column);
      room -= size(column);
    }
    const hidden = all.length - shown.size;
    if (hidden > 0) this.leavesColumnsOut = true;
    const columns = all.filter((column) => shown.has(column)).map(text);
    const rest = hidden > 0 && longest > 0 ? [`… ${hidden} more`] : [];
    return visibleLine(`{${[...columns, ...rest].join(', ')}}${this.#mark(id, row)}`);
  }

  /** Mark that distinguishes versions that look alike to clients. */
  #mark(id: number, row: Row): string {
    const number = this.#view.numberAmongAlike(id, row);
    return number === 0 ? '' : ` (version ${number})`;
  }
}

const literalOf = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : value === null ? 'null' : String(value);

const joined = (words: readonly string[]): string =>
  words.length === 1 ? words[0]! : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`;

const KEYS = 6;
const COLUMNS = 3;
/** Characters of a row in the picture: four lines. */
const LONGEST_ROW = 100;
