import type { History } from '@isolab/history';
import type { Blocking } from './blockers.ts';
import { isCertain, isShownBefore } from './certain.ts';
import type { Chains } from './chains.ts';
import type { Choices } from './choices.ts';
import { fewestChoices } from './fewest-choices.ts';
import type { Known } from './known.ts';
import type { Model } from './model.ts';
import type { Outcomes } from './outcomes.ts';
import type { Reading } from './reading.ts';
import { type Schedule, Why } from './schedule.ts';
import type { Versions } from './versions.ts';
import type { Waits } from './waits.ts';

/** An edge of a cycle: `from` must be placed before `to`, for the reason that `to` waits for (see Why). */
export interface Wait extends Blocking {
  /** The literal that says which of two writers comes first, or −1 where no choice is involved. */
  readonly literal: number;
  /** Literals that say what was read, as the wait assumes: of its read, and of transactions that happened therefore. */
  readonly assumed: readonly number[];
}

/** Events that wait for one another, each for one other: follows them, and says which choices a cycle rests on. */
export class Cycles {
  readonly #history: History;
  readonly #model: Model;
  readonly #versions: Versions;
  readonly #chains: Chains;
  readonly #known: Known | null;
  readonly #schedule: Schedule;
  readonly #choices: Choices;
  readonly #reading: Reading | null;
  readonly #outcomes: Outcomes | null;
  readonly #waits: Waits;
  readonly #mark: Int32Array; // by event: the walk that passed it last
  #walks = 0;
  /** By chain: the first transaction that is not placed, or −1. */
  readonly head: Int32Array;

  constructor(
    history: History,
    versions: Versions,
    model: Model,
    chains: Chains,
    known: Known | null,
    schedule: Schedule,
    choices: Choices,
    waits: Waits,
  ) {
    this.#history = history;
    this.#versions = versions;
    this.#model = model;
    this.#chains = chains;
    this.#known = known;
    this.#schedule = schedule;
    this.#choices = choices;
    this.#reading = schedule.reading;
    this.#outcomes = schedule.outcomes;
    this.#waits = waits;
    this.#mark = new Int32Array(schedule.numEvents);
    this.head = new Int32Array(chains.numChains).fill(-1);
  }

  /** The cycle of waiting events that this one has closed, or null. */
  through(start: number): Wait[] | null {
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

  /** The same of an event that waits in a cycle, by a cycle with as few choices as can be; null if that is not found. */
  withFewestChoices(event: number): Wait[] | null {
    const schedule = this.#schedule;
    const cycle = fewestChoices(schedule, this.#choices, event, (to) => {
      const before = schedule.before(to);
      return before < 0 || schedule.position[before] >= 0 ? -1 : this.#waitsFor(to);
    });
    return cycle && cycle.map((step) => ({ ...step, literal: this.#literalOf(step), assumed: NONE }));
  }

  /** The event that must come before this one as things are: of its chain, or the one that it waits for; or −1. */
  #waitsFor(event: number): number {
    const { schedule, head } = { schedule: this.#schedule, head: this.head };
    const before = schedule.before(event);
    if (before < 0 || schedule.position[before] >= 0) return this.#waits.on[event];
    const { shift } = schedule;
    if (shift === 1 && (event & 1) === 1 && this.#outcomes?.isOptional[event >> 1] === 1) return before;
    const first = head[this.#chains.chainOf[event >> shift]];
    return shift === 1 && schedule.position[first << 1] >= 0 ? 2 * first + 1 : first << shift;
  }

  #waitOf(from: number, to: number): Wait {
    const schedule = this.#schedule;
    const before = schedule.before(to);
    if (before >= 0 && schedule.position[before] < 0)
      return { from, to, why: Why.Chain, data: -1, basis: -1, literal: -1, assumed: this.#outcomesOf(from, to) };
    const waits = this.#waits;
    const why = waits.why[to];
    const data = waits.data[to];
    const basis = waits.basis[to];
    const literal = this.#literalOf({ from, to, why, data, basis });
    return { from, to, why, data, basis, literal, assumed: this.#assumedBy(from, to) };
  }

  /** The literal of the order of two writers that an event's wait rests on, or −1. */
  #literalOf({ to, why, data, basis }: Blocking): number {
    const { writer } = this.#versions;
    switch (why) {
      case Why.Choice:
        return 2 * data + this.#choices.value[data]!;
      case Why.Lock:
        return this.#orderOf(basis, to, data);
      case Why.Overwrite:
      case Why.Unseen:
        return basis < writer.length ? this.#orderOf(writer[basis], to, data) : -1;
      default:
        return -1;
    }
  }

  /** The literal that says that `first` comes before the event's transaction; −1 if that is certain. */
  #orderOf(first: number, event: number, version: number): number {
    const schedule = this.#schedule;
    const second = event >> schedule.shift;
    const key = this.#versions.writeKey[version];
    if (this.#known?.has(first, second)) return -1;
    if (isCertain(this.#history, this.#versions, this.#model, first, second)) return -1;
    if (isShownBefore(this.#versions, first, second, key)) return -1;
    const choices = this.#choices;
    const literal = choices.literal(first, second, key);
    if (choices.value[literal >> 1]! < 0) {
      choices.value[literal >> 1] = literal & 1; // long settled, but nobody asked
      choices.position[literal >> 1] = schedule.position[schedule.decider(first)];
    }
    return literal;
  }

  #assumedBy(from: number, to: number): readonly number[] {
    const outcomes = this.#outcomesOf(from, to);
    const reading = this.#reading;
    if (reading === null) return outcomes;
    const { why, data, basis } = this.#waits;
    const { shift } = this.#schedule;
    if (why[to] === Why.Sees) return [reading.literal(data[to], basis[to]), ...outcomes];
    if (why[to] !== Why.Unseen) return outcomes;
    const read = reading.readOf(from >> shift, reading.several.classOf[basis[to]]);
    return [reading.literal(read, basis[to]), ...outcomes];
  }

  /** Why two transactions happened that need not have. */
  #outcomesOf(from: number, to: number): readonly number[] {
    if (this.#outcomes === null) return NONE;
    const { active } = this.#outcomes;
    const { shift } = this.#schedule;
    return [from >> shift, to >> shift].flatMap((t) => (active[t] >= 0 ? [active[t]] : []));
  }
}

const NONE: readonly number[] = [];
