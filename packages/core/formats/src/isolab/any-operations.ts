import type { HistoryBuilder } from '@isolab/history';
import type { FieldReader } from './isolab-fields.ts';
import { KeyedReader } from './isolab-keyed.ts';
import { readRange } from './isolab-ranges.ts';
import { ROW_OPERATIONS, type RowReader } from './isolab-rows.ts';
import type { OperationsReader } from './plain-operations.ts';

/** Reads the operations of a transaction, which are of any kind. */
export class AnyOperations {
  readonly #json: OperationsReader;
  readonly #fields: FieldReader;
  readonly #rows: RowReader;
  readonly #keyed: KeyedReader;

  constructor(json: OperationsReader, fields: FieldReader, rows: RowReader) {
    this.#json = json;
    this.#fields = fields;
    this.#rows = rows;
    this.#keyed = new KeyedReader(json, fields);
  }

  read(builder: HistoryBuilder): void {
    const json = this.#json;
    json.beginSequence();
    json.readPlainOperations(builder);
    while (json.nextElement()) {
      json.beginSequence();
      json.expectElement('the kind of the operation');
      this.#readOperation(builder, json.readString());
      json.readPlainOperations(builder);
    }
  }

  #readOperation(builder: HistoryBuilder, kind: string): void {
    const json = this.#json;
    const isOfRows = ROW_OPERATIONS.includes(kind);
    if (json.shard !== null && (isOfRows || kind === 'range' || kind === 'inc'))
      throw this.#fields.problem(`the operation ${JSON.stringify(kind)}`, 'operations on single keys, in a shard');
    let isRead = true;
    if (isOfRows) this.#rows.readOperation(builder, kind);
    else if (kind === 'range') readRange(json, this.#fields, builder);
    else isRead = this.#keyed.readOperation(builder, kind);
    while (json.nextElement())
      if (isRead) this.#keyed.readRemark(builder, kind);
      else json.skipValue();
  }
}
