import type { Choices } from './state/choices.ts';
import type { Versions } from '../problem/versions.ts';
import { Database } from './state/database.ts';
import { OpenReads } from './state/open-reads.ts';
import { Outcomes } from './state/outcomes.ts';
import { Progress } from './progress.ts';
import { RankSet } from '../facts/rank-set.ts';
import { type Rules, rulesOf } from './rules-of.ts';
import { NOTHING, type Rule, type Wait } from './rules/rule.ts';
import type { Setting } from './setting.ts';
import { Waits } from './waits.ts';

/**
 * Steps of a search, recorded on a trail: places events in the order of the guess, lets them wait, and makes choices.
 */
export class Replay {
  readonly database: Database;
  readonly choices: Choices;
  readonly rules: Rules;
  readonly openReads: OpenReads | null;
  readonly outcomes: Outcomes | null;
  readonly progress: Progress;
  readonly waits: Waits;
  readonly rankOf: Int32Array;
  /** Number of placed events, and number of events to place, which grows when an optional transaction is included. */
  placed = 0;
  toPlace: number;
  takenBack = 0;
  /** Result of the rule that `ruleAgainst` returned: the event to wait for, or EXHAUSTED. */
  blocker = NOTHING;
  readonly #versions: Versions;
  readonly #order: Int32Array;
  readonly #atBegin: readonly Rule[];
  readonly #atCommit: readonly Rule[];
  readonly #ready: RankSet;
  readonly #choosing: number[][]; // by class: events that wait for one of its versions, and possibly events that no longer do
  #trail: Int32Array; // placed events, and ~literal for each choice
  #length = 0;

  constructor({ history, versions, model, chains, known, order }: Setting, choices: Choices) {
    const { numTxns, happened, optional, several } = versions;
    const database = new Database(versions, model);
    const { numEvents, shift } = database;
    this.database = database;
    this.choices = choices;
    this.outcomes = optional && new Outcomes(history, happened, optional, model);
    this.openReads = several && new OpenReads(versions, several, database, choices, this.outcomes);
    this.rules = rulesOf(history, database, known, choices, this.openReads, this.outcomes);
    this.#atBegin = this.#rulesAt('begin');
    this.#atCommit = this.#rulesAt('commit');
    this.progress = new Progress(database, chains);
    this.waits = new Waits(numEvents);
    this.toPlace = versions.numHappened << shift;
    this.#versions = versions;
    this.#order = order;
    this.#ready = new RankSet(numEvents);
    this.#choosing = several === null ? [] : Array.from(several.classKey, () => []);
    this.#trail = new Int32Array(numEvents + 16);
    this.rankOf = new Int32Array(numTxns);
    for (let rank = 0; rank < order.length; rank++) this.rankOf[order[rank]] = rank;
    for (const t of this.progress.heads()) this.makeReady(t << shift);
  }

