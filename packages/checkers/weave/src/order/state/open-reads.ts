import { addTo } from '@isolab/graph';
import type { Choices } from './choices.ts';
import type { Outcomes } from './outcomes.ts';
import type { Database } from './database.ts';
import type { Several } from '../../problem/several.ts';
import type { Versions } from '../../problem/versions.ts';

/** Settled state of a read and one of its versions: the read saw the version, did not see it, or may have seen it. */
const Seen = { Yes: 1, No: 0, Open: -1 } as const;

/** Result of `wanted` if the read may take the current version. */
export const VISIBLE = -1;
export const NOTHING_LEFT = -2;

/**
 * State of reads that may have seen one of several versions. Such a read takes the current version if that version has
 * the right value, from any writer; otherwise it waits for a later version. Placing the read settles that it saw a
 * version, and overwriting a version settles that other reads did not see it. Clauses may settle either earlier.
 */
export class OpenReads {
  readonly several: Several;
  readonly #versions: Versions;
  readonly #database: Database;
  readonly #choices: Choices;
  readonly #outcomes: Outcomes | null;
  readonly #sees: Int32Array; // by read: the version that it saw when it was placed
  readonly #overwrittenAt: Int32Array; // by version: the place on the trail, or −1
  readonly #firstMember: Int32Array; // by class: all versions before this position are placed
  readonly #firstRead: Int32Array; // by class: the readers of all versions before this position are placed
  readonly #variablesAt = new Map<number, number[]>(); // by place on the trail: variables that an event there settled

  constructor(versions: Versions, several: Several, database: Database, choices: Choices, outcomes: Outcomes | null) {
    this.several = several;
    this.#versions = versions;
    this.#database = database;
    this.#choices = choices;
    this.#outcomes = outcomes;
    this.#sees = new Int32Array(several.readClass.length).fill(-1);
    this.#overwrittenAt = new Int32Array(several.classOf.length).fill(-1);
    this.#firstMember = several.memberStart.slice();
    this.#firstRead = several.readsStart.slice();
  }

