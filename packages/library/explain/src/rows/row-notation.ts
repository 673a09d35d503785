import { AMOUNT, type Row, printName, printPredicate, printScalar, visibleLine } from '@isolab/history';
import type { Version } from './row-history.ts';
import type { RowView } from './row-view.ts';
import { scanTold } from './scan-told.ts';

/**
 * Prints operations on rows in the notation. A part may keep less of a scan than the scan returned. In that case the
 * notation still states the result for rows whose writes are all in the part. It cannot express that the other rows are
 * unknown, so it prints a `…`, and `not 3` for each row that the scan is known to have passed over.
 */
export class RowNotation {
  readonly #view: RowView;
  readonly #rows: readonly number[]; // numbered as in the part

  constructor(view: RowView) {
    this.#view = view;
    this.#rows = view.allRows();
  }

  /** Rows of the initial state, and counters that do not begin with `plain`: `doctors/1={on_call: true}`, `n=5`. */
  initialRows(plain: string): string[] {
    return this.#rows.flatMap((row) => {
      const version = this.#view.initialOf(row);
      if (version && this.#view.isOfCounter(row)) {
        const value = printScalar(version[AMOUNT]!);
        return value === plain ? [] : [visibleLine(`${printName(this.#view.tableNameOf(row))}=${value}`)];
      }
      return version ? [visibleLine(`${this.#rowName(row)}=${this.#row(version)}`)] : [];
    });
  }

  /** Prints operations that all stem from the same original operation. */
  print(ops: readonly number[]): string {
    const [op] = ops;
    const view = this.#view;
    const kind = view.kindOf(op!);
    if (kind === 'scan') return visibleLine(this.#scan(ops));
    const row = view.rowOf(op!);
    if (view.isOfCounter(row)) return visibleLine(`inc(${printName(view.tableNameOf(row))},${view.amountOf(op!)})`);
    return visibleLine(`${kind}(${this.#rowName(view.rowOf(op!))}, ${this.#version(view.versionOf(op!))})`);
  }

  #scan(ops: readonly number[]): string {
    const view = this.#view;
    const [op] = ops;
    const table = view.tableOf(op!);
    const where = view.fullWhereOf(op!);
    const aggregate = view.aggregateOf(op!);
    const { returned, passedOver, isWhole } = scanTold(view, ops, this.#rows);
    const from = `${printName(table)}, ${printPredicate(where)}`;
    const rest = isWhole ? [] : [...passedOver.map((row) => `not ${this.#key(row)}`), '…'];
    if (aggregate !== null && view.readsCounter(op!))
      return `r(${printName(table)},${printScalar(aggregate.result)}${isWhole ? '' : ', …'})`;
    if (aggregate !== null) {
      const result = [
        ...(aggregate.kind === 'count' ? [] : [printName(aggregate.column)]),
        printScalar(aggregate.result),
      ];
      return `${aggregate.kind}(${[from, ...result, ...rest].join(', ')})`;
    }
    const rows = [...returned].map(([row, version]) => `${this.#key(row)}: ${this.#version(version)}`);
    return `scan(${[from, `{${rows.join(', ')}}`, ...rest].join(', ')})`;
  }

  #rowName(row: number): string {
    return `${printName(this.#view.tableNameOf(row))}/${this.#key(row)}`;
  }

  #key(row: number): string {
    return this.#view.nameOf(row).slice(this.#view.tableNameOf(row).length + 1);
  }

  #version(version: Version): string {
    return version === undefined ? '?' : version === null ? 'nil' : this.#row(version);
  }

  #row(row: Row): string {
    const columns = this.#view.shownColumns(row);
    return `{${columns.map((column) => `${printName(column)}: ${printScalar(row[column]!)}`).join(', ')}}`;
  }
}
