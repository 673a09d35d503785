import { type Lines, isInitialRows } from '../stream/lines.ts';
import type { Settled } from './settled.ts';
import { type NewReader, readerBehind } from './snapshot.ts';

/**
 * Settles lines with initial rows: the rows become the state of keys that have not been written since. Sets `kept` to 0
 * for these lines.
 */
export function settleInitialRows(
  lines: Lines,
  kept: Uint8Array,
  { header, newReader, name }: { readonly header: Uint8Array; readonly newReader: NewReader; readonly name: string },
  { state }: Pick<Settled, 'state'>,
): void {
  for (let line = 0; line < lines.count; line++) {
    if (!isInitialRows(lines.bytes, lines.start[line]!)) continue;
    kept[line] = 0;
    const reader = readerBehind(newReader, header, name);
    reader.readLines(lines.bytes, lines.start[line]!, lines.start[line + 1]!);
    const { keys, values } = reader.builder;
    const count = keys.size; // the header may name other keys
    reader.endFile();
    const { keyInitial } = reader.finish();
    for (let key = 0; key < count; key++) {
      const known = keys.copyTo(key, state.keys);
      if (!state.has(known)) state.set(known, values, keyInitial[key]!, lines.number[line]!);
    }
  }
}
