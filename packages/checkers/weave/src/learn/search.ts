/**
 * The loop of conflict-driven clause learning, where the replay makes the decisions. If events wait for one another in
 * a cycle, some event was placed too early: the choices that the cycle rests on exclude one another, which yields a
 * clause. The latest of these choices is taken back, and its opposite follows from the others. Leaves an order in the
 * replay, or a proof whose last step has the empty clause.
 */
import { Replay } from '../order/replay.ts';
import { EXHAUSTED, type Wait } from '../order/rules/rule.ts';
import type { Setting } from '../order/setting.ts';
import type { KnownStep } from '../facts/known.ts';
import { Analysis, type Conflict, opposites, split } from './analyse.ts';
import { Choices } from '../order/state/choices.ts';
import { Cycles, type NamedWait } from './cycles.ts';
import { fewestChoices } from './fewest-choices.ts';
import { Literals } from '../order/state/literals.ts';
import { Proof } from './proof.ts';
import type { Tuning } from '../problem/tuning.ts';

export class Search {
  replay: Replay;
  readonly choices: Choices;
  readonly proof = new Proof();
  conflicts = 0;
  found = false;
  #literals: Literals;
  #cycles: Cycles;
  readonly #tuning: SearchTuning;
  readonly #analysis: Analysis;
  #satisfiable = true;
  #tick: (steps: number) => void = () => {};

  constructor(setting: Setting, tuning: SearchTuning) {
    this.choices = new Choices(setting.versions.numTxns);
    this.replay = new Replay(setting, this.choices);
    this.#literals = literalsOf(setting, this.replay);
    this.#cycles = new Cycles(this.replay);
    this.#tuning = tuning;
    this.#analysis = new Analysis(this.choices, this.proof);
  }

  /** Starts again with another guess, and keeps the learned clauses. The rest of the setting must be unchanged. */
  restart(setting: Setting): void {
    const certain = this.choices.unassignAll();
    this.replay = new Replay(setting, this.choices);
    this.#literals = literalsOf(setting, this.replay);
    this.#cycles = new Cycles(this.replay);
    for (const literal of certain) this.replay.assign(literal, undefined, true);
    this.#settle(this.#propagate());
  }

