import type { IndexedHistory } from '@isolab/contract';
import type { Known } from './known.ts';
import { type Versions, gatherVersions } from '../problem/versions.ts';

/** A version that a read cannot have seen, given the relations known in a round. */
export interface Dropped {
  readonly version: number;
  readonly round: number;
  /** A writer known to come between the version and the reader; −1 if the reader comes before the version's writer. */
  readonly between: number;
}

/** Versions that reads may still have seen. */
export interface Narrowing {
  /** Versions in which only reads with more than one remaining candidate are open. */
  readonly versions: Versions;
  readonly known: Known;
  readonly rounds: readonly Known[];
  readonly dropped: ReadonlyMap<number, readonly Dropped[]>;
  readonly left: ReadonlyMap<number, Int32Array>;
}

/**
 * Drops versions that reads cannot have seen, as VeriStrong does: written after the reader or overwritten before it.
 */
export function narrow(
  { history, index }: IndexedHistory,
  order: Int32Array,
  given: Versions,
  maxRounds: number,
  saturate: (versions: Versions) => Known,
  tick: (steps: number) => void,
): Narrowing {
  let versions = given;
  const rounds: Known[] = [];
  const left = new Map<number, Int32Array>();
  const dropped = new Map<number, Dropped[]>();
  for (;;) {
    const known = saturate(versions);
    const mayDrop = known.cycle === null && versions.several !== null && rounds.length < maxRounds;
    if (!mayDrop || !dropFrom(known, rounds.length, left, dropped, tick))
      return { versions, known, rounds, dropped, left };
    rounds.push(known);
    versions = gatherVersions(history, index, order, left);
  }
}

/** Drops candidates by the facts of the round, and returns whether any were dropped. */
function dropFrom(
  known: Known,
  round: number,
  left: Map<number, Int32Array>,
  dropped: Map<number, Dropped[]>,
  tick: (steps: number) => void,
): boolean {
  const { happened, several, writer } = known.versions;
  const { reader, readClass, readOp, classKey, choiceStart, choice } = several!;
  let more = false;
  for (let read = 0; read < readOp.length; read++) {
    const r = reader[read];
    if (happened[r] === 0) continue;
    const before = known.writersBefore(r, classKey[readClass[read]]);
    tick(1 + before.length * (choiceStart[read + 1] - choiceStart[read]));
    const op = readOp[read];
    const gone: Dropped[] = [];
    const kept = choice.subarray(choiceStart[read], choiceStart[read + 1]).filter((version) => {
      const w = version < writer.length ? writer[version] : -1;
      const isAfter = w >= 0 && known.has(r, w);
      const between = isAfter ? -1 : before.find((u) => w < 0 || (u !== w && known.has(w, u)));
      if (between !== undefined) gone.push({ version, round, between });
      return between === undefined;
    });
    // The search decides whether an optional transaction happened.
    const isOptional = kept.length === 1 && kept[0] < writer.length && happened[writer[kept[0]]] === 0;
    if (gone.length === 0 || isOptional) continue;
    dropped.set(op, [...(dropped.get(op) ?? []), ...gone]);
    left.set(op, kept);
    more = true;
  }
  return more;
}
