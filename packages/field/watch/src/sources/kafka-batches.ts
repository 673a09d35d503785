/** Messages in batches of Kafka's format, without those of aborted transactions. */
import type { Message } from './numbered.ts';

export interface Batch {
  readonly firstOffset: bigint;
  readonly lastOffsetDelta: number;
  readonly attributes: number;
  readonly firstTimestamp: bigint;
  readonly producerId: bigint;
  readonly records: readonly {
    readonly offsetDelta: number;
    readonly timestampDelta: bigint;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
  }[];
}

interface Aborted {
  readonly producerId: bigint;
  readonly firstOffset: bigint;
}

/** Returns the messages by offset, and the offset behind the last batch. */
export function messagesOf(batches: readonly Batch[], aborted: readonly Aborted[] | null) {
  const coming = [...(aborted ?? [])];
  const open = new Set<bigint>();
  const messages: [number, Message][] = [];
  let end = -1;
  for (const { firstOffset, lastOffsetDelta, attributes, firstTimestamp, producerId, records } of batches) {
    const last = firstOffset + BigInt(lastOffsetDelta);
    end = Number(last) + 1;
    for (const each of coming.filter((one) => one.firstOffset <= last)) {
      open.add(each.producerId);
      coming.splice(coming.indexOf(each), 1);
    }
    const isControl = (attributes & CONTROL) !== 0;
    // The end of a transaction: version and kind, 0 for an abort.
    if (isControl && records[0]?.key?.readInt16BE(2) === 0) open.delete(producerId);
    if (isControl || ((attributes & TRANSACTIONAL) !== 0 && open.has(producerId))) continue;
    for (const { offsetDelta, timestampDelta, value } of records)
      messages.push([
        Number(firstOffset) + offsetDelta,
        { text: value?.toString() ?? '', time: String(firstTimestamp + timestampDelta) },
      ]);
  }
  return { messages, end };
}

const TRANSACTIONAL = 1 << 4;
const CONTROL = 1 << 5;
