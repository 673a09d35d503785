import type { History } from '@isolab/history';
import { type Conflict, analyse, opposites, split } from './analyse.ts';
import type { Chains } from './chains.ts';
import type { Choices } from './choices.ts';
import type { Wait } from './cycles.ts';
import type { Known, KnownStep } from './known.ts';
import type { Model } from './model.ts';
import { Proof } from './proof.ts';
import { Replay } from './replay.ts';
import { EXHAUSTED, type Schedule, Why } from './schedule.ts';
import type { Versions } from './versions.ts';

/**
 * Looks for an order by replaying the history. When events wait for one another in a cycle, some of what was placed came
 * too early: the choices that the cycle rests on exclude one another, which is a clause; the latest of them is taken back,
 * and its opposite follows from the others (conflict-driven clause learning, with the replay as what makes decisions).
 */
export class Search {
  readonly schedule: Schedule;
  readonly choices: Choices;
  readonly proof = new Proof();
  conflicts = 0;
  readonly #replay: Replay;
  readonly #patience: number;
  #satisfiable = true;
  /** Whether `run` found an order. */
  found = false;

  /** `patience`: conflicts after which it pays to learn more from each. */
  constructor(
    history: History,
    versions: Versions,
    model: Model,
    chains: Chains,
    known: Known | null,
    order: Int32Array,
    patience: number,
  ) {
    this.#patience = patience;
    this.#replay = new Replay(history, versions, model, chains, known, order);
    this.schedule = this.#replay.schedule;
    this.choices = this.#replay.choices;
  }

  get takenBack(): number {
    return this.#replay.takenBack;
  }

  /** The order that was found. */
  events(): Int32Array {
    return this.#replay.events();
  }

  /**
   * Finds out whether there is an order; then `events` has it. Calls `tick` with what was done since. Returns false if
   * it gave up after so many conflicts.
   */
  run(tick: (steps: number) => void, maxConflicts = Infinity): boolean {
    const { schedule } = this;
    const replay = this.#replay;
    const { position, shift } = schedule;
    const { waits, outcomes } = replay;
    let steps = 0;
    while (schedule.placed < schedule.toPlace) {
      if (++steps === TICK) {
        tick(steps);
        steps = 0;
      }
      const event = replay.takeReady();
      if (event < 0) throw new Error('Some events wait for none of the others.');
      if (position[event] >= 0) continue;
      const before = schedule.before(event);
      if (before >= 0 && position[before] < 0) continue; // it was taken back, and will make this one ready again
      if (outcomes !== null && !outcomes.isIn(event >> shift)) continue;
      // One that waits already may do so since before its chain was taken back.
      if (waits.on[event] >= 0 || this.#mustWait(event)) {
        const cycle = replay.cycles.through(event);
        if (cycle !== null) this.#settleCycle(this.#isHard ? this.#shorter(cycle, event) : cycle, event);
      }
      if (!this.#satisfiable) return true;
      if (this.conflicts > maxConflicts) return false;
    }
    this.found = true;
    return true;
  }

  /** Ends the search before it begins: what is known for certain is a cycle. */
  refute(cycle: readonly KnownStep[]): void {
    const { shift, versions } = this.schedule;
    const waits = cycle.map(({ from, to, kind, number }): Wait => {
      const basis = kind === 'overwrites' ? versions.writer.length + versions.writeKey[number] : -1;
      return { from: from << shift, to: to << shift, why: WHY[kind], data: number, basis, literal: -1, assumed: [] };
    });
    this.proof.addCycle([], waits);
  }

  get #isHard(): boolean {
    return this.conflicts >= this.#patience;
  }

