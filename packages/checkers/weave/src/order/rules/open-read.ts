import type { Edge } from '@isolab/contract';
import type { Literals } from '../state/literals.ts';
import { readOfClass } from '../../problem/several.ts';
import type { Database } from '../state/database.ts';
import { NOTHING_LEFT, type OpenReads, VISIBLE } from '../state/open-reads.ts';
import { Overwriting } from './overwrite.ts';
import { EXHAUSTED, type EdgeTeller, NOTHING, Rule, type Wait } from './rule.ts';

/** A read waits until one of its candidates is current. `data` is the read, `basis` the awaited version. */
export class OpenRead extends Rule {
  readonly holdsUp = 'begin';
  readonly #openReads: OpenReads;

  constructor(database: Database, openReads: OpenReads) {
    super(database);
    this.#openReads = openReads;
  }

  blocker(_event: number, t: number): number {
    const { readStart } = this.#openReads.several;
    for (let read = readStart[t], end = readStart[t + 1]; read < end; read++) {
      const version = this.#openReads.wanted(read);
      if (version === VISIBLE) continue;
      this.data = read;
      if (version === NOTHING_LEFT) return EXHAUSTED;
      this.basis = version;
      return this.database.commitOf(this.database.versions.writer[version]);
    }
    return NOTHING;
  }

  override stillWaits(): boolean {
    return false;
  }

  override assumedRead({ data, basis }: Wait, literals: Literals): number {
    return literals.ofRead(data, basis);
  }

  edges({ data }: Wait, from: number, to: number, _order: Edge | null, { versions }: EdgeTeller): readonly Edge[] {
    return [{ from, to, reason: { kind: 'assumed-read', read: versions.several!.readOp[data] } }];
  }
}

/** A version with an ambiguous value is overwritten only once its likely readers have begun. */
export class OpenReader extends Overwriting {
  readonly #openReads: OpenReads;

  constructor(database: Database, openReads: OpenReads) {
    super(database);
    this.#openReads = openReads;
  }

  blocker(_event: number, t: number): number {
    const { versions, shift } = this.database;
    const { writeStart, writeKey } = versions;
    for (let write = writeStart[t], end = writeStart[t + 1]; write < end; write++) {
      const version = this.database.currentOf(writeKey[write]);
      const read = this.#openReads.readerLeft(version, t);
      if (read < 0) continue;
      this.data = write;
      this.basis = version;
      return this.#openReads.several.reader[read] << shift;
    }
    return NOTHING;
  }

  override assumedRead({ from, basis }: Wait, literals: Literals): number {
    const { several } = this.#openReads;
    const read = readOfClass(several, from >> this.database.shift, several.classOf[basis]);
    return literals.ofRead(read, basis);
  }

  edges({ data, basis }: Wait, from: number, to: number, order: Edge | null, tell: EdgeTeller): readonly Edge[] {
    return [tell.overwrites(from, to, tell.choosingRead(from, basis), data, basis, order)];
  }
}
