import { inFile } from '../files/errors.ts';
import { defineFormat } from '../format/format.ts';
import { withoutByteOrderMark } from '../files/byte-order-mark.ts';
import type { Directory } from '../files/input.ts';
import { hasNumberedLogs, numberedLogs } from '../files/numbered-logs.ts';
import { readLineWindows } from '../files/windows.ts';

/**
 * The logs of Viper's clients: a directory with one file per session, and in it a JSON object per line for each
 * committed transaction, with its operations in `value` (viper-reader.ts lists their forms). Aborted transactions are
 * not logged.
 *
 * Values are hashes; 0 (or null, or "nil") is the value of an absent key. A deletion writes a *tombstone*, a distinct
 * value that later reads return: a read of a tombstone is an ordinary read, with any flag.
 *
 * A line with `isInitial` at the beginning of a file, usually its only line, may state the initial state. It is then
 * not a transaction, and keys that it does not name are absent. Otherwise viper-initial.ts infers the initial state.
 */
export const viper = defineFormat<Directory>({
  name: 'viper-json',
  aliases: ['viper'],
  title: 'J<n>.log files of Viper, one per session, with a JSON object per line',
  layout: 'directory',
  fileName: 'J<n>.log',
  matches: (directory) => hasNumberedLogs(directory, 'J', 'T'),
  read: async (directory) => {
    const { ViperReader } = await import('./viper-reader.ts');
    const reader = new ViperReader(directory.name);
    for (const { file, session } of numberedLogs(directory, 'J')) {
      const log = withoutByteOrderMark(await directory.open(file));
      reader.beginFile(log.name, session);
      await readLineWindows(log, (bytes, start, end) => inFile(log.name, () => reader.readLines(bytes, start, end)));
      reader.endFile();
    }
    return reader.finish();
  },
  writer: async () => (await import('./viper-writer.ts')).viperWriter,
});