  /**
   * Searches until it is settled whether an order exists. Returns false if it gave up after `maxConflicts` conflicts.
   */
  run(tick: (steps: number) => void, maxConflicts = Infinity): boolean {
    this.#tick = tick;
    const { replay } = this;
    const { waits, outcomes } = replay;
    const { position, shift } = replay.database;
    let steps = 0;
    if (!this.#satisfiable) return true;
    while (replay.placed < replay.toPlace) {
      if (++steps === TICK) {
        tick(steps);
        steps = 0;
      }
      const event = replay.takeReady();
      if (event < 0) throw new Error('Some events wait for none of the others.');
      if (position[event] >= 0) continue;
      if (!replay.progress.isNext(event)) continue; // earlier events were taken back, and will make it ready again
      if (outcomes !== null && !outcomes.isIn(event >> shift)) continue;
      // An event that still waits may have waited since before its chain was taken back.
      if (waits.on[event] >= 0 || this.#mustWait(event)) {
        const cycle = this.#cycles.through(event);
        if (cycle !== null) this.#settleCycle(this.#withFewChoices(cycle, event), event);
      }
      if (!this.#satisfiable) return true;
      if (this.conflicts > maxConflicts) return false;
    }
    this.found = true;
    return true;
  }

  /** Ends the search before it begins, because the certain relations have a cycle. */
  refute(cycle: readonly KnownStep[]): void {
    const { rules, database } = this.replay;
    const { writer, writeKey } = database.versions;
    const ruleOf = { chain: rules.session, read: rules.readFrom, fact: rules.fact!, overwrites: rules.overwrite };
    const waits = cycle.map(({ from, to, kind, number }): NamedWait => {
      const basis = kind === 'overwrites' ? writer.length + writeKey[number] : -1;
      const events = { from: from << database.shift, to: to << database.shift };
      return { ...events, rule: ruleOf[kind], data: number, basis, literal: -1, assumed: [] };
    });
    this.proof.addCycle([], waits);
  }

  /** Returns the literals of a cycle or, after many conflicts, of a similar cycle with fewer choices. */
  #withFewChoices(cycle: readonly Wait[], event: number): readonly NamedWait[] {
    const { openReads } = this.replay;
    const named = this.#cycles.named(cycle, this.#literals);
    // Cycles that assume the source of a read are handled elsewhere.
    if (this.conflicts < this.#tuning.learnMoreAfter || openReads !== null) return named;
    const choices = named.reduce((count, { literal }) => (literal < 0 ? count : count + 1), 0);
    if (choices <= this.#tuning.fewChoices) return named;
    const shorter = fewestChoices(this.replay, event, this.#tuning.eventsSearched);
    return shorter === null ? named : this.#cycles.named(shorter, this.#literals);
  }

  /** Places an event if possible. Otherwise lets it wait and returns true. */
  #mustWait(event: number): boolean {
    const { replay } = this;
    const { outcomes, database } = replay;
    const rule = replay.ruleAgainst(event);
    if (rule === null) {
      if (replay.place(event)) this.#settle(this.#propagate());
      return false;
    }
    if (replay.blocker === EXHAUSTED) {
      this.#exhaust(rule.data);
      return false;
    }
    if (outcomes !== null && !outcomes.isIn(replay.blocker >> database.shift)) {
      // An event can wait for an optional transaction only once some read is known to see that transaction.
      replay.makeReady(event);
      replay.assign(this.#literals.ofRead(rule.data, rule.basis));
      this.#settle(this.#propagate());
      return false;
    }
    replay.wait(event, rule);
    return true;
  }

  #propagate(): Conflict | null {
    const { choices } = this;
    const falsified = choices.propagate((literal) => this.replay.follow(literal));
    if (falsified === 0) return null;
    return { literals: opposites(choices.literalsOf(falsified)), step: choices.stepOf(falsified) };
  }

  #settle(first: Conflict | null): void {
    for (let conflict = first; conflict !== null; conflict = this.#propagate()) {
      this.#resolve(conflict);
      if (!this.#satisfiable) return;
    }
  }

  #exhaust(read: number): void {
    const reader = this.replay.openReads!.several.reader[read];
    const literals = opposites(this.#literals.ofCandidates(read));
    const active = this.replay.outcomes?.active[reader] ?? -1;
    if (active >= 0) literals.push(active);
    const step = this.proof.addCandidates(opposites(literals), read);
    this.replay.makeReady(reader << this.replay.database.shift);
    this.#settle({ literals, step });
  }

  /**
   * Handles a cycle of waiting events. If all its choices are made, it is a conflict. Otherwise the other choices
   * exclude the latest assumption about the source of a read, which is dropped.
   */
  #settleCycle(cycle: readonly NamedWait[], event: number): void {
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
      this.replay.makeReady(event); // the replay then examines the cycle again
      this.replay.assign(this.#likeliest([...supposed]));
      return this.#settle(this.#propagate());
    }
    const all = [...literals, ...supposed];
    const step = this.proof.addCycle(opposites(all), cycle);
    const [only] = supposed;
    if (only === undefined) {
      if (this.replay.openReads !== null) this.replay.makeReady(event); // waits may be left that rested on the source of a read
      return this.#settle({ literals: all, step });
    }
    this.conflicts++;
    const [certain, others] = split([...literals], (l) => choices.position[l >> 1]! < 0);
    const used = [step, ...certain.map((l) => this.proof.stepOfUnit[l >> 1]!)];
    const learned = this.proof.addLearned(opposites([...others, only]), used);
    const read = choices.read[only >> 1]!;
    const waiting = cycle.find((wait) => wait.assumed.includes(only))!.to;
    this.#imply(only ^ 1, others, learned);
    this.#dropWait(waiting, event);
    this.#settle(this.#propagate());
    if (this.#satisfiable && this.#isIn(read) && this.replay.openReads!.isExhausted(read)) this.#exhaust(read);
  }

  #isIn(read: number): boolean {
    return this.replay.outcomes === null || this.replay.outcomes.isIn(this.replay.openReads!.several.reader[read]);
  }

  #dropWait(waiting: number, event: number): void {
    if (this.replay.waits.on[waiting] >= 0) this.replay.wake(waiting);
    this.replay.makeReady(event);
  }

  /** Returns the assumption that becomes a choice: if possible, one without which its read has no version left. */
  #likeliest(supposed: readonly number[]): number {
    const { read, version } = this.choices;
    const isNeeded = (l: number): boolean => this.replay.openReads!.isOnly(read[l >> 1]!, version[l >> 1]!);
    return supposed.find(isNeeded) ?? supposed[0]!;
  }

  /** Makes the consequence of true literals true, with a clause of its own. */
  #imply(literal: number, from: number[], step: number): void {
    const { choices, proof } = this;
    if (from.length === 0) {
      proof.stepOfUnit[literal >> 1] = step;
      return this.replay.assign(literal, undefined, true);
    }
    from.sort((a, b) => choices.position[b >> 1]! - choices.position[a >> 1]!);
    this.replay.assign(literal, choices.addClause([literal, ...opposites(from)], step));
  }

  /** Learns why these literals cannot all be true, and makes the opposite of the latest literal true. */
  #resolve(conflict: Conflict): void {
    const { choices } = this;
    this.conflicts++;
    choices.clearQueue();
    const { literals, latest, step } = this.#analysis.analyse(conflict);
    this.#tick(literals.length + 1);
    if (literals.length === 0) {
      this.#satisfiable = false;
      return;
    }
    this.replay.rewind(latest);
    const [top, lower] = split(literals, (l) => choices.position[l >> 1] === latest);
    if (top.length === 1) return this.#imply(top[0]! ^ 1, lower, step);
    // The watched literals are those that became false last.
    lower.sort((a, b) => choices.position[b >> 1]! - choices.position[a >> 1]!);
    choices.addClause(opposites([...top, ...lower]), step);
    this.replay.assign(this.#firstOf(top) ^ 1);
  }

  /** Returns the literal, of those that one placement made true, whose other transaction is first in the guess. */
  #firstOf(literals: readonly number[]): number {
    const rank = (l: number): number => {
      const read = this.choices.read[l >> 1]!;
      return this.replay.rankOf[read < 0 ? this.choices.secondOf(l) : this.replay.openReads!.several.reader[read]];
    };
    return literals.reduce((best, l) => (rank(l) < rank(best) ? l : best));
  }
}

const literalsOf = ({ history, known }: Setting, { database, choices, openReads }: Replay): Literals =>
  new Literals(history, known, database, choices, openReads);

export type SearchTuning = Pick<Tuning, 'learnMoreAfter' | 'fewChoices' | 'eventsSearched'>;

/** Number of events between two checks of the budget. */
const TICK = 1024;
