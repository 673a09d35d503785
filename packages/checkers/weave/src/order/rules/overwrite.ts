import type { Edge } from '@isolab/contract';
import { CURRENT, KEY_STATE, UNREAD } from '../state/database.ts';
import type { Literals } from '../state/literals.ts';
import { TUNING } from '../../problem/tuning.ts';
import { CERTAIN, NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/** A rule about the order of two writers. `data` is the version to write, `basis` the version that it overwrites. */
export abstract class Overwriting extends Rule {
  readonly holdsUp = 'commit';

  override stillWaits(basis: number): boolean {
    return this.database.isVersionCommitted(basis);
  }

  override restsOnOrder(basis: number): boolean {
    return basis < this.database.versions.writer.length;
  }

  override order({ to, data, basis }: Wait, literals: Literals): number {
    return this.restsOnOrder(basis) ? literals.ofOrder(this.database.versions.writer[basis], to, data) : CERTAIN;
  }
}

/** A version is overwritten only once all its readers have begun. */
export class Overwrite extends Overwriting {
  blocker(_event: number, t: number): number {
    const { shift, versions, keys } = this.database;
    const { writeStart, writeKey, updates } = versions;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const at = KEY_STATE * writeKey[write];
      const own = shift === 0 ? updates[write] : 0; // a transaction's own read does not hinder it
      if (keys[at + UNREAD] <= own) continue;
      this.data = write;
      this.basis = keys[at + CURRENT];
      return this.database.readerLeft(this.basis, t) << shift;
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    const { shift, versions, keys, position } = this.database;
    const { writeStart, writeKey, readerStart, reader } = versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      const at = KEY_STATE * writeKey[write];
      const version = keys[at + CURRENT];
      let left = Math.min(keys[at + UNREAD], TUNING.readersVisited);
      for (let slot = readerStart[version]; slot < readerStart[version + 1] && left > 0; slot++) {
        if (position[reader[slot] << shift] >= 0) continue;
        left--;
        if (reader[slot] !== t) visit(reader[slot] << shift, write, version);
      }
    }
  }

  edges({ data, basis }: Wait, from: number, to: number, order: Edge | null, tell: EdgeTeller): readonly Edge[] {
    return [tell.overwrites(from, to, tell.readOf(from, basis), data, basis, order)];
  }
}
