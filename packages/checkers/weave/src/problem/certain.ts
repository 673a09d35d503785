import type { History } from '@isolab/history';
import type { Model } from './model.ts';
import { UNSHOWN } from './list-order.ts';
import type { Versions } from './versions.ts';

/** Returns whether one transaction certainly comes before another, without any choice. */
export function isCertain(
  { txnSession }: History,
  versions: Versions,
  { sessions }: Model,
  first: number,
  second: number,
): boolean {
  if (sessions && txnSession[first] === txnSession[second] && first < second) return true;
  return readFromBetween(versions, first, second) >= 0;
}

/** Returns a read by which `second` sees a version of `first`, or −1. */
export function readFromBetween(versions: Versions, first: number, second: number): number {
  const { readStart, readVersion, writeStart } = versions;
  for (let read = readStart[second], end = readStart[second + 1]; read < end; read++)
    if (readVersion[read] >= writeStart[first] && readVersion[read] < writeStart[first + 1]) return read;
  return -1;
}

/** Returns whether lists show that one transaction appends to a key before another. */
export function isShownBefore(
  { lists, writeStart, writeKey }: Versions,
  first: number,
  second: number,
  key: number,
): boolean {
  if (lists === null) return false;
  const placeOf = (t: number): number => {
    let write = writeStart[t];
    while (writeKey[write] !== key) write++;
    return lists.place[write];
  };
  const place = placeOf(first);
  return place !== UNSHOWN && place < placeOf(second);
}
