import type { LevelName } from '@isolab/contract';
import { type History, OpKind, atomOf, printAtom } from '@isolab/history';
import { type AlarmEvidence, readWithoutStrayOutcomes } from './alarm.ts';
import { Lines } from '../stream/lines.ts';

/** A value that an alarm assumed to be written only once. */
interface Premise {
  readonly level: LevelName;
  readonly key: string;
  readonly value: string;
  /** The latest line when the alarm was raised. */
  readonly last: number;
  readonly at: number;
}

/** A line wrote a value again that an alarm at the level assumed to be written only once. */
export interface Contest {
  readonly level: LevelName;
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/**
 * The premises of alarms: no value that they read is written a second time before the horizon has passed them. A second
 * writer might have written the value that was read.
 */
export class Contests {
  #premises: Premise[] = [];
  readonly #lines = new Lines();

  get isEmpty(): boolean {
    return this.#premises.length === 0;
  }

  expect(level: LevelName, { opKind, opKey, opValue, keys, values }: History, last: number, at: number): void {
    const seen = new Set<string>();
    for (let op = 0; op < opKind.length; op++) {
      if (opKind[op] !== OpKind.Read) continue; // elements of lists do not repeat
      const premise = { key: printAtom(atomOf(keys, opKey[op]!)), value: printAtom(atomOf(values, opValue[op]!)) };
      const name = `${premise.key} ${premise.value}`;
      if (!seen.has(name)) this.#premises.push({ level, ...premise, last, at });
      seen.add(name);
    }
  }

  add(bytes: Uint8Array, from: number, to: number, number: number, now: number): void {
    if (!this.isEmpty) this.#lines.add(bytes, from, to, number, now);
  }

  /**
   * Finds contests in the lines that were added. `isPast` returns whether the horizon has passed a line that arrived at
   * the given time.
   */
  judge(evidence: Omit<AlarmEvidence, 'log'>, isPast: (line: number, came: number) => boolean): Contest[] {
    if (this.isEmpty) return [];
    const found = this.#lines.count === 0 ? [] : this.#find(evidence);
    this.#lines.clear();
    const contested = new Set(found.map(({ level }) => level));
    this.#premises = this.#premises.filter(({ level, last, at }) => !contested.has(level) && !isPast(last, at));
    return found;
  }

  #find(evidence: Omit<AlarmEvidence, 'log'>): Contest[] {
    const { history, lines } = readWithoutStrayOutcomes(this.#lines, evidence);
    const { txnStart, txnPosition, opKind, opKey, opValue, keys, values } = history;
    const found = new Map<LevelName, Contest>();
    for (let t = 0; t + 1 < txnStart.length; t++)
      for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) {
        if (opKind[op] !== OpKind.Write) continue;
        const [key, value] = [printAtom(atomOf(keys, opKey[op]!)), printAtom(atomOf(values, opValue[op]!))];
        for (const { level, ...premise } of this.#premises)
          if (premise.key === key && premise.value === value && !found.has(level))
            found.set(level, { level, key, value, line: lines.number[txnPosition[t]! - 2]! });
      }
    return [...found.values()];
  }

  save(): SavedPremises {
    return this.#premises;
  }

  restore(saved: SavedPremises, now: number): void {
    this.#premises = saved.map((premise) => ({ ...premise, at: now }));
  }
}

export type SavedPremises = readonly Premise[];
