import type { CheckInput, IndexedHistory } from '@isolab/contract';
import { INTERNAL_ANOMALIES, type InternalAnomalies, type InternalAnomalyName } from '@isolab/history';

/** Input of a checker, as plain data. */
export type InputData = Plain<CheckInput>;

type Plain<Input> = Input extends IndexedHistory
  ? Omit<Input, 'internal'> & { readonly internal: InternalColumns }
  : Input;

interface InternalColumns {
  /** Indices into INTERNAL_ANOMALIES. */
  readonly name: Uint8Array;
  readonly read: Int32Array;
  readonly other: Int32Array;
}

/** Returns the fields of a checker's input without the fields that the host adds. */
export function toData(input: CheckInput): InputData {
  if (input.kind === 'polygraph') return { kind: input.kind, polygraph: input.polygraph };
  const { history, index } = input;
  const indexed = { history, index, internal: columnsOf(input.internal) };
  if (input.kind === 'definition') return { ...indexed, kind: input.kind, definition: input.definition };
  if (input.kind === 'scans') return { ...indexed, kind: input.kind, withScans: input.withScans };
  return { ...indexed, kind: input.kind };
}

export const fromData = (data: InputData): CheckInput =>
  data.kind === 'polygraph' ? data : { ...data, internal: anomaliesIn(data.internal) };

/** Caches the shared columns, so that they are shared once for any number of transfers. */
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
