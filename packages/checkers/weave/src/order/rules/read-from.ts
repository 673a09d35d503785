import type { Edge } from '@isolab/contract';
import { CURRENT, KEY_STATE } from '../state/database.ts';
import { NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/** A reader begins after the commit of the transaction from which it reads. `data` is the read. */
export class ReadFrom extends Rule {
  readonly holdsUp = 'begin';

  blocker(_event: number, t: number): number {
    const { keys, versions } = this.database;
    const { readStart, readKey, readVersion, writer } = versions;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      // A version with readers left is current from the commit of its writer on.
      const version = readVersion[read];
      if (keys[KEY_STATE * readKey[read] + CURRENT] === version) continue;
      this.data = read;
      return this.database.commitOf(writer[version]);
    }
    return NOTHING;
  }

  override eachBlocker(_event: number, t: number, visit: Visit): void {
    const { readStart, readVersion, writer } = this.database.versions;
    for (let read = readStart[t]; read < readStart[t + 1]; read++)
      if (readVersion[read] < writer.length) visit(this.database.commitOf(writer[readVersion[read]]), read, -1);
  }

  edges({ data }: Wait, from: number, to: number, _order: Edge | null, tell: EdgeTeller): readonly Edge[] {
    return [tell.readFrom(from, to, tell.versions.readVersion[data])];
  }
}
