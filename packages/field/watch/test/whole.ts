import type { LevelName } from '@isolab/contract';
import { type History, NO_TIME, OpKind, countTransactions, listElements } from '@isolab/history';
import { randomNumbers } from '@isolab/testkit';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULTS, type WatchStatus, watchFolder } from '../src/index.ts';
import { longestWait } from './arriving.ts';
import { linesOf } from './lines.ts';

/**
 * The transactions of a history in an order in which a recorder may have written them. Where they have times, they come
 * as they ended, in each session one after the other. Elsewhere sessions take turns at random, and a session whose next
 * transaction reads a missing version waits as long as others can continue.
 */
export function recordingOrder(history: History, seed: number): number[] {
  return history.txnEnd === null && history.txnBegin === null ? interleaved(history, seed) : byTime(history);
}

function byTime({ sessionStart, txnBegin, txnEnd, txnStatus }: History): number[] {
  const at: bigint[] = [];
  for (let s = 0; s + 1 < sessionStart.length; s++) {
    let latest = NO_TIME;
    for (let t = sessionStart[s]!; t < sessionStart[s + 1]!; t++) {
      const time = [txnEnd?.[t], txnBegin?.[t]].find((one) => one !== undefined && one !== NO_TIME) ?? latest;
      if (time > latest) latest = time;
      at.push(latest);
    }
  }
  return Array.from(txnStatus.keys()).toSorted((a, b) => (at[a]! < at[b]! ? -1 : at[a]! > at[b]! ? 1 : a - b));
}

function interleaved(history: History, seed: number): number[] {
  const { sessionStart } = history;
  const random = randomNumbers(seed);
  const writers = new Map<string, number>(); // writers of a value that have not come
  const each = (t: number, visit: (name: string, isWrite: boolean) => void): void => eachValue(history, t, visit);
  for (let t = 0; t < countTransactions(history); t++)
    each(t, (name, isWrite) => isWrite && writers.set(name, (writers.get(name) ?? 0) + 1));
  const next = Array.from(sessionStart.subarray(0, -1));
  const order: number[] = [];
  const come = (s: number): void => {
    const t = next[s]!++;
    each(t, (name, isWrite) => isWrite && writers.set(name, writers.get(name)! - 1));
    order.push(t);
  };
  const waits = (t: number): boolean => {
    const own = new Set<string>();
    let isWaiting = false;
    each(t, (name, isWrite) => {
      if (isWrite) own.add(name);
      else if ((writers.get(name) ?? 0) > 0 && !own.has(name)) isWaiting = true;
    });
    return isWaiting;
  };
  for (;;) {
    const left = [...next.keys()].filter((s) => next[s]! < sessionStart[s + 1]!);
    if (left.length === 0) return order;
    const first = Math.floor(random() * left.length);
    const turn = left.findIndex((_, i) => !waits(next[left[(first + i) % left.length]!]!));
    come(left[(first + Math.max(turn, 0)) % left.length]!);
  }
}

function eachValue(
  { txnStart, opKind, opKey, opValue, lists }: History,
  t: number,
  visit: (name: string, isWrite: boolean) => void,
): void {
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
    const kind = opKind[op]!;
    if (kind === OpKind.ListRead) {
      const elements = opValue[op]! < 0 ? [] : listElements(lists, opValue[op]!);
      for (const element of elements) visit(`${opKey[op]} ${element}`, false);
    } else if (kind <= OpKind.Append) visit(`${opKey[op]} ${opValue[op]}`, kind !== OpKind.Read);
  }
}

/**
 * Verdict of a watcher on a history that comes in that order, judged some twelve times and with the horizon that it
 * needs.
 */
export async function watchWhole(
  history: History,
  levels: readonly LevelName[],
  order: readonly number[],
  values: 'auto' | 'repeated',
): Promise<WatchStatus & { readonly horizon: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-whole-'));
  try {
    const [header, ...lines] = await linesOf(history);
    const horizon =
      longestWait(
        history,
        order.map((t) => ({ t })),
      ) + 1;
    const { watcher, close } = await watchFolder(folder, {
      ...DEFAULTS,
      timeMs: 300_000, // the order in which lines come may be a bad one to search in
      name: 'a history',
      levels,
      horizon: { transactions: horizon, ms: Infinity },
      values,
      batch: { transactions: Math.max(1, Math.ceil(lines.length / 12)), bytes: Infinity, ms: Infinity },
    });
    watcher.take(Buffer.from(`${header}\n`));
    for (const t of order) {
      watcher.take(Buffer.from(`${lines[t]}\n`));
      if (watcher.isDue) await watcher.judge();
    }
    const status = await watcher.finish();
    close();
    return { ...status, horizon };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