  #isPlaced(read: number): boolean {
    return this.#database.isBegun(this.several.reader[read]);
  }

  /** Returns the first place on the trail where an event settled whether a read saw a version; −1 if none did. */
  #settledAt(read: number, version: number): number {
    const { writer } = this.#versions;
    const begin = this.#database.position[this.several.reader[read] << this.#database.shift];
    let at = this.#overwrittenAt[version];
    if (at < 0 && this.#outcomes !== null && version < writer.length) at = this.#outcomes.lostAt[writer[version]];
    return at >= 0 && (begin < 0 || at < begin) ? at : begin;
  }

  status(read: number, version: number): number {
    if (!this.#isChoice(read, version)) return Seen.No;
    if (this.#settledAt(read, version) >= 0) return this.#sees[read] === version ? Seen.Yes : Seen.No;
    const variable = this.#choices.findSeen(read, version);
    if (variable < 0 || !this.#choices.isSet(variable)) return Seen.Open;
    return this.#choices.isTrue(2 * variable) ? Seen.Yes : Seen.No;
  }

  /** Enters the value of a new variable whose read was settled earlier. */
  enter(variable: number): void {
    const choices = this.#choices;
    const [read, version] = [choices.read[variable]!, choices.version[variable]!];
    const at = this.#settledAt(read, version);
    if (at < 0) return;
    choices.enterAt(2 * variable + (this.#sees[read] === version ? 0 : 1), at);
    this.#remember(variable, at);
  }

  #remember(variable: number, at: number): void {
    addTo(this.#variablesAt, at, variable);
  }

  /** Yields literals that become true because an event was placed there, except those that were already true. */
  *settledBy(t: number, begins: boolean, commits: boolean, at: number): Generator<number> {
    const choices = this.#choices;
    const { readStart } = this.several;
    if (begins) {
      for (let read = readStart[t]; read < readStart[t + 1]; read++)
        for (const variable of choices.ofRead(read)) yield* this.#settle(variable, at);
    }
    if (commits) {
      const { writeStart } = this.#versions;
      for (let write = writeStart[t]; write < writeStart[t + 1]; write++)
        yield* this.settledByLoss(this.#database.overwritten[write], at);
    }
  }

  /** Yields literals that become true because a version can no longer be seen. */
  *settledByLoss(version: number, at: number): Generator<number> {
    for (const variable of this.#choices.ofVersion(version)) yield* this.#settle(variable, at);
  }

  *#settle(variable: number, at: number): Generator<number> {
    const choices = this.#choices;
    if (choices.isSet(variable)) return;
    this.#remember(variable, at);
    yield 2 * variable + (this.#sees[choices.read[variable]!] === choices.version[variable] ? 0 : 1);
  }

  /** Returns the version that a read waits for, VISIBLE, or NOTHING_LEFT. */
  wanted(read: number): number {
    const { several } = this;
    const c = several.readClass[read];
    const current = this.#database.currentOf(several.classKey[c]);
    const choices = this.#choices;
    for (const variable of choices.ofRead(read)) {
      const version = choices.version[variable]!;
      if (choices.isTrue(2 * variable) && version !== current) return version;
    }
    if (several.classOf[current] === c && this.status(read, current) !== Seen.No) return VISIBLE;
    return this.#nextChoice(read);
  }

  /** Returns the first uncommitted version that a read may have seen. Versions of optional transactions come last. */
  #nextChoice(read: number): number {
    const { choiceStart, choice } = this.several;
    const { writer } = this.#versions;
    let fallback = NOTHING_LEFT;
    for (let i = choiceStart[read], end = choiceStart[read + 1]; i < end; i++) {
      const version = choice[i];
      if (this.#database.isVersionCommitted(version) || this.status(read, version) === Seen.No) continue;
      if (this.#outcomes === null || this.#outcomes.isIn(writer[version])) return version;
      if (fallback < 0) fallback = version;
    }
    return fallback;
  }

  #firstOpen(c: number): number {
    const { member, memberStart } = this.several;
    const end = memberStart[c + 1];
    let slot = this.#firstMember[c];
    while (slot < end && this.#database.isVersionCommitted(member[slot])) slot++;
    this.#firstMember[c] = slot;
    return slot;
  }

  isExhausted(read: number): boolean {
    return this.isOnly(read, -1);
  }

  /** Returns whether all candidates of a read except this version are excluded. */
  isOnly(read: number, only: number): boolean {
    const { choiceStart, choice } = this.several;
    for (let i = choiceStart[read], end = choiceStart[read + 1]; i < end; i++)
      if (choice[i] !== only && this.status(read, choice[i]) !== Seen.No) return false;
    return true;
  }

  #isChoice(read: number, version: number): boolean {
    const { choiceStart, choice } = this.several;
    for (let i = choiceStart[read], end = choiceStart[read + 1]; i < end; i++) if (choice[i] === version) return true;
    return false;
  }

  /**
   * Returns a reader for which a transaction waits before it overwrites a version, or −1: a reader before the next
   * version with an equal value in the guess, or any reader if there is no such version.
   */
  readerLeft(version: number, t: number): number {
    const { classOf, reader, reads, readsStart, memberStart, member, rankOf } = this.several;
    const c = classOf[version];
    if (c < 0) return -1;
    const choices = this.#choices;
    for (const variable of choices.ofVersion(version)) {
      const read = choices.read[variable]!;
      if (!choices.isTrue(2 * variable) || reader[read] === t || this.#isPlaced(read)) continue;
      if (this.#outcomes === null || this.#outcomes.isIn(reader[read])) return read;
    }
    const { writer } = this.#versions;
    let next = this.#firstOpen(c);
    while (next < memberStart[c + 1] && this.#database.isVersionCommitted(member[next])) next++;
    const limit = next < memberStart[c + 1] ? rankOf[writer[member[next]]] : Infinity;
    const end = readsStart[c + 1];
    let slot = this.#firstRead[c];
    while (slot < end && this.#isPlaced(reads[slot])) slot++;
    this.#firstRead[c] = slot;
    for (; slot < end && rankOf[reader[reads[slot]]] < limit; slot++) {
      const read = reads[slot];
      if (reader[read] === t || this.#isPlaced(read)) continue;
      if (this.#outcomes !== null && !this.#outcomes.isIn(reader[read])) continue;
      if (this.status(read, version) !== Seen.No) return read;
    }
    return -1;
  }

  /** Returns the transactions that must have seen a version if they happened, and that do not happen so far. */
  missedBy(version: number): number[] {
    const choices = this.#choices;
    return choices
      .ofVersion(version)
      .filter((variable) => choices.isTrue(2 * variable) && !this.#isPlaced(choices.read[variable]!))
      .map((variable) => this.several.reader[choices.read[variable]!])
      .filter((t) => this.#outcomes!.isOptional[t] === 1);
  }

  begin(t: number): void {
    const { readStart, readClass, classKey } = this.several;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++)
      this.#sees[read] = this.#database.currentOf(classKey[readClass[read]]);
  }

  /** Records which versions a transaction has overwritten by its commit. */
  commit(t: number, at: number): void {
    const { writeStart } = this.#versions;
    const { overwritten } = this.#database;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++)
      this.#overwrittenAt[overwritten[write]] = at;
  }

  takeBackBegin(t: number): void {
    const { readStart, readClass, readSlot } = this.several;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      this.#sees[read] = -1;
      const c = readClass[read];
      if (readSlot[read] < this.#firstRead[c]) this.#firstRead[c] = readSlot[read];
    }
  }

  takeBackCommit(t: number): void {
    const { writeStart } = this.#versions;
    const { classOf, memberSlot } = this.several;
    const { overwritten } = this.#database;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      this.#overwrittenAt[overwritten[write]] = -1;
      const c = classOf[write];
      if (c >= 0 && memberSlot[write] < this.#firstMember[c]) this.#firstMember[c] = memberSlot[write];
    }
  }

  /** Calls back with the variables that the event placed there settled, and forgets them. */
  unsettle(at: number, unassign: (variable: number) => void): void {
    const here = this.#variablesAt.get(at);
    if (here === undefined) return;
    for (const variable of here) unassign(variable);
    this.#variablesAt.delete(at);
  }
}
