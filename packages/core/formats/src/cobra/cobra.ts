import { READ_BYTES } from './cobra-records.ts';
import { defineFormat } from '../format/format.ts';
import type { Directory } from '../files/input.ts';
import { hasNumberedLogs, numberedLogs } from '../files/numbered-logs.ts';
import { readWindows } from '../files/windows.ts';

/**
 * The logs of Cobra's instrumented clients: a directory with one binary file per session, whose records are listed in
 * cobra-records.ts. The first write, or the first read that names a write, decides how versions are identified:
 * - by the id of the write. The read's writer and value hash are then redundant and are not examined. A read may name a
 * write that no log contains, which makes it a read out of thin air.
 * - by the value's hash, where all writes have the same *universal* id, which hides the writer. Values may repeat.
 *
 * A key is initially nil, and reads of the markers "initial" and "null" are reads of nil. A read of a deleted key is a
 * read of nil too, because the deletion, whose id is also a marker, writes nil. A read marked "missing" has an unknown
 * result. Reads of the garbage collector's flag read the initial state: the client that sets the flag keeps no log.
 *
 * Clients flush their log after a commit, so aborted transactions can only be counted, in the text of the companion
 * files `T<n>.debug`. Nevertheless, `A` makes a transaction aborted. A transaction that is open at the end of its file,
 * where a killed client leaves it, has an unknown outcome. An empty file is a session that committed nothing.
 */
export const cobra = defineFormat<Directory>({
  name: 'cobra-log',
  aliases: ['cobra'],
  title: 'T<n>.log files of Cobra, one per session',
  layout: 'directory',
  fileName: 'T<n>.log',
  matches: (directory) => hasNumberedLogs(directory, 'T', 'J'),
  read: async (directory) => {
    const { CobraReader } = await import('./cobra-reader.ts');
    const reader = new CobraReader(directory.name);
    for (const { file, session } of numberedLogs(directory, 'T')) {
      const log = await directory.open(file);
      reader.beginFile(log, session);
      await readWindows(log, (bytes, start, end, last) => reader.readRecords(bytes, start, end, last), READ_BYTES);
      reader.endFile();
    }
    for (const file of directory.files) {
      if (DEBUG_FILE.test(file)) await reader.countAborts(await directory.open(file));
    }
    return reader.finish();
  },
  writer: async () => (await import('./cobra-writer.ts')).cobraWriter,
});

const DEBUG_FILE = /^T\d+\.debug(\.gz)?$/;
