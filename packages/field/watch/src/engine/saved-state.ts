import { HistoryBuilder, OpKind } from '@isolab/history';
import { writeHistory } from 'isolab';
import type { Settled } from './settled.ts';
import { type NewReader, readerBehind } from './snapshot.ts';

/**
 * A state as text: a history in isolab's own format. One transaction reads the values of registers, another appends the
 * elements of lists, and a third reads the names of all sessions. `lines` has the line that wrote each value.
 */
export interface SavedState {
  readonly text: string;
  readonly lines: readonly number[];
  readonly listLines: readonly number[];
}

export async function saveState({ state, lists, sessions }: Settled): Promise<SavedState> {
  const builder = new HistoryBuilder({ format: 'isolab', file: 'a state', unit: 'line' });
  const lines: number[] = [];
  const listLines: number[] = [];
  builder.begin(builder.session('registers'), 1);
  state.each((key, line) => {
    const copied = state.keys.copyTo(key, builder.keys);
    const value = state.copyValue(key, builder.values);
    builder.op(OpKind.Read, copied, value);
    lines.push(line);
  });
  builder.begin(builder.session('lists'), 2);
  lists.each((key, copyElement, line) => {
    builder.op(OpKind.Append, state.keys.copyTo(key, builder.keys), copyElement(builder.values));
    listLines.push(line);
  });
  builder.begin(builder.session('sessions'), 3);
  const name = builder.keys.string('name');
  for (let s = 0; s < sessions.size; s++) builder.op(OpKind.Read, name, sessions.copyTo(s, builder.values));
  const chunks: Uint8Array[] = [];
  const write = (bytes: Uint8Array, done: () => void): void => {
    chunks.push(bytes.slice());
    done();
  };
  await writeHistory(builder.finish(), { write });
  return { text: Buffer.concat(chunks).toString(), lines, listLines };
}

export function loadState(saved: SavedState, newReader: NewReader, { state, lists, sessions }: Settled): void {
  const reader = readerBehind(newReader, Buffer.from(saved.text), 'a checkpoint');
  reader.endFile();
  const { keys, values } = reader.builder;
  const { txnStart, opKey, opValue } = reader.finish();
  for (let op = txnStart[0]; op < txnStart[1]; op++)
    state.set(keys.copyTo(opKey[op], state.keys), values, opValue[op], saved.lines[op]);
  for (let op = txnStart[1]; op < txnStart[2]; op++)
    lists.append(keys.copyTo(opKey[op], state.keys), values, opValue[op], saved.listLines[op - txnStart[1]]);
  for (let op = txnStart[2]; op < txnStart[3]; op++) values.copyTo(opValue[op], sessions);
}
