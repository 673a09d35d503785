import type { History } from '@isolab/history';
import type { Chains } from './chains.ts';
import { Choices } from './choices.ts';
import { Cycles } from './cycles.ts';
import type { Known } from './known.ts';
import type { Model } from './model.ts';
import { Outcomes } from './outcomes.ts';
import { RankSet } from './rank-set.ts';
import { Reading } from './reading.ts';
import { Schedule, Why } from './schedule.ts';
import type { Versions } from './versions.ts';
import { Waits } from './waits.ts';

/**
 * What a search does and takes back: places events, always with the next one that the guess `order` has first among those
 * that may be placed; has the others wait; and makes choices. All of it stands on a trail, in its order.
 */
export class Replay {
  readonly schedule: Schedule;
  readonly choices: Choices;
  readonly cycles: Cycles;
  readonly waits: Waits;
  readonly reading: Reading | null = null;
  readonly outcomes: Outcomes | null = null;
  /** By transaction: its place in the guess. */
  readonly rankOf: Int32Array;
  takenBack = 0;
  readonly #versions: Versions;
  readonly #chains: Chains;
  readonly #order: Int32Array;
  readonly #ready: RankSet;
  readonly #choosing: number[][] = []; // by class: events that wait for one of its versions, and some that do no more
  #trail: Int32Array; // events that were placed, and ~literal where a choice was made
  #length = 0;

  constructor(
    history: History,
    versions: Versions,
    model: Model,
    chains: Chains,
    known: Known | null,
    order: Int32Array,
  ) {
    this.#versions = versions;
    this.#chains = chains;
    this.#order = order;
    const schedule = new Schedule(history, versions, model, chains, known);
    this.schedule = schedule;
    this.choices = new Choices(versions.numTxns);
    const { numEvents, shift } = schedule;
    const { several, optional } = versions;
    if (optional !== null) this.outcomes = new Outcomes(history, versions.happened, optional, model);
    if (several !== null) {
      this.reading = new Reading(versions, several, schedule, this.choices, this.outcomes);
      this.#choosing = Array.from(several.classKey, () => []);
    }
    schedule.reading = this.reading;
    schedule.outcomes = this.outcomes;
    this.rankOf = new Int32Array(versions.numTxns);
    for (let rank = 0; rank < order.length; rank++) this.rankOf[order[rank]] = rank;
    this.#ready = new RankSet(numEvents);
    this.waits = new Waits(numEvents);
    this.#trail = new Int32Array(numEvents + 16);
    this.cycles = new Cycles(history, versions, model, chains, known, schedule, this.choices, this.waits);
    for (let t = 0; t < versions.numTxns; t++) {
      if (!versions.happened[t] || chains.previous[t] >= 0) continue;
      this.cycles.head[chains.chainOf[t]] = t;
      this.makeReady(t << shift);
    }
  }

