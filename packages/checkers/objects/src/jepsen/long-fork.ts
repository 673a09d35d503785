import { type JepsenEvent, type Value, textOf } from '@isolab/operations';
import { IllegalHistory, type JepsenOptions, type JepsenResults, shown } from './events.ts';

/**
 * Finds two reads of one group of keys that each see a write that the other misses: no order of the writes explains
 * both. Every key is written once, and every read requests all keys of its group.
 */
export function longFork(events: readonly JepsenEvent[], { groupSize = 2 }: JepsenOptions = {}): JepsenResults {
  const reads = events.filter((event) => event.type === 'ok' && partsOf(event).every(([word]) => isRead(word)));
  const counts = {
    'reads-count': reads.length,
    'early-read-count': reads.filter((read) => partsOf(read).every(([, , value]) => value === null)).length,
    'late-read-count': reads.filter((read) => partsOf(read).every(([, , value]) => value !== null)).length,
  };
  const twice = writtenTwice(events);
  if (twice !== undefined) return { ...counts, 'valid?': 'unknown', error: [':multiple-writes', twice] };
  const forks = [...groupsOf(reads, groupSize)].flatMap((group) => forksIn(group));
  return forks.length > 0 ? { ...counts, 'valid?': false, forks } : { ...counts, 'valid?': true };
}

type ForkPart = readonly [word: Value, key: Value, value: Value];

function partsOf(event: JepsenEvent): readonly ForkPart[] {
  const parts = event.value;
  if (!Array.isArray(parts)) return []; // reads of nothing, as in Jepsen
  for (const part of parts as readonly Value[])
    if (!Array.isArray(part) || part.length !== 3)
      throw new IllegalHistory(
        event,
        'an operation of another form',
        'a transaction of [:r key value] or one [:w key value]',
      );
  return parts as unknown as readonly ForkPart[];
}

const isRead = (word: Value): boolean => word === ':r' || word === 'r';
const isWrite = (word: Value): boolean => word === ':w' || word === 'w';

function writtenTwice(events: readonly JepsenEvent[]): Value | undefined {
  const written = new Set<string>();
  for (const event of events) {
    if (event.type !== 'invoke') continue;
    const parts = partsOf(event);
    if (parts.length !== 1 || !isWrite(parts[0]![0])) continue;
    const [, key] = parts[0]!;
    if (written.has(textOf(key))) return key;
    written.add(textOf(key));
  }
  return undefined;
}

function groupsOf(reads: readonly JepsenEvent[], size: number): Iterable<readonly JepsenEvent[]> {
  const groups = new Map<string, JepsenEvent[]>();
  for (const read of reads) {
    const keys = [...new Set(partsOf(read).map(([, key]) => textOf(key)))].toSorted();
    if (keys.length !== size)
      throw new IllegalHistory(
        read,
        `a read of ${keys.length} keys`,
        `${size} keys in every read; --group-size sets the number`,
      );
    const group = groups.get(keys.join()) ?? [];
    groups.set(keys.join(), [...group, read]);
  }
  return groups.values();
}

function forksIn(group: readonly JepsenEvent[]): ReadonlyMap<string, Value>[][] {
  const forks: ReadonlyMap<string, Value>[][] = [];
  const states = group.map((read) => new Map(partsOf(read).map(([, key, value]) => [textOf(key), value])));
  for (let i = 0; i < group.length; i++)
    for (let j = i + 1; j < group.length; j++)
      if (areApart(states[i]!, states[j]!, group[j]!)) forks.push([shown(group[i]!), shown(group[j]!)]);
  return forks;
}

/** Returns whether each of two reads saw a key that the other did not. */
function areApart(a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>, event: JepsenEvent): boolean {
  let isFirstAhead = false;
  let isSecondAhead = false;
  for (const [key, value] of a) {
    const other = b.get(key)!;
    if (textOf(value) === textOf(other)) continue;
    if (other === null) isFirstAhead = true;
    else if (value === null) isSecondAhead = true;
    else throw new IllegalHistory(event, `two values of key ${key}`, 'one write of each key');
  }
  return isFirstAhead && isSecondAhead;
}
