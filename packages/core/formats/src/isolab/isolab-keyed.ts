import { Exchange, type HistoryBuilder, OpKind, UNKNOWN_LIST } from '@isolab/history';
import type { OperationsReader } from './plain-operations.ts';
import { type FieldReader, UNKNOWN_LIST_ATOM } from './isolab-fields.ts';
import { ROW_OPERATIONS } from './isolab-rows.ts';

/** Reads the operations on one key: `["r","x",1]`, `["inc","n",1]`, `["append","l",5]`, `["cas","x",1,2,"failed"]`, … */
export class KeyedReader {
  readonly #json: OperationsReader;
  readonly #fields: FieldReader;

  constructor(json: OperationsReader, fields: FieldReader) {
    this.#json = json;
    this.#fields = fields;
  }

  /** Reads an operation after its kind. Returns false, and reads nothing after the key, if the key is not of the shard. */
  readOperation(builder: HistoryBuilder, kind: string): boolean {
    const json = this.#json;
    const { values } = builder;
    json.expectElement('the key');
    if (kind === 'inc') return this.#addIncrement(builder);
    const key = this.#readKey(builder);
    if (key === OTHER_SHARD) return false;
    json.expectElement('the value');
    switch (kind) {
      case 'r':
        if (json.peek() === 'array') builder.op(OpKind.ListRead, key, this.#readList(builder, key));
        else this.#addRead(builder, key);
        break;
      case 'w':
        builder.op(OpKind.Write, key, this.#fields.readAtomInto(values));
        break;
      case 'append':
        builder.op(OpKind.Append, key, this.#fields.readAtomInto(values));
        break;
      case 'cas':
        this.#readExchange(builder, OpKind.CompareAndSet, key);
        break;
      case 'insert':
        this.#readExchange(builder, OpKind.Insert, key);
        break;
      case 'delete':
        this.#readExchange(builder, OpKind.Delete, key);
        break;
      default:
        throw this.#fields.problem(
          `the operation ${JSON.stringify(kind)}`,
          `r, w, inc, append, cas, insert, delete, range, ${ROW_OPERATIONS.slice(0, -1).join(', ')} or ${ROW_OPERATIONS.at(-1)!}`,
        );
    }
    return true;
  }

  #readKey({ keys }: HistoryBuilder): number {
    const { shard } = this.#json;
    if (shard === null) return this.#fields.readAtomInto(keys);
    const key = this.#fields.readAtom();
    return shard.hasAtom(key) ? keys.atom(key) : OTHER_SHARD;
  }

  #addIncrement(builder: HistoryBuilder): true {
    const counter = this.#fields.readAtom();
    this.#json.expectElement('the amount');
    const amount = this.#fields.readAtom();
    if (typeof amount !== 'bigint') throw this.#fields.problem('another value', 'an integer');
    builder.increment(counter, amount);
    return true;
  }

  #addRead(builder: HistoryBuilder, key: number): void {
    if (this.#json.peek() !== 'object') {
      builder.op(OpKind.Read, key, this.#fields.readAtomInto(builder.values));
      return;
    }
    const atom = this.#fields.readTagged();
    if (atom === UNKNOWN_LIST_ATOM) builder.op(OpKind.ListRead, key, UNKNOWN_LIST);
    else builder.op(OpKind.Read, key, builder.values.atom(atom));
  }

  #readList(builder: HistoryBuilder, key: number): number {
    let node = 0;
    this.#json.beginSequence();
    while (this.#json.nextElement()) node = builder.lists.extend(key, node, this.#fields.readAtomInto(builder.values));
    return node;
  }

  #readExchange(builder: HistoryBuilder, kind: number, key: number): void {
    const observed = this.#fields.readFoundInto(builder.values);
    this.#json.expectElement('the value written');
    builder.exchange(kind, key, observed, this.#fields.readAtomInto(builder.values));
  }

  /** Reads the optional last element of an operation: its version, or the result of an exchange. */
  readRemark(builder: HistoryBuilder, kind: string): void {
    const json = this.#json;
    if (json.peek() === 'string' && kind in REMARKS) {
      const { word, flag } = REMARKS[kind as keyof typeof REMARKS];
      this.#fields.readWord([word]);
      builder.flagExchange(flag);
      return;
    }
    json.beginObject();
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#fields.withField(seen, key, REMARK_FIELDS);
      if (key === 'version') builder.opVersion(this.#fields.readTime());
      else json.skipValue();
    }
  }
}

const OTHER_SHARD = -1;
const REMARK_FIELDS = ['version'];
const REMARKS = {
  cas: { word: 'failed', flag: Exchange.Failed },
  insert: { word: 'tombstone', flag: Exchange.FoundTombstone },
  delete: { word: 'tombstone', flag: Exchange.FoundTombstone },
} as const;
