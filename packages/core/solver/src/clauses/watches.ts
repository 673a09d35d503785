/**
 * For every literal, the clauses to examine when it becomes true, because they watch its negation. An entry has two
 * words: the clause and a blocker, which is another literal of the clause. While the blocker is true, the clause need
 * not be examined. For a clause of two literals, the blocker is the other literal, the entry contains ~clause, and the
 * clause itself is never read. All lists share one pool; a full list moves to the end of the pool.
 */
import { grown } from '@isolab/graph';
import { LITERALS, type Arena } from './arena.ts';
import type { Literal } from '../state/literals.ts';

export class Watches {
  pool: Int32Array = new Int32Array(1024);
  start: Int32Array = new Int32Array(0);
  size: Int32Array = new Int32Array(0); // in words
  #capacity: Int32Array = new Int32Array(0); // in words
  #end = 0; // length of the used part of the pool

  addVariable(variable: number): void {
    const literals = 2 * variable + 2;
    this.start = grown(this.start, literals);
    this.size = grown(this.size, literals);
    this.#capacity = grown(this.#capacity, literals);
  }

  push(literal: Literal, clause: number, blocker: Literal): void {
    const size = this.size[literal];
    if (size === this.#capacity[literal]) this.#move(literal, size);
    const at = this.start[literal] + size;
    this.pool[at] = clause;
    this.pool[at + 1] = blocker;
    this.size[literal] = size + 2;
  }

  #move(literal: Literal, size: number): void {
    const capacity = Math.max(4, 2 * size);
    this.pool = grown(this.pool, this.#end + capacity);
    this.pool.copyWithin(this.#end, this.start[literal], this.start[literal] + size);
    this.start[literal] = this.#end;
    this.#capacity[literal] = capacity;
    this.#end += capacity;
  }

  attach(arena: Arena, ref: number): void {
    const words = arena.words;
    const first = words[ref + LITERALS];
    const second = words[ref + LITERALS + 1];
    const entry = words[ref] === 2 ? ~ref : ref;
    this.push(first ^ 1, entry, second);
    this.push(second ^ 1, entry, first);
  }

  /** Updates references to the clauses that `Arena.compact` moved, and drops deleted clauses and unused slots. */
  relocate(old: Int32Array, isGone: (ref: number) => boolean): void {
    const { start, size, pool } = this;
    const capacity = this.#capacity;
    let words = 0;
    for (let p = 0; p < size.length; p++) words += size[p];
    const next = new Int32Array(words + (words >> 1) + 1024);
    let end = 0;
    for (let p = 0; p < size.length; p++) {
      const begin = end;
      for (let i = start[p], stop = start[p] + size[p]; i < stop; i += 2) {
        const entry = pool[i];
        const ref = entry < 0 ? ~entry : entry;
        if (isGone(ref)) continue;
        next[end] = entry < 0 ? ~old[ref] : old[ref];
        next[end + 1] = pool[i + 1];
        end += 2;
      }
      start[p] = begin;
      size[p] = end - begin;
      capacity[p] = end - begin;
    }
    this.pool = next;
    this.#end = end;
  }
}
