import { type HistoryBuilder, OPEN_BOUND } from '@isolab/history';
import type { JsonReader } from '../syntax/json.ts';
import type { FieldReader } from './isolab-fields.ts';

/** Reads the rest of a range read after its kind: `LOW,HIGH,[[key,value],[key,value,"dead"]]`. */
export function readRange(json: JsonReader, fields: FieldReader, builder: HistoryBuilder): void {
  json.expectElement('the lower bound');
  const low = readBound(json, fields, builder);
  json.expectElement('the upper bound');
  builder.range(low, readBound(json, fields, builder));
  json.expectElement('the rows');
  json.beginSequence();
  while (json.nextElement()) {
    json.beginSequence();
    json.expectElement('the key');
    const key = fields.readAtomInto(builder.keys);
    json.expectElement('the value');
    const value = fields.readFoundInto(builder.values);
    const dead = json.nextElement() && fields.readWord(['dead']) === 'dead';
    builder.row(key, value, dead);
    if (dead) json.endSequence();
  }
}

function readBound(json: JsonReader, fields: FieldReader, builder: HistoryBuilder): number {
  if (json.peek() !== 'null') return fields.readAtomInto(builder.keys);
  json.readNull();
  return OPEN_BOUND;
}
