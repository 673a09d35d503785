import { type JepsenEvent, type Value, pairsOf, textOf } from '@isolab/operations';
import { type JepsenOptions, type JepsenResults, elementsOf, shown } from './events.ts';

/** Record of an element: the time when it was certainly present, and the last reads that saw it and that missed it. */
interface Element {
  readonly element: Value;
  known: JepsenEvent | null;
  lastPresent: JepsenEvent | null;
  lastAbsent: JepsenEvent | null;
}

/**
 * Classifies each element as stable, if the last reads see it; as lost, if they do not although it was certainly
 * present before they began; otherwise as never read. A stable element is stale if a read missed it after it was
 * certainly present.
 */
export function setFull(events: readonly JepsenEvent[], { linearizable = false }: JepsenOptions = {}): JepsenResults {
  const { elements, duplicated } = trackedIn(events);
  const outcomes = [...elements.values()].map(outcomeOf).toSorted((a, b) => compareValues(a.element, b.element));
  const of = (outcome: string): typeof outcomes => outcomes.filter((each) => each.outcome === outcome);
  const [stable, lost, neverRead] = [of('stable'), of('lost'), of('never-read')];
  const stale = stable.filter((each) => each['stable-latency']! > 0);
  const worst = stale.toSorted((a, b) => b['stable-latency']! - a['stable-latency']!).slice(0, 8);
  const isLate = linearizable && stale.length > 0;
  const valid = lost.length > 0 ? false : stable.length === 0 ? 'unknown' : !isLate;
  return {
    'valid?': duplicated.size > 0 ? false : valid,
    'attempt-count': outcomes.length,
    'stable-count': stable.length,
    'lost-count': lost.length,
    lost: lost.map(({ element }) => element),
    'never-read-count': neverRead.length,
    'never-read': neverRead.map(({ element }) => element),
    'stale-count': stale.length,
    stale: stale.map(({ element }) => element),
    'worst-stale': worst,
    ...latencies(
      'stable-latencies',
      outcomes.flatMap((each) => each['stable-latency'] ?? []),
    ),
    ...latencies(
      'lost-latencies',
      outcomes.flatMap((each) => each['lost-latency'] ?? []),
    ),
    'duplicated-count': duplicated.size,
    duplicated: new Map(duplicated.values()),
  };
}

function trackedIn(events: readonly JepsenEvent[]) {
  const invocationOf = new Map<JepsenEvent, JepsenEvent>();
  const clients = new Set<JepsenEvent>();
  for (const { invocation, completion } of pairsOf(events)) {
    clients.add(invocation);
    if (completion) {
      clients.add(completion);
      invocationOf.set(completion, invocation);
    }
  }
  const elements = new Map<string, Element>();
  const duplicated = new Map<string, [Value, number]>();
  for (const event of events) {
    if (!clients.has(event)) continue;
    const { f, type, value } = event;
    if (f === 'add') {
      const key = textOf(value);
      if (type === 'invoke') elements.set(key, { element: value, known: null, lastPresent: null, lastAbsent: null });
      else if (type === 'ok') {
        const element = elements.get(key);
        if (element) element.known ??= event;
      }
    } else if (f === 'read' && type === 'ok') {
      const counts = new Map<string, number>();
      const read = elementsOf(event);
      for (const each of read) {
        const key = textOf(each);
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (counts.get(key)! > 1)
          duplicated.set(key, [each, Math.max(counts.get(key)!, duplicated.get(key)?.[1] ?? 0)]);
      }
      observe(elements, counts, invocationOf.get(event)!, event);
    }
  }
  return { elements, duplicated };
}

function observe(
  elements: ReadonlyMap<string, Element>,
  seen: ReadonlyMap<string, number>,
  invocation: JepsenEvent,
  read: JepsenEvent,
): void {
  for (const [key, element] of elements) {
    if (seen.has(key)) {
      element.known ??= read;
      if (element.lastPresent === null || element.lastPresent.index < invocation.index)
        element.lastPresent = invocation;
    } else if (element.lastAbsent === null || element.lastAbsent.index < invocation.index)
      element.lastAbsent = invocation;
  }
}

function outcomeOf({ element, known, lastPresent, lastAbsent }: Element) {
  const present = lastPresent?.index ?? -1;
  const absent = lastAbsent?.index ?? -1;
  const isStable = lastPresent !== null && absent < present;
  const isLost = known !== null && lastAbsent !== null && present < absent && known.index < absent;
  // Time from when the element was certainly present to the last read that missed it (if stable) or saw it (if lost).
  const since = (event: JepsenEvent | null): number =>
    Math.floor(Math.max(0, (event === null ? 0 : (event.time ?? 0) + 1) - (known?.time ?? 0)) / NANOSECONDS);
  return {
    element,
    outcome: isStable ? 'stable' : isLost ? 'lost' : 'never-read',
    'stable-latency': isStable ? since(lastAbsent) : null,
    'lost-latency': isLost ? since(lastPresent) : null,
    known: known && shown(known),
    'last-absent': lastAbsent && shown(lastAbsent),
  };
}

const NANOSECONDS = 1e6; // in a millisecond

function latencies(name: string, milliseconds: readonly number[]): object {
  if (milliseconds.length === 0) return {};
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  return { [name]: Object.fromEntries(POINTS.map((share) => [String(share), at(share)])) };
}

const POINTS = [0, 0.5, 0.95, 0.99, 1];

/** Compares numbers by size, sequences element by element, and other values by their texts. */
function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (Array.isArray(a) && Array.isArray(b)) {
    const [x, y] = [a as readonly Value[], b as readonly Value[]];
    const differs = x.findIndex((each, i) => i < y.length && compareValues(each, y[i]!) !== 0);
    return differs < 0 ? x.length - y.length : compareValues(x[differs]!, y[differs]!);
  }
  const [x, y] = [textOf(a), textOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}