  /** A cycle with fewer choices, if this one has many; of cycles with suppositions, which are settled otherwise, itself. */
  #shorter(cycle: readonly Wait[], event: number): readonly Wait[] {
    const { cycles, reading, outcomes } = this.#replay;
    if (reading !== null || outcomes !== null) return cycle;
    const choices = cycle.reduce((count, { literal }) => (literal < 0 ? count : count + 1), 0);
    return choices > FEW_CHOICES ? (cycles.withFewestChoices(event) ?? cycle) : cycle;
  }

  /** Places an event if that may be, or has it wait; whether it waits. */
  #mustWait(event: number): boolean {
    const { schedule, choices } = this;
    const replay = this.#replay;
    const t = event >> schedule.shift;
    let blocker = schedule.blockerOf(event);
    if (blocker === -1 && choices.isNamed[t] === 1) blocker = replay.choiceBlocker(event);
    if (blocker === -1) {
      if (replay.place(event)) this.#settle(this.#propagate());
      return false;
    }
    if (blocker === EXHAUSTED) {
      this.#exhaust(schedule.data);
      return false;
    }
    if (replay.outcomes !== null && !replay.outcomes.isIn(blocker >> schedule.shift)) {
      // It is not there to be waited for unless something is known to see it.
      replay.makeReady(event);
      replay.assign(replay.reading!.literal(schedule.data, schedule.basis), -1);
      this.#settle(this.#propagate());
      return false;
    }
    replay.wait(event, blocker);
    return true;
  }

  #propagate(): Conflict | null {
    const { choices } = this;
    const falsified = choices.propagate((literal, reason) => this.#replay.assign(literal, reason));
    if (falsified < 0) return null;
    return { literals: opposites(choices.clauses[falsified]!), step: this.proof.stepOf(falsified) };
  }

  #settle(first: Conflict | null): void {
    for (let conflict = first; conflict !== null; conflict = this.#propagate()) {
      this.#resolve(conflict);
      if (!this.#satisfiable) return;
    }
  }

  /** A read has no version left that it could see. */
  #exhaust(read: number): void {
    const reader = this.#replay.reading!.several.reader[read];
    const literals = opposites(this.#replay.reading!.candidates(read));
    const active = this.#replay.outcomes?.active[reader] ?? -1;
    if (active >= 0) literals.push(active);
    const step = this.proof.addCandidates(opposites(literals), read);
    this.#replay.makeReady(reader << this.schedule.shift);
    this.#settle({ literals, step });
  }

  /**
   * Events wait for one another in a cycle. If all the choices that it rests on are made, that is a conflict. What reads
   * are merely supposed to have seen is no choice yet: the last such supposition is dropped, for the others exclude it.
   */
  #settleCycle(cycle: readonly Wait[], event: number): void {
    const { choices } = this;
    const literals = new Set<number>();
    const supposed = new Set<number>();
    for (const wait of cycle) {
      if (wait.literal >= 0) literals.add(wait.literal);
      for (const literal of wait.assumed) {
        if (choices.isFalse(literal)) return this.#dropWait(wait.to, event);
        (choices.isTrue(literal) ? literals : supposed).add(literal);
      }
    }
    if (supposed.size > 1) {
      this.#replay.makeReady(event); // which looks at the cycle again
      this.#replay.assign(this.#likeliest([...supposed]), -1);
      return this.#settle(this.#propagate());
    }
    const all = [...literals, ...supposed];
    const step = this.proof.addCycle(opposites(all), cycle);
    const [only] = supposed;
    if (only === undefined) {
      if (this.#replay.reading !== null) this.#replay.makeReady(event); // waits may be left that rested on what a read saw
      return this.#settle({ literals: all, step });
    }
    this.conflicts++;
    const [certain, others] = split([...literals], (l) => choices.position[l >> 1]! < 0);
    const used = [step, ...certain.map((l) => this.proof.unitStep(l >> 1))];
    const learned = this.proof.addLearned(opposites([...others, only]), used);
    const read = choices.read[only >> 1]!;
    const waiting = cycle.find((wait) => wait.assumed.includes(only))!.to;
    this.#imply(only ^ 1, others, learned);
    this.#dropWait(waiting, event);
    this.#settle(this.#propagate());
    if (this.#satisfiable && this.#isIn(read) && this.#replay.reading!.isExhausted(read)) this.#exhaust(read);
  }

  #isIn(read: number): boolean {
    return this.#replay.outcomes === null || this.#replay.outcomes.isIn(this.#replay.reading!.several.reader[read]);
  }

  #dropWait(waiting: number, event: number): void {
    if (this.#replay.waits.on[waiting] >= 0) this.#replay.wake(waiting);
    this.#replay.makeReady(event);
  }

  /** Of suppositions one that is to become a choice: one without which its read has nothing left, if there is one. */
  #likeliest(supposed: readonly number[]): number {
    const { read, version } = this.choices;
    const isNeeded = (l: number): boolean => this.#replay.reading!.isOnly(read[l >> 1]!, version[l >> 1]!);
    return supposed.find(isNeeded) ?? supposed[0]!;
  }

  /** Makes true what follows from literals that all are, by a clause of its own. */
  #imply(literal: number, from: number[], step: number): void {
    const { choices, proof } = this;
    if (from.length === 0) {
      proof.setUnit(literal >> 1, step);
      return this.#replay.assign(literal, -1, true);
    }
    from.sort((a, b) => choices.position[b >> 1]! - choices.position[a >> 1]!);
    const clause = choices.addClause([literal, ...opposites(from)]);
    proof.setStep(clause, step);
    this.#replay.assign(literal, clause);
  }

  /** Learns why these literals cannot all be true, and makes the opposite of the latest of them true. */
  #resolve(conflict: Conflict): void {
    const { choices, proof } = this;
    this.conflicts++;
    choices.clearQueue();
    const { literals, latest, step } = analyse(conflict, choices, proof, this.#isHard);
    if (literals.length === 0) {
      this.#satisfiable = false;
      return;
    }
    this.#replay.rewind(latest);
    const [top, lower] = split(literals, (l) => choices.position[l >> 1] === latest);
    if (top.length === 1) return this.#imply(top[0]! ^ 1, lower, step);
    // Watched are the literals that were false last.
    lower.sort((a, b) => choices.position[b >> 1]! - choices.position[a >> 1]!);
    proof.setStep(choices.addClause(opposites([...top, ...lower])), step);
    this.#replay.assign(this.#firstOf(top) ^ 1, -1);
  }

  /** Of literals that one placement made true, that of the other transaction that the guess has first. */
  #firstOf(literals: readonly number[]): number {
    const rank = (l: number): number => {
      const read = this.choices.read[l >> 1]!;
      return this.#replay.rankOf[read < 0 ? this.choices.secondOf(l) : this.#replay.reading!.several.reader[read]];
    };
    return literals.reduce((best, l) => (rank(l) < rank(best) ? l : best));
  }
}

const WHY = { chain: Why.Chain, read: Why.ReadFrom, fact: Why.Fact, overwrites: Why.Overwrite } as const;

/** Cycles that rest on more are worth a search for another one. */
const FEW_CHOICES = 3;

/** Events between two looks at the budget. */
const TICK = 1024;
