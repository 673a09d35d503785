/**
 * Watches a file that the parent process writes, in a separate thread: judgements take seconds and would block the
 * writer.
 */
import { addDefinition } from '@isolab/contract';
import type { LevelDefinition } from '@isolab/levels';
import { parentPort, workerData } from 'node:worker_threads';
import type { BesideData, Heard } from './beside.ts';
import { watchFolder } from './watcher/folder.ts';
import { runWatch } from './watcher/run.ts';
import { type PageServer, servePage, showOne } from './sinks/page.ts';
import { fileSource } from './sources/file.ts';
import type { WatchStatus } from './watcher/status.ts';

const { path, folder, options, intervalMs, page, definitions } = workerData as BesideData & {
  readonly definitions: readonly LevelDefinition[];
};
for (const definition of definitions) addDefinition(definition);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const tell = (heard: Heard): void => parentPort!.postMessage(heard);

let mayGrow = true;
parentPort!.on('message', () => (mayGrow = false));

const watched = await watchFolder(folder, {
  ...options,
  name: path,
  isReadAgain: true,
  onAlarm: (alarm) => tell({ kind: 'alarm', alarm }),
});
const onNote = (text: string): void => tell({ kind: 'note', text });
const source = fileSource(path, { isFollowed: () => mayGrow, onNote, from: watched.position?.at ?? null });
let server: PageServer | null = null;
try {
  if (page !== null) {
    server = await servePage(
      new URL(page),
      showOne(() => watched.watcher.status()),
    );
    onNote(`The page is at ${server.url} and the metrics are at ${server.url}metrics.`);
  }
  const { signal } = new AbortController(); // never aborted: the writer announces the end
  const onStatus = (status: WatchStatus): void => tell({ kind: 'status', status });
  tell({ kind: 'over', ...(await runWatch(source, watched, { intervalMs, signal, onStatus })) });
} finally {
  server?.close();
  watched.close();
  parentPort!.close();
}
