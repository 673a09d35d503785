import {
  type History,
  type OperationId,
  type RegisterHistory,
  countOperations,
  countValues,
  transactionOf,
} from '@isolab/history';
import { type AggregateRows, isAmong, itemAsked, lowerWithRows } from './aggregate-rows.ts';
import { integerOf, listOf, refuse, show } from './verdict/flaw.ts';

/**
 * Rows of aggregates, as a certificate of `satisfied` states them. Aggregates read each row that they may cover. The
 * certificate gives results for some of these reads, and the other results are unknown.
 */
export class StatedRows {
  /** The history with the stated results. */
  readonly history: History;
  readonly #withScans: History;
  readonly #lowered: RegisterHistory;
  readonly #rows: AggregateRows;
  /** Reads of each aggregate, by operation of the history with scans, each with whether the row matched. */
  readonly #reads = new Map<number, readonly (readonly [read: OperationId, matched: boolean])[]>();

  constructor(withScans: History, rows: AggregateRows, data: unknown) {
    const pairs = listOf(data, 'the field rows').map((pair, i): readonly [number, readonly unknown[]] => {
      const [op, reads] = listOf(pair, `entry ${i + 1} of the rows`);
      return [
        integerOf(op, 0, countOperations(withScans), `the aggregate of entry ${i + 1} of the rows`),
        listOf(reads, `the reads of entry ${i + 1} of the rows`),
      ];
    });
    this.#withScans = withScans;
    this.#rows = rows;
    this.#lowered = lowerWithRows(
      withScans,
      pairs.map(([op]) => op),
    );
    const opValue = this.#lowered.history.opValue.slice();
    const isFalse = countValues(withScans); // after all other values: false, then true
    for (const [op, reads] of pairs) {
      if (this.#reads.has(op)) refuse(`the rows of operation ${op} are listed twice`);
      const stated = reads.map((read) => this.#readOf(op, read));
      this.#reads.set(op, stated);
      for (const [read, matched] of stated) opValue[read] = isFalse + (matched ? 1 : 0);
    }
    this.history = { ...this.#lowered.history, opValue };
  }

  has(op: OperationId): boolean {
    return this.#reads.has(op);
  }

  #readOf(op: OperationId, data: unknown): readonly [number, boolean] {
    const [at, matched] = listOf(data, `a read of a row by operation ${op}`);
    const read = integerOf(at, 0, countOperations(this.#lowered.history), 'the read of a row');
    if (itemAsked(this.#withScans, this.#lowered, read) === undefined || this.#lowered.opOf[read] !== op)
      refuse(`operation ${read} is not a read of a row that the aggregate of operation ${op} may include`);
    if (typeof matched !== 'boolean')
      return refuse(`whether operation ${read} matched is ${show(matched)}, expected true or false`);
    return [read, matched];
  }

  /** Refuses unless the stated rows give each aggregate of a transaction that happened its result. */
  refuseOthers(happened: Uint8Array): void {
    for (const [op, reads] of this.#reads) {
      if (happened[transactionOf(this.#withScans, op)] === 0) continue;
      const { kind } = this.#rows.of(op).stated;
      if (kind === 'min' || kind === 'max') this.#refuseOtherExtreme(op, reads);
      else this.#refuseOtherTotal(op, reads);
    }
  }

  /** Requires one read with the contribution of each row, if any version of the row contributes. */
  #refuseOtherTotal(op: OperationId, reads: readonly (readonly [number, boolean])[]): void {
    const { stated, adds } = this.#rows.of(op);
    const known = new Map(
      reads.map(([read, matched]) => [this.#itemOf(read).row, { item: this.#itemOf(read), matched }]),
    );
    if (known.size < reads.length) refuse(`several reads state what operation ${op} saw of one row`);
    const added = this.#rows.rowsOf(op).map((row) => {
      const said = known.get(row);
      const versions = this.#rows.versionsOf(row);
      const possible = said ? versions.filter((version) => isAmong(said.item, version) === said.matched) : versions;
      const all = [...new Set(possible.map(adds))];
      if (all.length !== 1)
        refuse(`the certificate does not state the contribution of a row to the ${stated.kind} of operation ${op}`);
      return all;
    });
    if (this.#rows.mayComeTo(stated, added) !== true)
      refuse(
        `the ${stated.kind} of operation ${op} is ${show(stated.result)}, but its stated rows have another result`,
      );
  }

  /** Requires one row with the extreme value. Rows beyond the extreme are checked through the reads in any case. */
  #refuseOtherExtreme(op: OperationId, reads: readonly (readonly [number, boolean])[]): void {
    const { stated, adds } = this.#rows.of(op);
    const [first] = reads;
    if (reads.length !== 1 || first === undefined || !first[1])
      return refuse(`the certificate does not state which row held the ${stated.kind} of operation ${op}`);
    const item = this.#itemOf(first[0]);
    for (const version of this.#rows.versionsOf(item.row))
      if (isAmong(item, version) && adds(version) !== stated.result)
        refuse(
          `the row that operation ${first[0]} reads may hold another value than the ${stated.kind} of operation ${op}`,
        );
  }

  #itemOf(read: OperationId) {
    return itemAsked(this.#withScans, this.#lowered, read)!;
  }
}
