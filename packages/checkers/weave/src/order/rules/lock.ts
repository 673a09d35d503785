import type { Edge } from '@isolab/contract';
import { HOLDER, KEY_STATE } from '../state/database.ts';
import type { Literals } from '../state/literals.ts';
import { NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/**
 * Where writers of a key exclude each other, one writer begins after the other commits. `data` is the version to write,
 * `basis` the other transaction.
 */
export class Lock extends Rule {
  readonly holdsUp = 'begin';

  blocker(_event: number, t: number): number {
    const { keys, versions } = this.database;
    const { writeStart, writeKey } = versions;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const other = keys[KEY_STATE * writeKey[write] + HOLDER];
      if (other < 0) continue;
      this.data = write;
      this.basis = other;
      return this.database.commitOf(other);
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    const { keys, versions } = this.database;
    const { writeStart, writeKey } = versions;
    for (let write = writeStart[t]; write < writeStart[t + 1]; write++) {
      const other = keys[KEY_STATE * writeKey[write] + HOLDER];
      if (other >= 0) visit(this.database.commitOf(other), write, other);
    }
  }

  override stillWaits(basis: number): boolean {
    return this.database.isBegun(basis);
  }

  override restsOnOrder(): boolean {
    return true;
  }

  override order({ to, data, basis }: Wait, literals: Literals): number {
    return literals.ofOrder(basis, to, data);
  }

  edges({ data }: Wait, from: number, to: number, order: Edge | null, tell: EdgeTeller): readonly Edge[] {
    return order ? [order] : tell.between(from, to, tell.versions.writeKey[data]);
  }
}
