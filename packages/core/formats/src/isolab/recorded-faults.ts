import { type History, NO_TIME } from '@isolab/history';

/** A fault injected into the database, or into the connection to it, while the history was collected. */
export interface RecordedFault {
  /** kill, pause, delay, cut, reset, think, or a fault of a later collector. */
  readonly kind: string;
  readonly node?: number;
  /** Milliseconds by which packets or statements were delayed. */
  readonly delayMs?: number;
  /** Planned duration in milliseconds, if the collector stated it; repair may have taken longer. */
  readonly lastsMs?: number;
  readonly begin: bigint;
  /** Null if the collection ended before the fault. */
  readonly end: bigint | null;
}

type SourceWithFaults = History['source'] & { readonly faults: readonly RecordedFault[] };

/** Returns the faults that were injected while the history was collected, in the order in which they began. */
export const faultsOf = ({ source }: History): readonly RecordedFault[] =>
  (source as Partial<SourceWithFaults>).faults ?? [];

/**
 * Returns the faults between the first and the last transaction of a history, which may be a part of the collected
 * history.
 */
export function faultsWithin(history: History): readonly RecordedFault[] {
  const faults = faultsOf(history);
  if (faults.length === 0) return faults;
  const known = [history.txnBegin, history.txnEnd].flatMap((column) =>
    [...(column ?? [])].filter((t) => t !== NO_TIME),
  );
  const first = known.reduce((least, time) => (time < least ? time : least), known[0] ?? 0n);
  const last = known.reduce((most, time) => (time > most ? time : most), known[0] ?? 0n);
  return faults.filter(({ begin, end }) => begin <= last && (end === null || end >= first));
}

export function withFaults(history: History, faults: readonly RecordedFault[]): History {
  if (faults.length === 0) return history;
  const source: SourceWithFaults = { ...history.source, faults };
  return { ...history, source };
}

/** Collects the faults of a collection. Each fault has one line when it begins and one when it ends. */
export class Faults {
  readonly all: RecordedFault[] = [];
  readonly #places = new Map<number, number>();

  add(id: number, { begin, end = null, kind, ...rest }: Partial<RecordedFault>): void {
    if (kind !== undefined && begin !== undefined) {
      this.#places.set(id, this.all.length);
      this.all.push({ kind, begin, end, ...rest });
      return;
    }
    const place = this.#places.get(id);
    if (place !== undefined) this.all[place] = { ...this.all[place]!, end };
  }
}
