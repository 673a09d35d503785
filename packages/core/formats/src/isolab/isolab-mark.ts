import type { JsonReader } from '../syntax/json.ts';
import type { FieldReader } from './isolab-fields.ts';
import type { RecordedFault } from './recorded-faults.ts';

/** A collector's line about its file, whose first field is `isolab`. */
interface Mark {
  readonly mark: string;
  /** Reason why the file is unusable. */
  readonly why: string;
  /** Fault that begins or ends, with its number and details. */
  readonly id: number;
  readonly fault: Partial<RecordedFault>;
}

const FIELDS = ['isolab', 'why', 'id', 'kind', 'node', 'delayMs', 'lastsMs', 'begin', 'end'];

/** Reads a mark from the position after its first key. */
export function readMark(json: JsonReader, fields: FieldReader): Mark {
  const mark = fields.readWord(['resumed', 'end', 'spoiled', 'fault']);
  let why = 'no reason is given';
  let id = 0;
  const fault: { -readonly [Name in keyof RecordedFault]?: RecordedFault[Name] } = {};
  for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
    seen = fields.withField(seen, key, FIELDS);
    if (key === 'why') why = json.readString();
    else if (key === 'id') id = json.readSafeInteger();
    else if (key === 'kind') fault.kind = json.readString();
    else if (key === 'node' || key === 'delayMs' || key === 'lastsMs') fault[key] = fields.readNatural();
    else if (key === 'begin' || key === 'end') fault[key] = fields.readTime();
    else json.skipValue();
  }
  return { mark, why, id, fault };
}
