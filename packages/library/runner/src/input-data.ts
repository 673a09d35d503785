import type { CheckInput } from '@isolab/contract';
import type { Level } from '@isolab/levels';
import {
  INTERNAL_ANOMALIES,
  type History,
  type InternalAnomalies,
  type InternalAnomalyName,
  type PolygraphInput,
  type ReadFromIndex,
} from '@isolab/history';

/** Input of a checker, as plain data. */
export interface InputData {
  readonly history: History;
  readonly index: ReadFromIndex;
  readonly internal: InternalColumns;
  readonly polygraph: PolygraphInput | null;
  readonly withScans: History | null;
  readonly definition: Level | null;
}

interface InternalColumns {
  /** Numbers of INTERNAL_ANOMALIES. */
  readonly name: Uint8Array;
  readonly read: Int32Array;
  readonly other: Int32Array;
}

export function toData(input: CheckInput): InputData {
  const { history, index, internal, polygraph = null, withScans = null, definition = null } = input;
  return { history, index, internal: columnsOf(internal), polygraph, withScans, definition };
}

export function fromData({ history, index, internal, polygraph, withScans, definition }: InputData): CheckInput {
  return {
    history,
    index,
    internal: anomaliesIn(internal),
    ...(polygraph && { polygraph }),
    ...(withScans && { withScans }),
    ...(definition && { definition }),
  };
}

/** Cached: they are shared once, however often the input is handed over. */
const kept = new WeakMap<InternalAnomalies, InternalColumns>();

function columnsOf(internal: InternalAnomalies): InternalColumns {
  const known = kept.get(internal);
  if (known) return known;
  const { count } = internal;
  const columns = { name: new Uint8Array(count), read: new Int32Array(count), other: new Int32Array(count) };
  for (let i = 0; i < count; i++) {
    const { name, read, other } = internal.at(i);
    columns.name[i] = INTERNAL_ANOMALIES.indexOf(name);
    columns.read[i] = read;
    columns.other[i] = other;
  }
  kept.set(internal, columns);
  return columns;
}

function anomaliesIn({ name, read, other }: InternalColumns): InternalAnomalies {
  const counts = Object.fromEntries(INTERNAL_ANOMALIES.map((anomaly) => [anomaly, 0])) as Record<
    InternalAnomalyName,
    number
  >;
  for (const i of name) counts[INTERNAL_ANOMALIES[i]!]++;
  return {
    count: name.length,
    counts,
    at: (i) => ({ name: INTERNAL_ANOMALIES[name[i]]!, read: read[i], other: other[i] }),
  };
}