  /** Takes the first event that is ready to be looked at, −1 if none is. */
  takeReady(): number {
    const { shift } = this.schedule;
    const rank = this.#ready.takeFirst();
    return rank < 0 ? -1 : (this.#order[rank >> shift] << shift) | (rank & shift);
  }

  /** The order that was found. */
  events(): Int32Array {
    return this.#trail.subarray(0, this.#length).filter((entry) => entry >= 0);
  }

  makeReady(event: number): void {
    const { shift } = this.schedule;
    this.#ready.add((this.rankOf[event >> shift] << shift) | (event & shift));
  }

  wait(event: number, blocker: number): void {
    const { why, data, basis } = this.schedule;
    this.waits.add(event, blocker, why, data, basis);
    if (why === Why.Sees) this.#choosing[this.reading!.several.readClass[data]]!.push(event);
  }

  wake(event: number): void {
    this.waits.remove(event);
    this.makeReady(event);
  }

  #push(entry: number): number {
    if (this.#length === this.#trail.length) {
      const longer = new Int32Array(2 * this.#length);
      longer.set(this.#trail);
      this.#trail = longer;
    }
    this.#trail[this.#length] = entry;
    return this.#length++;
  }

  /** Places an event; whether that may have made literals true, so that they are to be propagated. */
  place(event: number): boolean {
    const { schedule } = this;
    const { shift } = schedule;
    const t = event >> shift;
    const at = this.#push(event);
    schedule.place(event, at);
    const commits = this.#isCommit(event);
    if (commits) this.#moveOn(t);
    else this.makeReady(event + 1);
    const waits = this.waits;
    for (let waiting = waits.firstFor(event); waiting >= 0; waiting = waits.firstFor(event)) this.wake(waiting);
    const decides = this.choices.isNamed[t] === 1 && event === schedule.decider(t);
    if (decides) this.#decideChoices(t, at);
    if (this.reading !== null) this.#settleReads(this.reading, t, event, at);
    return decides || this.reading !== null;
  }

  /** Makes those ready that come after a transaction in its chain. */
  #moveOn(t: number): void {
    const { shift } = this.schedule;
    if (this.outcomes !== null) {
      for (const other of this.outcomes.later.get(t) ?? NONE) this.makeReady(other << shift);
      if (this.outcomes.isOptional[t] === 1) return;
    }
    const after = this.#chains.next[t];
    this.cycles.head[this.#chains.chainOf[t]] = after;
    if (after >= 0) this.makeReady(after << shift);
  }

  #isCommit(event: number): boolean {
    return this.schedule.shift === 0 || (event & 1) === 1;
  }

  /** An event that a choice has this one wait for, or −1. */
  choiceBlocker(event: number): number {
    const { schedule, choices } = this;
    const t = event >> schedule.shift;
    if (event !== schedule.decider(t)) return -1;
    for (const variable of choices.variablesOf(t)) {
      const value = choices.value[variable]!;
      const first = value < 0 ? t : choices.firstOf(2 * variable + value);
      if (first === t || this.outcomes?.isIn(first) === false) continue;
      const commit = schedule.commitOf(first);
      if (schedule.position[commit] >= 0) continue;
      schedule.why = Why.Choice;
      schedule.data = variable;
      schedule.basis = -1;
      return commit;
    }
    return -1;
  }

  #decideChoices(t: number, at: number): void {
    const { choices } = this;
    for (const variable of choices.variablesOf(t)) {
      if (choices.value[variable]! < 0) {
        choices.assign(2 * variable + (choices.lesser[variable] === t ? 0 : 1), at, -1);
        continue;
      }
      // Whoever comes first by choice, and is not in, has missed its place.
      const first = choices.firstOf(2 * variable + choices.value[variable]!);
      if (first !== t && this.outcomes?.isIn(first) === false) this.#lose(first, at);
    }
  }