  #rulesAt(event: 'begin' | 'commit'): Rule[] {
    const { shift, model } = this.database;
    const decider = model.exclusive ? 'begin' : 'commit';
    return this.rules.all.filter(
      ({ holdsUp }) => shift === 0 || holdsUp === 'both' || (holdsUp === 'decider' ? decider : holdsUp) === event,
    );
  }

  #rulesFor(event: number): readonly Rule[] {
    return this.database.isBegin(event) ? this.#atBegin : this.#atCommit;
  }

  /** Returns the rule that makes the next event of a chain wait, or null. `blocker` is the event that it waits for. */
  ruleAgainst(event: number): Rule | null {
    const t = event >> this.database.shift;
    const rules = this.#rulesFor(event);
    for (let i = 0; i < rules.length; i++) {
      const rule = rules[i]!;
      this.blocker = rule.blocker(event, t);
      if (this.blocker !== NOTHING) return rule;
    }
    return null;
  }

  /** Returns the event that must currently come before this event, because of its chain or a wait; or −1. */
  waitsFor(event: number): number {
    return this.progress.isNext(event) ? this.waits.on[event] : this.#firstOfChain(event);
  }

  /** Returns the wait of an event for the event that `waitsFor` returns. */
  waitOf(event: number): Wait {
    if (!this.progress.isNext(event)) {
      return { from: this.#firstOfChain(event), to: event, rule: this.rules.session, data: -1, basis: -1 };
    }
    const { on, rule, data, basis } = this.waits;
    return {
      from: on[event],
      to: event,
      rule: this.rules.all[rule[event]]!,
      data: data[event],
      basis: basis[event],
    };
  }

  /** Visits the reasons why an event must wait: all of them, or sufficiently many. */
  eachWaitOf(to: number, visit: (wait: Wait) => void): void {
    if (!this.progress.isNext(to)) return visit(this.waitOf(to));
    const { position, shift } = this.database;
    for (const rule of this.#rulesFor(to))
      rule.eachBlocker(to, to >> shift, (from, data, basis) => {
        if (position[from] < 0) visit({ from, to, rule, data, basis });
      });
  }

  #firstOfChain(event: number): number {
    const t = event >> this.database.shift;
    // An optional transaction is in no chain. This is its commit, which waits for its begin.
    if (this.outcomes?.isOptional[t] === 1 && !this.database.isBegin(event)) return event - 1;
    return this.progress.firstOfChain(t);
  }

  /** Removes and returns the first event that is ready to be examined, or −1. */
  takeReady(): number {
    const { shift } = this.database;
    const rank = this.#ready.takeFirst();
    return rank < 0 ? -1 : (this.#order[rank >> shift] << shift) | (rank & shift);
  }

  events(): Int32Array {
    return this.#trail.subarray(0, this.#length).filter((entry) => entry >= 0);
  }

  makeReady(event: number): void {
    const { shift } = this.database;
    this.#ready.add((this.rankOf[event >> shift] << shift) | (event & shift));
  }

  /** Lets an event wait because of the last examined rule. */
  wait(event: number, rule: Rule): void {
    this.waits.add(event, this.blocker, rule.number, rule.data, rule.basis);
    if (rule === this.rules.openRead) this.#choosing[this.openReads!.several.readClass[rule.data]]!.push(event);
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

  /** Places an event. Returns whether the event may have made literals true that must be propagated. */
  place(event: number): boolean {
    const { database, waits, openReads } = this;
    const t = event >> database.shift;
    const at = this.#push(event);
    this.placed++;
    database.position[event] = at;
    if (database.isBegin(event)) {
      database.begin(t);
      openReads?.begin(t);
    }
    if (database.isCommit(event)) {
      database.commit(t);
      openReads?.commit(t, at);
      this.#moveOn(t);
    } else {
      this.makeReady(event + 1);
    }
    for (let waiting = waits.firstFor(event); waiting >= 0; waiting = waits.firstFor(event)) this.wake(waiting);
    const decides = this.choices.isNamed[t] === 1 && event === database.decider(t);
    if (decides) this.#decideChoices(t, at);
    if (openReads !== null) this.#settleReads(openReads, t, event, at);
    return decides || openReads !== null;
  }

  /** Makes the events ready that come after a transaction in its chain. */
  #moveOn(t: number): void {
    const { shift } = this.database;
    if (this.outcomes !== null) {
      for (const other of this.outcomes.later.get(t) ?? NONE) this.makeReady(other << shift);
      if (this.outcomes.isOptional[t] === 1) return;
    }
    const after = this.progress.moveOn(t);
    if (after >= 0) this.makeReady(after << shift);
  }

  #decideChoices(t: number, at: number): void {
    const { choices } = this;
    for (const variable of choices.variablesOf(t)) {
      if (!choices.isSet(variable)) {
        choices.assignAt(2 * variable + (choices.lesser[variable] === t ? 0 : 1), at);
        continue;
      }
      // A transaction that was chosen to come first, but does not happen, has missed its place.
      const first = choices.firstOf(choices.trueLiteral(variable));
      if (first !== t && this.outcomes?.isIn(first) === false) this.#lose(first, at);
    }
  }

  /** Settles which versions reads saw or did not see, now that an event is placed. */
  #settleReads(openReads: OpenReads, t: number, event: number, at: number): void {
    const commits = this.database.isCommit(event);
    const begins = this.database.shift === 0 || !commits;
    for (const literal of openReads.settledBy(t, begins, commits, at)) this.choices.assignAt(literal, at);
    for (const other of this.outcomes?.passedBy(t, begins, commits) ?? NONE) this.#lose(other, at);
    if (!commits) return;
    const { writeStart } = this.#versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      if (this.outcomes !== null)
        for (const reader of openReads.missedBy(this.database.overwritten[write])) this.#lose(reader, at);
      const c = openReads.several.classOf[write];
      if (c < 0) continue;
      for (const waiting of this.#choosing[c]!) if (this.waits.on[waiting] >= 0) this.wake(waiting);
      this.#choosing[c] = [];
    }
  }

  #lose(t: number, at: number): void {
    if (this.outcomes!.lostAt[t] >= 0) return;
    this.outcomes!.lose(t, at);
    const { writeStart } = this.#versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++)
      for (const literal of this.openReads!.settledByLoss(write, at)) this.choices.assignAt(literal, at);
  }

  /** Makes a literal true because of a clause or by choice. The trail records it unless it is `forGood`. */
  assign(literal: number, reason?: number, forGood = false): void {
    this.choices.assign(literal, reason);
    this.follow(literal, forGood);
  }

  /** Records that a literal has become true, and wakes the reader that it is about. */
  follow(literal: number, forGood = false): void {
    const { choices } = this;
    choices.position[literal >> 1] = forGood ? -1 : this.#push(~literal);
    const read = choices.read[literal >> 1]!;
    if (read < 0) return;
    const { shift } = this.database;
    const reader = this.openReads!.several.reader[read] << shift;
    if (this.waits.on[reader] >= 0 && this.waits.rule[reader] === this.rules.openRead!.number) this.wake(reader);
    if ((literal & 1) === 0) this.#takeIn(literal);
  }

  /** Includes an optional transaction if the literal says that a read saw it. */
  #takeIn(literal: number): void {
    const version = this.choices.version[literal >> 1]!;
    const outcomes = this.outcomes;
    if (outcomes === null || version >= this.#versions.writer.length) return;
    const t = this.#versions.writer[version];
    if (outcomes.isIn(t)) return;
    outcomes.active[t] = literal;
    this.toPlace += 1 << this.database.shift;
    this.makeReady(t << this.database.shift);
  }

  #unassign(variable: number): void {
    const { choices } = this;
    const wasTrue = choices.isTrue(2 * variable);
    choices.unassign(variable);
    const version = choices.version[variable]!;
    if (!wasTrue || this.outcomes === null || version < 0 || version >= this.#versions.writer.length) return;
    const t = this.#versions.writer[version];
    if (this.outcomes.active[t] >> 1 === variable && this.outcomes.active[t] >= 0) this.#letGo(this.outcomes, t);
  }

  /** Drops the literal by which a transaction happened. Another literal may replace it. */
  #letGo(outcomes: Outcomes, t: number): void {
    const { choices } = this;
    const { writeStart } = this.#versions;
    outcomes.active[t] = -1;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      for (const variable of choices.ofVersion(write)) {
        const isEarlier =
          outcomes.active[t] < 0 || choices.position[variable]! < choices.position[outcomes.active[t] >> 1]!;
        if (choices.isTrue(2 * variable) && isEarlier) outcomes.active[t] = 2 * variable;
      }
    }
    if (outcomes.active[t] >= 0) return;
    const { shift } = this.database;
    this.toPlace -= 1 << shift;
    const waits = this.waits;
    for (let event = t << shift; event <= ((t << shift) | shift); event++) {
      for (let waiting = waits.firstFor(event); waiting >= 0; waiting = waits.firstFor(event)) this.wake(waiting);
      if (waits.on[event] >= 0) waits.remove(event);
    }
  }

  /** Takes back everything from a place of the trail on. */
  rewind(to: number): void {
    const trail = this.#trail;
    const end = this.#length;
    this.takenBack += end - to;
    while (this.#length > to) {
      const entry = trail[--this.#length];
      if (entry < 0) this.#unassign(~entry >> 1);
      else this.#takeBack(entry);
    }
    for (let i = to; i < end; i++) if (trail[i] >= 0 && this.progress.isNext(trail[i])) this.makeReady(trail[i]);
    const { waiting, rule, basis } = this.waits;
    for (let i = waiting.length - 1; i >= 0; i--) {
      const event = waiting[i]!;
      if (!this.rules.all[rule[event]]!.stillWaits(basis[event])) this.wake(event);
    }
  }

  #takeBack(event: number): void {
    const { database, choices, openReads } = this;
    const t = event >> database.shift;
    if (choices.isNamed[t] === 1) {
      for (const variable of choices.variablesOf(t))
        if (choices.position[variable] === this.#length && choices.isSet(variable)) choices.unassign(variable);
    }
    this.outcomes?.takeBack(this.#length);
    openReads?.unsettle(this.#length, (variable) => this.#unassign(variable));
    this.placed--;
    database.position[event] = -1;
    this.rules.realTime?.takeBack(event);
    if (database.isCommit(event)) {
      database.takeBackCommit(t);
      openReads?.takeBackCommit(t);
      if (this.outcomes?.isOptional[t] !== 1) this.progress.goBack(t);
    }
    if (database.isBegin(event)) {
      database.takeBackBegin(t);
      openReads?.takeBackBegin(t);
    }
  }
}

const NONE: readonly number[] = [];
