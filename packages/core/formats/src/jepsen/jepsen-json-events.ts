import { type Interner, literal } from '@isolab/history';
import { JsonReader, type JsonValue } from '../syntax/json.ts';
import { type Datum, OPAQUE } from './jepsen-event.ts';
import { JepsenEventReader, type Terms } from './jepsen-event-reader.ts';

/** Reads events such as `{"type":"ok","f":"txn","value":[["append",3,1],["r",4,[7]]],"process":0,"time":17,"index":2}`. */
export class JsonEventReader extends JepsenEventReader {
  readonly reader = new JsonReader();
  protected readonly terms = TERMS;

  protected beginMap(): void {
    this.reader.beginObject();
  }

  protected nextName(): string | undefined {
    return this.reader.nextKey();
  }

  protected readWord(): string {
    return this.reader.readString();
  }

  protected readDatum(): Datum {
    return datumOf(this.reader.readValue());
  }

  protected readOtherAtom(atoms: Interner, kind: string): number | undefined {
    return kind === 'boolean' ? atoms.literal(String(this.reader.readBoolean())) : undefined;
  }
}

/** Converts a value to a datum, which both notations share; keywords are strings here. */
function datumOf(value: JsonValue): Datum {
  if (value === null || typeof value === 'bigint' || typeof value === 'string') return value;
  if (typeof value === 'number') return BigInt(value);
  if (typeof value === 'boolean') return literal(String(value));
  if (Array.isArray(value)) return value.map(datumOf);
  return value instanceof Map ? OPAQUE : literal(value.text);
}

const TERMS: Terms = {
  nothing: 'null',
  word: 'string',
  map: 'object',
  isSequence: (kind) => kind === 'array',
  show: (word) => JSON.stringify(word),
  types: '"invoke", "ok", "fail" or "info"',
  functions: '"r", "w" or "append"',
  key: 'a key: an integer, a string, true or false',
  value: 'a value: an integer, a string, null, true or false',
  articles: { array: 'an array', object: 'an object', end: 'the end' },
};