  /** What reads saw or did not see, now that an event is placed. */
  #settleReads(reading: Reading, t: number, event: number, at: number): void {
    const commits = this.#isCommit(event);
    const begins = this.schedule.shift === 0 || !commits;
    for (const literal of reading.settledBy(t, begins, commits, at)) this.choices.assign(literal, at, -1);
    for (const other of this.outcomes?.passedBy(t, begins, commits) ?? NONE) this.#lose(other, at);
    if (!commits) return;
    const { writeStart } = this.#versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      if (this.outcomes !== null)
        for (const reader of reading.missedBy(this.schedule.overwritten[write])) this.#lose(reader, at);
      const c = reading.several.classOf[write];
      if (c < 0) continue;
      for (const waiting of this.#choosing[c]!) if (this.waits.on[waiting] >= 0) this.wake(waiting);
      this.#choosing[c] = [];
    }
  }

  /** A transaction that need not have happened cannot happen any more. */
  #lose(t: number, at: number): void {
    if (this.outcomes!.lostAt[t] >= 0) return;
    this.outcomes!.lose(t, at);
    const { writeStart } = this.#versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++)
      for (const literal of this.reading!.settledByLoss(write, at)) this.choices.assign(literal, at, -1);
  }

  /** Makes a literal true because of a clause or, without one, by choice; on the trail, if that is not for good. */
  assign(literal: number, reason: number, forGood = false): void {
    const { choices } = this;
    choices.assign(literal, forGood ? -1 : this.#push(~literal), reason);
    const read = choices.read[literal >> 1]!;
    if (read < 0) return;
    const { shift } = this.schedule;
    const reader = this.reading!.several.reader[read] << shift;
    if (this.waits.on[reader] >= 0 && this.waits.why[reader] === Why.Sees) this.wake(reader);
    if ((literal & 1) === 0) this.#takeIn(literal);
  }

  /** If the literal says that a read saw a transaction that need not have happened, it did. */
  #takeIn(literal: number): void {
    const version = this.choices.version[literal >> 1]!;
    const outcomes = this.outcomes;
    if (outcomes === null || version >= this.#versions.writer.length) return;
    const t = this.#versions.writer[version];
    if (outcomes.isIn(t)) return;
    outcomes.active[t] = literal;
    this.schedule.toPlace += 1 << this.schedule.shift;
    this.makeReady(t << this.schedule.shift);
  }

  #unassign(variable: number): void {
    const { choices } = this;
    const wasTrue = choices.value[variable] === 0;
    choices.unassign(variable);
    const version = choices.version[variable]!;
    if (!wasTrue || this.outcomes === null || version < 0 || version >= this.#versions.writer.length) return;
    const t = this.#versions.writer[version];
    if (this.outcomes.active[t] >> 1 === variable && this.outcomes.active[t] >= 0) this.#letGo(this.outcomes, t);
  }

  /** What said that a transaction happened does so no more; maybe something else does. */
  #letGo(outcomes: Outcomes, t: number): void {
    const { choices } = this;
    const { writeStart } = this.#versions;
    outcomes.active[t] = -1;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      for (const variable of choices.ofVersion(write)) {
        const isEarlier =
          outcomes.active[t] < 0 || choices.position[variable]! < choices.position[outcomes.active[t] >> 1]!;
        if (choices.value[variable] === 0 && isEarlier) outcomes.active[t] = 2 * variable;
      }
    }
    if (outcomes.active[t] >= 0) return;
    const { shift } = this.schedule;
    this.schedule.toPlace -= 1 << shift;
    const waits = this.waits;
    for (let event = t << shift; event <= ((t << shift) | shift); event++) {
      for (let waiting = waits.firstFor(event); waiting >= 0; waiting = waits.firstFor(event)) this.wake(waiting);
      if (waits.on[event] >= 0) waits.remove(event);
    }
  }

  /** Takes back everything from a place of the trail on. */
  rewind(to: number): void {
    const { schedule, choices } = this;
    const { shift } = schedule;
    const trail = this.#trail;
    const end = this.#length;
    this.takenBack += end - to;
    while (this.#length > to) {
      const entry = trail[--this.#length];
      if (entry < 0) {
        this.#unassign(~entry >> 1);
        continue;
      }
      const t = entry >> shift;
      if (this.#isCommit(entry) && this.outcomes?.isOptional[t] !== 1) this.cycles.head[this.#chains.chainOf[t]] = t;
      if (choices.isNamed[t] === 1) {
        for (const variable of choices.variablesOf(t))
          if (choices.position[variable] === this.#length && choices.value[variable]! >= 0) choices.unassign(variable);
      }
      this.outcomes?.takeBack(this.#length);
      this.reading?.unsettle(this.#length, (variable) => this.#unassign(variable));
      schedule.takeBack(entry);
    }
    for (let i = to; i < end; i++) {
      const event = trail[i];
      if (event < 0) continue;
      const before = schedule.before(event);
      if (before < 0 || schedule.position[before] >= 0) this.makeReady(event);
    }
    const waits = this.waits;
    for (let i = waits.waiting.length - 1; i >= 0; i--) {
      const event = waits.waiting[i]!;
      if (!schedule.stillWaits(waits.why[event], waits.basis[event])) this.wake(event);
    }
  }
}

const NONE: readonly number[] = [];
