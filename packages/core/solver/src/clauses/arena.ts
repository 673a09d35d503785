/** All clauses, adjacent in one array, as in MiniSat. */
import { grown } from '@isolab/graph';
import type { Literal } from '../state/literals.ts';

// A clause is stored as [size, tag, literal, literal, …]; a reference is the index of its size. The first two literals
// are watched. A long clause has an additional last word: the index where a literal to watch was last found. The tag is
// 0 for a given clause, LBD · 8 + uses · 2 + 1 for a learned clause, and −1 for a deleted clause; `Propagator` keeps the
// step of a proof there.
export const TAG = 1;
export const LITERALS = 2;
const FIRST = 1; // so that 0 is never a reference
const DELETED = -1;
export const LONG = 32; // literals; longer clauses store an index
const FIRST_UNWATCHED = 2;
const lengthOf = (size: number): number => LITERALS + size + (size > LONG ? 1 : 0);
const MAX_USES = 3;

export class Arena {
  words: Int32Array = new Int32Array(1024);
  end = FIRST;
  wasted = 0; // words of deleted clauses

  /** Appends the first `size` literals as a clause; LBD 0 stands for a given clause. */
  add(literals: ArrayLike<Literal>, size: number, lbd: number): number {
    const ref = this.end;
    this.end += lengthOf(size);
    this.words = grown(this.words, this.end);
    const words = this.words;
    words[ref] = size;
    words[ref + TAG] = lbd === 0 ? 0 : (lbd << 3) | (1 << 1) | 1;
    for (let i = 0; i < size; i++) words[ref + LITERALS + i] = literals[i];
    if (size > LONG) words[ref + LITERALS + size] = FIRST_UNWATCHED;
    return ref;
  }

  delete(ref: number): void {
    this.wasted += lengthOf(this.words[ref]);
    this.words[ref + TAG] = DELETED;
  }

  isDeleted(ref: number): boolean {
    return this.words[ref + TAG] === DELETED;
  }

  /** Returns the number of decision levels in a learned clause when it was last examined (Audemard & Simon 2009). */
  lbd(ref: number): number {
    return this.words[ref + TAG] >> 3;
  }

  /** Returns the number of further reductions that a learned clause survives because it took part in a conflict. */
  uses(ref: number): number {
    return (this.words[ref + TAG] >> 1) & 3;
  }

  setTag(ref: number, lbd: number, uses: number): void {
    this.words[ref + TAG] = (lbd << 3) | (Math.min(uses, MAX_USES) << 1) | 1;
  }

  literals(ref: number): Literal[] {
    const { words } = this;
    const literals: Literal[] = [];
    for (let i = ref + LITERALS, end = i + words[ref]; i < end; i++) literals.push(words[i]);
    return literals;
  }

  /**
   * Compacts the arena and returns the old words, in which the size of each moved clause is replaced by its new
   * reference.
   */
  compact(): Int32Array {
    const old = this.words;
    const words = new Int32Array(old.length);
    let end = FIRST;
    for (let ref = FIRST; ref < this.end;) {
      const length = lengthOf(old[ref]);
      if (old[ref + TAG] !== DELETED) {
        for (let i = 0; i < length; i++) words[end + i] = old[ref + i];
        old[ref] = end;
        end += length;
      }
      ref += length;
    }
    this.words = words;
    this.end = end;
    this.wasted = 0;
    return old;
  }
}
