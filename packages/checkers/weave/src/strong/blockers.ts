import type { Choices } from './choices.ts';
import { type Schedule, Why } from './schedule.ts';

/** That `to` must wait for `from`, and why, as `blockerOf` says it. */
export interface Blocking {
  readonly from: number;
  readonly to: number;
  readonly why: number;
  readonly data: number;
  readonly basis: number;
}

/**
 * Everything for which an event that is next in its chain must wait as things are, where `blockerOf` stops at the first;
 * of the readers of a version only some. For histories in which it is certain what each read saw, and what happened.
 */
export function eachBlocker(schedule: Schedule, choices: Choices, to: number, visit: (found: Blocking) => void): void {
  const { shift, position, model, versions, known, time } = schedule;
  const t = to >> shift;
  const begins = shift === 0 || (to & 1) === 0;
  const commits = shift === 0 || !begins;
  const found = (from: number, why: number, data: number, basis: number): void => {
    if (position[from] < 0) visit({ from, to, why, data, basis });
  };
  if (begins) {
    const { readStart, readVersion, writer } = versions;
    for (let read = readStart[t]; read < readStart[t + 1]; read++)
      if (readVersion[read] < writer.length)
        found(schedule.commitOf(writer[readVersion[read]]), Why.ReadFrom, read, -1);
  }
  const earlier = time === null ? -1 : time.blockerOf(to);
  if (earlier >= 0) found(earlier, Why.Time, -1, -1);
  if (to === schedule.decider(t)) {
    const { lists } = versions;
    for (let i = lists?.start[t] ?? 0, end = lists?.start[t + 1] ?? 0; i < end; i++)
      found(schedule.commitOf(lists!.from[i]), Why.Version, lists!.read[i], -1);
    for (let fact = known?.factStart[t] ?? 0, end = known?.factStart[t + 1] ?? 0; fact < end; fact++)
      found(schedule.commitOf(known!.factFrom[fact]), Why.Fact, fact, -1);
    for (const variable of choices.isNamed[t] === 1 ? choices.variablesOf(t) : []) {
      const value = choices.value[variable]!;
      const first = value < 0 ? t : choices.firstOf(2 * variable + value);
      if (first !== t) found(schedule.commitOf(first), Why.Choice, variable, -1);
    }
  }
  if (begins && model.exclusive) eachHolder(schedule, t, found);
  if (commits) eachReaderLeft(schedule, t, found);
}

type Found = (from: number, why: number, data: number, basis: number) => void;

function eachHolder(schedule: Schedule, t: number, found: Found): void {
  const { writeStart, writeKey } = schedule.versions;
  for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
    const other = schedule.holder[writeKey[write]];
    if (other >= 0) found(schedule.commitOf(other), Why.Lock, write, other);
  }
}

function eachReaderLeft({ versions, current, unread, position, shift }: Schedule, t: number, found: Found): void {
  const { writeStart, writeKey, readerStart, reader } = versions;
  for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
    const version = current[writeKey[write]];
    let left = Math.min(unread[version], SOME);
    for (let slot = readerStart[version]; slot < readerStart[version + 1] && left > 0; slot++) {
      if (position[reader[slot] << shift] >= 0) continue;
      left--;
      if (reader[slot] !== t) found(reader[slot] << shift, Why.Overwrite, write, version);
    }
  }
}

/** Readers of a version that are looked at. */
const SOME = 4;
