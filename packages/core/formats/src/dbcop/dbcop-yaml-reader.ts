import { type History, HistoryBuilder, OpKind } from '@isolab/history';
import { FallibleTransactions } from './dbcop-transactions.ts';
import { inFile, unexpected } from '../files/errors.ts';
import type { ReadOptions } from '../format/format.ts';
import { type Keys, YamlReader } from '../syntax/yaml.ts';

const TRANSACTION: Keys = { names: ['events', 'success'], expected: "a transaction with 'events' and 'success'" };
const EVENT: Keys = {
  names: ['write', 'variable', 'value', 'success'],
  expected: "an event with 'write', 'variable', 'value' and 'success'",
};

/**
 * Reads a sequence of sessions, each a sequence of transactions. All keys of a transaction are required. Positions are
 * lines.
 */
export class DbcopYamlReader {
  readonly #file: string;
  readonly #bytes: Uint8Array;
  readonly #yaml: YamlReader;
  readonly #builder: HistoryBuilder;
  readonly #txns: FallibleTransactions;
  #session = -1;
  #committed = false;
  #isWrite = false;
  #variable = 0n;
  #value = 0n;
  #succeeded = false;

  constructor(file: string, bytes: Uint8Array, options: ReadOptions) {
    this.#file = file;
    this.#bytes = bytes;
    this.#yaml = new YamlReader(bytes);
    this.#builder = new HistoryBuilder({ format: 'dbcop-yaml', file, unit: 'line', initial: 0n });
    this.#txns = new FallibleTransactions(this.#builder, options, 'by operation');
  }

  read(): History {
    if (this.#bytes.length === 0) throw unexpected(this.#file, null, 'an empty file', 'a sequence of sessions');
    inFile(this.#file, () => {
      this.#yaml.document((first) => this.#yaml.sequence(first, 'a sequence of sessions', this.#readSession));
    });
    return this.#builder.finish();
  }

  readonly #readSession = (first: number): void => {
    this.#session = this.#builder.sessions.integer(0, this.#session + 2); // counted from 1
    this.#yaml.sequence(first, 'a session, a sequence of transactions', this.#readTransaction);
  };

  readonly #readTransaction = (first: number): void => {
    this.#txns.begin(this.#session, this.#yaml.nextLine());
    this.#yaml.mapping(first, TRANSACTION, this.#readTransactionField);
    this.#txns.end(this.#committed);
  };

  readonly #readTransactionField = (key: number, first: number): void => {
    if (key === 0) this.#yaml.sequence(first, 'a sequence of events', this.#readEvent);
    else this.#committed = this.#yaml.readBoolean(first + 1);
  };

  readonly #readEvent = (first: number): void => {
    const line = this.#yaml.nextLine();
    this.#yaml.mapping(first, EVENT, this.#readEventField);
    if (!this.#succeeded) return this.#txns.failedOp();
    const key = this.#builder.keys.bigint(this.#variable);
    const value = this.#builder.values.bigint(this.#value);
    return this.#txns.op(this.#isWrite ? OpKind.Write : OpKind.Read, key, value, line);
  };

  readonly #readEventField = (key: number, first: number): void => {
    const yaml = this.#yaml;
    if (key === 0) this.#isWrite = yaml.readBoolean(first + 1);
    else if (key === 1) this.#variable = yaml.readNatural(first + 1);
    else if (key === 2) this.#value = yaml.readNatural(first + 1);
    else this.#succeeded = yaml.readBoolean(first + 1);
  };
}
