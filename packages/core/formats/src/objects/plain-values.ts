import type { Value } from '@isolab/operations';
import { inFile } from '../files/errors.ts';
import { EdnReader, type EdnValue } from '../syntax/edn.ts';
import type { ByteStream } from '../files/input.ts';
import type { JsonValue } from '../syntax/json.ts';
import { readDocument } from '../files/windows.ts';

/** Converts a form of EDN to a plain value: keywords begin with a colon, and fractions are texts. */
export function valueOfEdn(form: EdnValue): Value {
  if (form === null || typeof form !== 'object') return form;
  switch (form.kind) {
    case 'keyword':
      return `:${form.name}`;
    case 'symbol':
    case 'character':
      return form.name;
    case 'number':
      return numberOf(form.text);
    case 'tagged':
      return form.text;
    case 'map':
      return new Map(form.entries.map(([key, value]) => [valueOfEdn(key), valueOfEdn(value)]));
    case 'set':
      return new Set(form.items.map(valueOfEdn));
    default:
      return form.items.map(valueOfEdn);
  }
}

export function valueOfJson(json: JsonValue): Value {
  if (json === null || typeof json !== 'object') return json;
  if (Array.isArray(json)) return json.map(valueOfJson);
  if (json instanceof Map) return new Map([...json].map(([key, value]) => [key, valueOfJson(value)]));
  return numberOf(json.text);
}

const numberOf = (text: string): Value => (Number.isNaN(Number(text)) ? text : Number(text));

/** Parses a value from a command line, in EDN or as a number or text of JSON. */
export const parseValue = (text: string, name: string): Value => valueIn(new TextEncoder().encode(text), name);

/** Parses an EDN file as a single value. */
export const parseValueFrom = async (input: ByteStream): Promise<Value> =>
  valueIn(await readDocument(input), input.name);

function valueIn(bytes: Uint8Array, name: string): Value {
  const reader = new EdnReader();
  return inFile(name, () => {
    reader.reset(bytes, 0, bytes.length, 1, 0, 1);
    const value = valueOfEdn(reader.readValue());
    reader.finish();
    return value;
  });
}
