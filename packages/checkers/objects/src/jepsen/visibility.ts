import { type JepsenEvent, type Value, textOf } from '@isolab/operations';
import { IllegalHistory, type JepsenResults, elementsOf, okReads } from './events.ts';

/** Checks that a read that sees a comment also sees every comment that was certainly present before it was invoked. */
export function comments(events: readonly JepsenEvent[]): JepsenResults {
  const before = new Map<string, ReadonlyMap<string, Value>>();
  let completed: ReadonlyMap<string, Value> = new Map();
  for (const { f, type, value } of events) {
    if (f !== 'write') continue;
    if (type === 'invoke') before.set(textOf(value), completed);
    else if (type === 'ok') completed = new Map(completed).set(textOf(value), value);
  }
  const errors = okReads(events).flatMap((read) => {
    const seen = new Set(elementsOf(read).map(textOf));
    const expected = new Map([...seen].flatMap((key) => [...(before.get(key) ?? [])]));
    const missing = [...expected].filter(([key]) => !seen.has(key)).map(([, value]) => value);
    if (missing.length === 0) return [];
    const fields = new Map<string, unknown>(read.fields);
    fields.delete('value');
    return [fields.set('missing', missing).set('expected-count', expected.size)];
  });
  return { 'valid?': errors.length === 0, errors };
}

/**
 * Checks groups whose keys a client wrote one after the other, and which reads request backwards: after the first key
 * that is present, all others must be, too. A read is a key and its result, `["0" [nil "0_1" "0_0"]]`.
 */
export function sequential(events: readonly JepsenEvent[]): JepsenResults {
  const reads = okReads(events).map((event): readonly [Value, readonly Value[], Value] => {
    const { value } = event;
    if (Array.isArray(value) && value.length === 2 && Array.isArray(value[1]))
      return [value[0] as Value, value[1] as readonly Value[], value];
    throw new IllegalHistory(event, 'a read of another form', 'a key and the values found for it, newest first');
  });
  const hasHole = (found: readonly Value[]): boolean => {
    const first = found.findIndex((value) => value !== null);
    return first >= 0 && found.slice(first).includes(null);
  };
  const bad = reads.filter(([, found]) => hasHole(found)).map(([, , value]) => value);
  return {
    'valid?': bad.length === 0,
    'all-count': reads.filter(([, found]) => !found.includes(null)).length,
    'some-count': reads.filter(([, found]) => found.includes(null)).length,
    'none-count': reads.filter(([, found]) => found.every((value) => value === null)).length,
    'bad-count': bad.length,
    bad,
  };
}
