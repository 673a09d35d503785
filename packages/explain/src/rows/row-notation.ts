import { type Row, type Scalar, showPredicate, visibleLine } from '@isolab/history';
import type { Version } from './row-history.ts';
import type { RowView } from './row-view.ts';
import { scanTold } from './scan-told.ts';

/**
 * Operations on rows as the notation spells them. What a part keeps of a scan may be less than the scan said. The rest is
 * told, too, of rows that have all their writes in the part. Of other rows nothing is said, which the notation cannot
 * spell: then there is a `…`, and `not 3` names the rows that the scan is known to have passed over.
 */
export class RowNotation {
  readonly #view: RowView;
  readonly #rows: readonly string[]; // of the part

  constructor(view: RowView) {
    this.#view = view;
    this.#rows = view.allRows();
  }

  /** Rows that there are in the beginning: `doctors/1={on_call: true}`. */
  initialRows(): string[] {
    return this.#rows.flatMap((row) => {
      const version = this.#view.initialOf(row);
      return version ? [visibleLine(`${row}=${printRow(version)}`)] : [];
    });
  }

  /** All of them stem from one operation. */
  print(ops: readonly number[]): string {
    const [op] = ops;
    const view = this.#view;
    const kind = view.kindOf(op!);
    if (kind === 'scan') return visibleLine(this.#scan(ops));
    return visibleLine(`${kind}(${view.rowOf(op!)}, ${printVersion(view.versionOf(op!))})`);
  }

  #scan(ops: readonly number[]): string {
    const view = this.#view;
    const [op] = ops;
    const table = view.tableOf(op!);
    const where = view.fullWhereOf(op!);
    const aggregate = view.aggregateOf(op!);
    const { returned, passedOver, isWhole } = scanTold(view, ops, this.#rows);
    const from = `${table}, ${showPredicate(where)}`;
    const rest = isWhole ? [] : [...passedOver.map((row) => `not ${keyOf(row)}`), '…'];
    if (aggregate !== null) {
      const result = [...(aggregate.kind === 'count' ? [] : [aggregate.column]), printScalar(aggregate.result)];
      return `${aggregate.kind}(${[from, ...result, ...rest].join(', ')})`;
    }
    const rows = [...returned].map(([row, version]) => `${keyOf(row)}: ${printVersion(version)}`);
    return `scan(${[from, `{${rows.join(', ')}}`, ...rest].join(', ')})`;
  }
}

const keyOf = (row: string): string => row.slice(row.indexOf('/') + 1);

const printVersion = (version: Version): string =>
  version === undefined ? '?' : version === null ? 'nil' : printRow(version);

const printRow = (row: Row): string =>
  `{${Object.keys(row)
    .filter((column) => row[column] !== null)
    .map((column) => `${column}: ${printScalar(row[column]!)}`)
    .join(', ')}}`;

const printScalar = (value: Scalar): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
