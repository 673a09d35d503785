/** Watching of a server's stream `orders` in a folder of its own, and the lines that the tests send. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULTS, runWatch, watchFolder } from '../../src/index.ts';
import type { RunningServer } from './server.ts';

export const HEADER = '{"isolab":"history","version":1,"initial":0}';
export const add = (n: number): string => `{"session":1,"ops":[["r","x",${n}],["w","x",${n + 1}]]}`;
export const LOST = '{"session":2,"ops":[["r","x",0],["w","x",1000000]]}';
export const END = '{"isolab":"end"}';

export const never = (): AbortSignal => new AbortController().signal;

/** Watches `orders` from the folder's position on. */
export function watcherOf(sourceOf: RunningServer['sourceOf']) {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  async function watch(signal: AbortSignal, isFollowed = true) {
    const options = { ...DEFAULTS, name: 'orders', levels: ['serializable'] as const, isReadAgain: true };
    const folderOf = await watchFolder(folder, options);
    const source = sourceOf({ isFollowed: () => isFollowed, from: folderOf.position?.at ?? null });
    const over = runWatch(source, folderOf, { intervalMs: 1e9, signal, onStatus: () => {} });
    over.catch(() => {});
    return { over, watcher: folderOf.watcher };
  }
  return { folder, watch, again: async (isFollowed = false) => (await watch(never(), isFollowed)).over };
}
