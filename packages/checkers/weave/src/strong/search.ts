import type { History } from '@isolab/history';
import { isCertain } from './certain.ts';
import { Choices } from './choices.ts';
import type { Chains } from './chains.ts';
import type { Known } from './known.ts';
import type { Model } from './model.ts';
import { Proof } from './proof.ts';
import { RankSet } from './rank-set.ts';
import { Schedule, Why } from './schedule.ts';
import type { Versions } from './versions.ts';
import { Waits } from './waits.ts';

/** An edge of a cycle: `from` must be placed before `to`, for the reason that `to` waits for (see Why). */
export interface Wait {
  readonly from: number;
  readonly to: number;
  readonly why: number;
  readonly data: number;
  readonly basis: number;
  /** The literal that says so, or −1 where no choice is involved. */
  readonly literal: number;
}

/** Literals that are all true and exclude one another, and the step of the proof that says so. */
interface Conflict {
  readonly literals: readonly number[];
  readonly step: number;
}

/**
 * Looks for an order by replaying the history, always with the event next that the guess `order` has first among those
 * that may be placed. When events wait for one another in a cycle, some of what was placed came too early: the choices
 * that the cycle rests on exclude one another, which is a clause; the latest of them is taken back, and its opposite
 * follows from the others (conflict-driven clause learning, with the replay as what makes decisions).
 */
export class Search {
  readonly schedule: Schedule;
  readonly choices: Choices;
  readonly proof = new Proof();
  readonly counters = { conflicts: 0, takenBack: 0 };
  readonly #history: History;
  readonly #model: Model;
  readonly #versions: Versions;
  readonly #chains: Chains;
  readonly #known: Known | null;
  readonly #order: Int32Array;
  readonly #rankOf: Int32Array; // by transaction
  readonly #ready: RankSet;
  readonly #waits: Waits;
  readonly #head: Int32Array; // by chain: the first transaction that is not placed, or −1
  readonly #mark: Int32Array; // by event: the walk that passed it last
  #walks = 0;
  #trail: Int32Array; // events that were placed, and ~literal where a choice was made
  #length = 0;
  #satisfiable = true;
  /** Whether `run` found an order. */
  found = false;

  constructor(
    history: History,
    versions: Versions,
    model: Model,
    chains: Chains,
    known: Known | null,
    order: Int32Array,
  ) {
    this.#history = history;
    this.#versions = versions;
    this.#model = model;
    this.#chains = chains;
    this.#known = known;
    this.#order = order;
    this.schedule = new Schedule(history, versions, model, chains, known);
    this.choices = new Choices(versions.numTxns);
    const { numEvents } = this.schedule;
    this.#rankOf = new Int32Array(versions.numTxns);
    for (let rank = 0; rank < order.length; rank++) this.#rankOf[order[rank]] = rank;
    this.#ready = new RankSet(numEvents);
    this.#waits = new Waits(numEvents);
    this.#mark = new Int32Array(numEvents);
    this.#trail = new Int32Array(numEvents + 16);
    this.#head = new Int32Array(chains.numChains).fill(-1);
    const { shift } = this.schedule;
    for (let t = 0; t < versions.numTxns; t++) {
      if (!versions.happened[t] || chains.previous[t] >= 0) continue;
      this.#head[chains.chainOf[t]] = t;
      this.#makeReady(t << shift);
    }
  }

