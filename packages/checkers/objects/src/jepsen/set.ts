import { type JepsenEvent, type Value, textOf } from '@isolab/operations';
import { type JepsenResults, elementsOf, okReads } from './events.ts';

/** Checks that the last read has every certainly added element, and no element without an attempted add. */
export function set(events: readonly JepsenEvent[]): JepsenResults {
  const added = (type: JepsenEvent['type']): Map<string, Value> =>
    new Map(
      events.flatMap(({ f, value, ...event }) => (f === 'add' && event.type === type ? [[textOf(value), value]] : [])),
    );
  const last = okReads(events).at(-1);
  if (last === undefined || last.value === null) return { 'valid?': 'unknown', error: 'Set was never read' };
  const attempts = added('invoke');
  const adds = added('ok');
  const read = new Map(elementsOf(last).map((value) => [textOf(value), value]));
  const ok = minus(read, (key) => !attempts.has(key));
  const unexpected = minus(read, (key) => attempts.has(key));
  const lost = minus(adds, (key) => read.has(key));
  const recovered = minus(ok, (key) => adds.has(key));
  return {
    'valid?': lost.size === 0 && unexpected.size === 0,
    'attempt-count': attempts.size,
    'acknowledged-count': adds.size,
    'ok-count': ok.size,
    'lost-count': lost.size,
    'recovered-count': recovered.size,
    'unexpected-count': unexpected.size,
    ok: intervals(ok),
    lost: intervals(lost),
    unexpected: intervals(unexpected),
    recovered: intervals(recovered),
  };
}

const minus = (from: ReadonlyMap<string, Value>, isIn: (key: string) => boolean): Map<string, Value> =>
  new Map([...from].filter(([key]) => !isIn(key)));

/** `#{1..3 5}`: consecutive integers as a range, other values in the order of their texts. */
function intervals(elements: ReadonlyMap<string, Value>): string {
  const values = [...elements.values()];
  if (!values.every((value) => Number.isInteger(value))) return `#{${values.map(textOf).toSorted().join(' ')}}`;
  const numbers = (values as number[]).toSorted((a, b) => a - b);
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run && run[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return `#{${runs.map(([from, to]) => (from === to ? from : `${from}..${to}`)).join(' ')}}`;
}
