import type { Edge } from '@isolab/contract';
import { NOTHING, Rule, type Visit, type Wait, type EdgeTeller } from './rule.ts';

/** A reader begins after the commit of the transaction from which it reads. `data` is the read. */
export class ReadFrom extends Rule {
  readonly holdsUp = 'begin';

  blocker(_event: number, t: number): number {
    const { position, shift, versions } = this.database;
    const { readStart, readVersion, writer } = versions;
    const numWritten = writer.length;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const version = readVersion[read];
      if (version >= numWritten) continue;
      const commit = (writer[version] << shift) | shift;
      if (position[commit] >= 0) continue;
      this.data = read;
      return commit;
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