  /**
   * Finds out whether there is an order; then `events` has it. Calls `tick` with what was done since. Returns false if
   * it gave up after so many conflicts.
   */
  run(tick: (steps: number) => void, maxConflicts = Infinity): boolean {
    const { schedule } = this;
    const { position, toPlace, shift } = schedule;
    const waits = this.#waits;
    const ready = this.#ready;
    let steps = 0;
    while (schedule.placed < toPlace) {
      if (++steps === TICK) {
        tick(steps);
        steps = 0;
      }
      const rank = ready.takeFirst();
      if (rank < 0) throw new Error('Some events wait for none of the others.');
      const event = (this.#order[rank >> shift] << shift) | (rank & shift);
      if (position[event] >= 0) continue;
      const before = schedule.before(event);
      if (before >= 0 && position[before] < 0) continue; // it was taken back, and will make this one ready again
      // One that waits already may do so since before its chain was taken back.
      if (waits.on[event] < 0) {
        let blocker = schedule.blockerOf(event);
        if (blocker < 0 && this.choices.isNamed[event >> shift] === 1) blocker = this.#choiceBlocker(event);
        if (blocker < 0) {
          this.#place(event);
          if (!this.#satisfiable) return true;
          continue;
        }
        waits.add(event, blocker, schedule.why, schedule.data, schedule.basis);
      }
      const cycle = this.#cycleThrough(event);
      if (cycle !== null) this.#settle(this.#conflictOf(cycle));
      if (!this.#satisfiable) return true;
      if (this.counters.conflicts > maxConflicts) return false;
    }
    this.found = true;
    return true;
  }

  /** The order that was found. */
  events(): Int32Array {
    return this.#trail.subarray(0, this.#length).filter((entry) => entry >= 0);
  }

  #makeReady(event: number): void {
    const { shift } = this.schedule;
    this.#ready.add((this.#rankOf[event >> shift] << shift) | (event & shift));
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

  #place(event: number): void {
    const { schedule } = this;
    const { shift } = schedule;
    const t = event >> shift;
    const at = this.#push(event);
    schedule.place(event, at);
    if (this.#isCommit(event)) {
      const after = this.#chains.next[t];
      this.#head[this.#chains.chainOf[t]] = after;
      if (after >= 0) this.#makeReady(after << shift);
    } else this.#makeReady(event + 1);
    const waits = this.#waits;
    for (let waiting = waits.firstFor(event); waiting >= 0; waiting = waits.firstFor(event)) {
      waits.remove(waiting);
      this.#makeReady(waiting);
    }
    if (this.choices.isNamed[t] === 1 && event === this.#decider(t)) this.#decideChoices(t, at);
  }

  #isCommit(event: number): boolean {
    return this.schedule.shift === 0 || (event & 1) === 1;
  }

  /** The event of a transaction that settles that it comes before what is not placed. */
  #decider(t: number): number {
    const { shift } = this.schedule;
    return this.#model.exclusive ? t << shift : (t << shift) | shift;
  }

  /** An event that a choice has this one wait for, or −1. */
  #choiceBlocker(event: number): number {
    const { schedule, choices } = this;
    const t = event >> schedule.shift;
    if (event !== this.#decider(t)) return -1;
    for (const variable of choices.variablesOf(t)) {
      const value = choices.value[variable]!;
      if (value < 0 || choices.firstOf(2 * variable + value) === t) continue;
      const commit = schedule.commitOf(choices.firstOf(2 * variable + value));
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
      if (choices.value[variable]! < 0) choices.assign(2 * variable + (choices.lesser[variable] === t ? 0 : 1), at, -1);
    }
    this.#settle(this.#propagate());
  }

  #propagate(): Conflict | null {
    const { choices } = this;
    const falsified = choices.propagate((literal, reason) => choices.assign(literal, this.#push(~literal), reason));
    if (falsified < 0) return null;
    return { literals: choices.clauses[falsified]!.map((l) => l ^ 1), step: this.proof.stepOf(falsified) };
  }

  #settle(first: Conflict | null): void {
    for (let conflict = first; conflict !== null; conflict = this.#propagate()) {
      this.#resolve(conflict);
      if (!this.#satisfiable) return;
    }
  }

  /** The cycle of waiting events that this one has closed, or null. */
  #cycleThrough(start: number): Wait[] | null {
    const walk = ++this.#walks;
    const mark = this.#mark;
    let event = start;
    while (mark[event] !== walk) {
      mark[event] = walk;
      event = this.#waitsFor(event);
      if (event < 0) return null;
    }
    const cycle: Wait[] = [];
    const first = event;
    do {
      const from = this.#waitsFor(event);
      cycle.push(this.#waitOf(from, event));
      event = from;
    } while (event !== first);
    return cycle.toReversed();
  }

  /** The event that must come before this one as things are: of its chain, or the one that it waits for; or −1. */
  #waitsFor(event: number): number {
    const { schedule } = this;
    const before = schedule.before(event);
    if (before < 0 || schedule.position[before] >= 0) return this.#waits.on[event];
    const { shift } = schedule;
    const head = this.#head[this.#chains.chainOf[event >> shift]];
    return shift === 1 && schedule.position[head << 1] >= 0 ? 2 * head + 1 : head << shift;
  }

  #waitOf(from: number, to: number): Wait {
    const { schedule, choices } = this;
    const before = schedule.before(to);
    if (before >= 0 && schedule.position[before] < 0)
      return { from, to, why: Why.Chain, data: -1, basis: -1, literal: -1 };
    const waits = this.#waits;
    const why = waits.why[to];
    const data = waits.data[to];
    const basis = waits.basis[to];
    let literal = -1;
    if (why === Why.Choice) literal = 2 * data + choices.value[data]!;
    if (why === Why.Lock) literal = this.#orderOf(basis, to, data);
    if (why === Why.Overwrite && basis < this.#versions.writer.length)
      literal = this.#orderOf(this.#versions.writer[basis], to, data);
    return { from, to, why, data, basis, literal };
  }

  /** The literal that says that `first` comes before the event's transaction; −1 if that is certain. */
  #orderOf(first: number, event: number, version: number): number {
    const { shift, position } = this.schedule;
    const second = event >> shift;
    if (this.#known?.has(first, second)) return -1;
    if (isCertain(this.#history, this.#versions, this.#model, first, second)) return -1;
    const { choices } = this;
    const literal = choices.literal(first, second, this.#versions.writeKey[version]);
    if (choices.value[literal >> 1]! < 0) {
      choices.value[literal >> 1] = literal & 1; // long settled, but nobody asked
      choices.position[literal >> 1] = position[this.#decider(first)];
    }
    return literal;
  }

  #conflictOf(cycle: readonly Wait[]): Conflict {
    const literals = [...new Set(cycle.flatMap(({ literal }) => (literal < 0 ? [] : [literal])))];
    return {
      literals,
      step: this.proof.addCycle(
        literals.map((l) => l ^ 1),
        cycle,
      ),
    };
  }

  /** Learns why these literals cannot all be true, and makes the opposite of the latest of them true. */
  #resolve(conflict: Conflict): void {
    const { choices, proof } = this;
    let { literals } = conflict;
    this.counters.conflicts++;
    choices.clearQueue();
    const used = [conflict.step];
    let latest = -1;
    for (;;) {
      const [certain, open] = split(literals, (l) => choices.position[l >> 1]! < 0);
      for (const l of certain) used.push(proof.unitStep(l >> 1));
      literals = open;
      latest = literals.reduce((most, l) => Math.max(most, choices.position[l >> 1]!), -1);
      const implied = literals.find((l) => choices.position[l >> 1] === latest && choices.reason[l >> 1]! >= 0);
      if (implied === undefined) break;
      const reason = choices.reason[implied >> 1]!;
      used.push(proof.stepOf(reason));
      const others = choices.clauses[reason]!.filter((l) => l !== implied).map((l) => l ^ 1);
      literals = [...new Set([...literals.filter((l) => l !== implied), ...others])];
    }
    const step = proof.addLearned(
      literals.map((l) => l ^ 1),
      used,
    );
    if (literals.length === 0) {
      this.#satisfiable = false;
      return;
    }
    this.#rewind(latest);
    const [top, lower] = split(literals, (l) => choices.position[l >> 1] === latest);
    if (literals.length === 1) {
      proof.setUnit(literals[0]! >> 1, step);
      choices.assign(literals[0]! ^ 1, -1, -1);
    } else {
      // Watched are the literals that were false last.
      lower.sort((a, b) => choices.position[b >> 1]! - choices.position[a >> 1]!);
      const clause = choices.addClause([...top, ...lower].map((l) => l ^ 1));
      proof.setStep(clause, step);
      const chosen = top.length === 1 ? top[0]! : this.#firstOf(top);
      choices.assign(chosen ^ 1, this.#push(~(chosen ^ 1)), top.length === 1 ? clause : -1);
    }
  }

  /** Of literals that one placement made true, that of the other transaction that the guess has first. */
  #firstOf(literals: readonly number[]): number {
    const rank = (l: number): number => this.#rankOf[this.choices.secondOf(l)];
    return literals.reduce((best, l) => (rank(l) < rank(best) ? l : best));
  }

  /** Takes back everything from a place of the trail on. */
  #rewind(to: number): void {
    const { schedule, choices } = this;
    const { shift } = schedule;
    const trail = this.#trail;
    const end = this.#length;
    this.counters.takenBack += end - to;
    while (this.#length > to) {
      const entry = trail[--this.#length];
      if (entry < 0) {
        choices.unassign(~entry >> 1);
        continue;
      }
      const t = entry >> shift;
      if (this.#isCommit(entry)) this.#head[this.#chains.chainOf[t]] = t;
      if (choices.isNamed[t] === 1) {
        for (const variable of choices.variablesOf(t))
          if (choices.position[variable] === this.#length && choices.value[variable]! >= 0) choices.unassign(variable);
      }
      schedule.takeBack(entry);
    }
    for (let i = to; i < end; i++) {
      const event = trail[i];
      if (event < 0) continue;
      const before = schedule.before(event);
      if (before < 0 || schedule.position[before] >= 0) this.#makeReady(event);
    }
    const waits = this.#waits;
    for (let i = waits.waiting.length - 1; i >= 0; i--) {
      const event = waits.waiting[i]!;
      if (schedule.stillWaits(waits.why[event], waits.basis[event])) continue;
      waits.remove(event);
      this.#makeReady(event);
    }
  }
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  const [yes, no]: [Item[], Item[]] = [[], []];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}

/** Events between two looks at the budget. */
const TICK = 1024;
