import { inFile } from './errors.ts';
import { JsonReader } from '../syntax/json.ts';

/** Parses a JSON document. Throws a FormatError for text that is not JSON, and for an object with a repeated field. */
export function parseJson(text: string, file: string): unknown {
  inFile(file, () => {
    const bytes = new TextEncoder().encode(text);
    const reader = new JsonReader();
    reader.reset(bytes, 0, bytes.length);
    reader.readValue();
    reader.finish();
  });
  return JSON.parse(text) as unknown;
}
