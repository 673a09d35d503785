import type { LevelName } from '@isolab/contract';
import type { ReadFromIndex, RegisterHistory } from '@isolab/history';
import type { Tuning } from '../../problem/tuning.ts';
import type { Sight } from '../rows/visible-scans.ts';
import { gatherFacts } from './edges/facts.ts';
import { type Visibility, canSee, visibilityOf } from './edges/visibility.ts';

/** Versions that a level makes visible to a scan, at each row that it passes over. */
export class ScansSight implements Sight {
  readonly #numbered: RegisterHistory;
  readonly #visibility: Visibility;
  #place = 0; // first operation of the scan

  constructor(numbered: RegisterHistory, visibility: Visibility) {
    this.#numbered = numbered;
    this.#visibility = visibility;
  }

  enter(t: number): void {
    this.#visibility.enter(t);
    this.#place = this.#numbered.history.txnStart[t]!;
  }

  beginScan(op: number): void {
    while (this.#numbered.opOf[this.#place]! < op) this.#place++;
  }

  isVisible(t: number): boolean {
    return this.#visibility.isVisible(t, this.#place);
  }
}

/** Returns null if the visible transactions cannot be listed. */
export function sightOf(
  numbered: RegisterHistory,
  index: ReadFromIndex,
  level: LevelName,
  tuning: Tuning,
): Sight | null {
  // Any earlier version is acceptable, and the initial version always exists.
  if (level === 'read-committed-pl2') return { enter() {}, beginScan() {}, isVisible: () => false };
  const facts = gatherFacts(numbered.history, index);
  return canSee(facts, level, tuning) ? new ScansSight(numbered, visibilityOf(facts, level)) : null;
}
