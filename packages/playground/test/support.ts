import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { parseHistory } from '@isolab/testkit';

/** A history that every format can express: a lost update of integers, each key initially 0. */
export const LOST_UPDATE = 'w(1,1)\nr(1,1) w(1,2)\nr(1,1) w(1,3)';

/** The files of a history in a format, by name; a format of one file has the name `history`. */
export async function filesIn(format: string, text: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === format)!.writer!();
  await writer.write(parseHistory(text), outputToMemory(files));
  const whole = files.get('');
  return whole === undefined ? files : new Map([['history', whole]]);
}
