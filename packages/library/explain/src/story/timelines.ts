import { type Edge, INITIAL_TXN } from '@isolab/contract';
import { type OperationId, transactionOf } from '@isolab/history';
import type { StoryEnd, StoryTimeline, StoryVersion } from '@isolab/story';
import { txnId } from './edge-list.ts';
import type { Names } from './names.ts';
import { addTo } from '../rows/multimap.ts';

/** For each key with a read of an overwritten version: the version read, its readers, and the later versions. */
export function storyTimelines(names: Names, edges: readonly Edge[]): StoryTimeline[] {
  const { history } = names;
  const byKey = new Map<string, { read: OperationId; write: number; writer: number }[]>();
  for (const { reason } of edges) {
    if (reason.kind !== 'overwrites') continue;
    const key = names.key(reason.read);
    const entry = { read: reason.read, write: reason.write, writer: reason.order[0]?.from ?? INITIAL_TXN };
    addTo(byKey, key, entry);
  }
  const end = (op: OperationId): StoryEnd => ({
    transaction: txnId(transactionOf(history, op)),
    operation: names.opId(op),
  });
  return [...byKey].map(([key, entries]) => {
    const versions: StoryVersion[] = [];
    for (const { read, write, writer } of entries) {
      const value = names.valueFrom(read, writer);
      const known = versions.findIndex((version) => version.value === value);
      if (known < 0) {
        const by = writer === INITIAL_TXN ? null : { transaction: txnId(writer) };
        versions.push({ value, writer: by, readers: [end(read)] });
      } else versions[known] = { ...versions[known], readers: [...versions[known].readers, end(read)] };
      if (!versions.some((version) => version.value === names.value(write)))
        versions.push({ value: names.value(write), writer: end(write), readers: [] });
    }
    return {
      key,
      versions,
      note: 'The version that was read comes first; the order of the versions that overwrite it is unknown.',
    };
  });
}
