/** Selects a writer for every open read: that of the solver's model, or else the first of the guess. */
import { INITIAL_TXN } from '@isolab/contract';
import { NO_SOURCE } from '@isolab/graph/relations';
import { type History, Outcome, ReadFrom, type ReadFromIndex } from '@isolab/history';
import type { Choices, Sighting } from './choices.ts';
import type { OpenRead, OpenReads } from './open-reads.ts';
import { lastWriteOf } from '../edges/facts.ts';

/** Selected writer of every open read of each transaction that happened. */
export class Selection {
  /** Index of a history in which the open reads saw the selected writers. */
  readonly index: ReadFromIndex;
  /** Reason why an optional transaction happened: the first sighting of it. */
  readonly seenBy = new Map<number, Sighting>();
  readonly #history: History;
  readonly #source: Int32Array; // by open read

  constructor(history: History, index: ReadFromIndex, { reads }: OpenReads) {
    this.#history = history;
    this.#source = new Int32Array(reads.length).fill(NO_SOURCE);
    const outcome = index.outcome.map((one) => (one === Outcome.Happened ? one : Outcome.Left));
    this.index = { ...index, readFrom: index.readFrom.slice(), outcome };
  }

  /** Returns the writer that a read saw, or NO_SOURCE if its transaction did not happen. */
  sourceOf(read: OpenRead): number {
    return this.#source[read.number];
  }

  choose(read: OpenRead, writer: number): void {
    const { operations, number, guess, guessedWrite } = read;
    const { readFrom } = this.index;
    this.#source[number] = writer;
    let write: number = ReadFrom.Initial;
    if (writer === guess) write = guessedWrite;
    else if (writer !== INITIAL_TXN) write = lastWriteOf(this.#history, writer, this.#history.opKey[operations[0]!]!);
    for (const op of operations) readFrom[op] = write;
  }
}

/**
 * Follows the solver's choices, and otherwise the guess; null if that names new reads, so the solver must run again.
 */
export function select(history: History, index: ReadFromIndex, open: OpenReads, choices: Choices): Selection | null {
  const selection = new Selection(history, index, open);
  const { seenBy } = selection;
  const { outcome } = selection.index;
  const toVisit = Array.from(outcome.keys()).filter((t) => outcome[t] === Outcome.Happened);
  for (let t = toVisit.pop(); t !== undefined; t = toVisit.pop()) {
    for (let i = open.start[t]; i < open.start[t + 1]; i++) {
      const read = open.reads[i]!;
      const writer = choices.isNamed(read) ? choices.sourceOf(read) : read.guess;
      if (writer === NO_SOURCE) {
        choices.name(read);
        const sighting = seenBy.get(read.reader);
        if (sighting) choices.name(sighting.read);
        return null;
      }
      selection.choose(read, writer);
      if (writer === INITIAL_TXN || open.optional[writer] === 0 || outcome[writer] === Outcome.Happened) continue;
      outcome[writer] = Outcome.Happened;
      seenBy.set(writer, { read, writer });
      toVisit.push(writer);
    }
  }
  return selection;
}
