/** Selects a writer for every open read: that of the solver's model, or else the first of the guess. */
import { INITIAL_TXN } from '@isolab/contract';
import { type History, Outcome, ReadFrom, type ReadFromIndex } from '@isolab/history';
import type { Choices, Sighting } from './choices.ts';
import type { OpenRead, OpenReads } from './open-reads.ts';
import { lastWriteOf } from './versions.ts';

/** Selected writer of every open read of each transaction that happened. */
export interface Selection {
  readonly sourceOf: ReadonlyMap<OpenRead, number>;
  /** Reason why an optional transaction happened: the first sighting of it. */
  readonly seenBy: ReadonlyMap<number, Sighting>;
  readonly outcome: Uint8Array;
}

/**
 * Follows the solver's choices, and otherwise the guess; null if that names new reads, so the solver must run again.
 */
export function select(index: ReadFromIndex, open: OpenReads, choices: Choices): Selection | null {
  const sourceOf = new Map<OpenRead, number>();
  const seenBy = new Map<number, Sighting>();
  const outcome = index.outcome.map((one) => (one === Outcome.Happened ? one : Outcome.Left));
  const toVisit = Array.from(outcome.keys()).filter((t) => outcome[t] === Outcome.Happened);
  for (let t = toVisit.pop(); t !== undefined; t = toVisit.pop()) {
    for (let i = open.start[t]; i < open.start[t + 1]; i++) {
      const read = open.reads[i]!;
      const writer = choices.isNamed(read) ? choices.sourceOf(read) : read.guess;
      if (writer === null) {
        choices.name(read);
        const sighting = seenBy.get(read.reader);
        if (sighting) choices.name(sighting.read);
        return null;
      }
      sourceOf.set(read, writer);
      if (writer === INITIAL_TXN || open.optional[writer] === 0 || outcome[writer] === Outcome.Happened) continue;
      outcome[writer] = Outcome.Happened;
      seenBy.set(writer, { read, writer });
      toVisit.push(writer);
    }
  }
  return { sourceOf, seenBy, outcome };
}

/** Returns the index of a history in which the open reads saw the selected writers. */
export function indexOf(history: History, index: ReadFromIndex, { sourceOf, outcome }: Selection): ReadFromIndex {
  const readFrom = index.readFrom.slice();
  for (const [{ operations }, writer] of sourceOf) {
    const key = history.opKey[operations[0]!];
    const write = writer === INITIAL_TXN ? ReadFrom.Initial : lastWriteOf(history, writer, key);
    for (const read of operations) readFrom[read] = write;
  }
  return { ...index, readFrom, outcome };
}
