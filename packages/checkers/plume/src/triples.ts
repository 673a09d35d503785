import { lowerBound } from '@isolab/graph';
import { isEarlierStatement } from '@isolab/history';
import { INITIAL } from '@isolab/graph/relations';
import type { Reachability } from './clocks.ts';
import { type CommitLevel, firstReached } from './commit-order.ts';
import { type Model, groupOf } from './model.ts';
import { type Pattern, type Triple, triplePatterns } from './patterns.ts';
import { Reader } from './reader.ts';

export interface TripleOptions {
  readonly level: CommitLevel;
  readonly asPublished: boolean;
  /** Whether to find every instance of every pattern, not just the first of each. */
  readonly findAll: boolean;
  /** Number of instances of a pattern to keep. */
  readonly limit: number;
  readonly tick: (steps: number) => void;
}

export interface FoundTriples {
  readonly triples: readonly Triple[];
  /** Number of instances beyond the limit. */
  readonly leftOut: number;
}

/**
 * CheckCOTAP and CheckCMTAP (Algorithm 1, lines 10 and 31): the patterns h, i, k, l, m and n.
 * Patterns h, k and m require t₁ CO t₂, and i, l and n require t₁ CM t₂; a triple is reported once, under the first
 * matching pattern of h, k, m, i, l, n. In a session, the writers t₂ of a key that are visible to t₃ are a prefix and
 * those that t₁ precedes are a suffix, so the instances are found without examining other writers.
 */
export function findTriples(model: Model, co: Reachability, cm: Reachability, options: TripleOptions): FoundTriples {
  const search = new TripleSearch(model, co, cm, options);
  for (let t3 = 0; t3 < model.numNodes; t3++) search.visit(t3);
  return search.finish();
}

class TripleSearch {
  readonly #model: Model;
  readonly #co: Reachability;
  readonly #cm: Reachability;
  readonly #options: TripleOptions;
  readonly #reader: Reader;
  readonly #found = new Map<Pattern, Triple[]>();
  #leftOut = 0;

  constructor(model: Model, co: Reachability, cm: Reachability, options: TripleOptions) {
    this.#model = model;
    this.#co = co;
    this.#cm = cm;
    this.#options = options;
    this.#reader = new Reader(model);
    for (const pattern of triplePatterns(options.level)) this.#found.set(pattern, []);
  }

  visit(t3: number): void {
    const { reads } = this.#model;
    const { level } = this.#options;
    this.#options.tick(1);
    this.#reader.open(t3);
    this.#visitSources(t3);
    if (level === 'read-committed') return;
    for (let row = reads.start[t3]; row < reads.start[t3 + 1]; row++) {
      this.#visitSession(t3, row);
      if (level === 'causal') this.#visitOthers(t3, row);
    }
  }

  finish(): FoundTriples {
    return { triples: [...this.#found.values()].flat(), leftOut: this.#leftOut };
  }

  /** t₃ reads another key from t₂. */
  #visitSources(t3: number): void {
    const { history, reads } = this.#model;
    for (const t2 of this.#reader.sources) {
      for (const row of this.#reader.contested(t2)) {
        const read = this.#reader.readOfOtherKey(t2, reads.key[row]);
        if (read < 0 || !this.#published(row)) continue;
        // Algorithm 1 treats every t₂ of the same session as a fractured read (line 12), even for Table 1's pattern h.
        const inSession = this.#options.asPublished && this.#precedes(t2, t3);
        const before = isEarlierStatement(history, read, reads.last[row]) && !inSession;
        this.#report(t2, row, before ? 'TAP-h' : 'TAP-k', before ? 'TAP-i' : 'TAP-l');
      }
    }
  }

  /** t₂ SO t₃. */
  #visitSession(t3: number, row: number): void {
    const { reads, writers, session } = this.#model;
    if (this.#options.asPublished && reads.writer[row] === INITIAL) return; // a COConflict in the published tool
    const group = groupOf(writers, reads.key[row], session[t3]);
    if (group < 0) return;
    const first = writers.start[group];
    const end = lowerBound(writers.node, first, writers.start[group + 1], t3);
    this.#visitRange(row, first, end, 'TAP-k', 'TAP-l');
  }

  /** t₂ CO t₃, in neither of the two cases above. */
  #visitOthers(t3: number, row: number): void {
    const { reads, writers, session } = this.#model;
    const { node, start, groupStart, groupSession } = writers;
    const key = reads.key[row];
    const all = this.#options.asPublished && reads.writer[row] === INITIAL;
    for (let group = groupStart[key]; group < groupStart[key + 1]; group++) {
      const end = this.#co.lastReaching(t3, groupSession[group], node, start[group], start[group + 1]) + 1;
      let first = start[group];
      // Later transactions of the reader's session reach t₃ only if CO is cyclic.
      if (groupSession[group] === session[t3] && !all) first = lowerBound(node, first, start[group + 1], t3 + 1);
      this.#visitRange(row, first, end, 'TAP-m', 'TAP-n');
    }
  }

  /** Reports the writers in writers[first … end) that t₁ precedes, unless t₃ reads another key from them. */
  #visitRange(row: number, first: number, end: number, byCo: Pattern, byCm: Pattern): void {
    if (first >= end || !(this.#wants(byCo) || this.#wants(byCm))) return;
    const { reads, writers } = this.#model;
    const { node } = writers;
    const t1 = reads.writer[row];
    const fromCm = t1 < 0 ? first : firstReached(this.#cm, node, first, end, t1);
    if (fromCm === end) return;
    const fromCo = t1 < 0 ? first : firstReached(this.#co, node, fromCm, end, t1);
    this.#reportSome(row, fromCm, fromCo, byCm);
    this.#reportSome(row, fromCo, end, byCo);
  }

  #reportSome(row: number, from: number, to: number, pattern: Pattern): void {
    const { reads, writers } = this.#model;
    for (let i = from; i < to && this.#wants(pattern); i++) {
      const t2 = writers.node[i];
      if (t2 === reads.writer[row] || t2 === reads.reader[row]) continue;
      if (this.#reader.readOfOtherKey(t2, reads.key[row]) >= 0) continue; // #visitSources reports it
      this.#keep(t2, row, pattern);
    }
  }

  /** Returns whether the published tool examines this row: at RC it stops before the commit order. */
  #published(row: number): boolean {
    const { asPublished, level } = this.#options;
    return !asPublished || level !== 'read-committed' || this.#model.reads.writer[row] === INITIAL;
  }

  #precedes(t2: number, t3: number): boolean {
    return t2 < t3 && this.#model.session[t2] === this.#model.session[t3];
  }

  #report(t2: number, row: number, byCo: Pattern, byCm: Pattern): void {
    const t1 = this.#model.reads.writer[row];
    if (t1 === INITIAL || this.#co.reaches(t1, t2)) this.#keep(t2, row, byCo);
    else if (this.#cm.reaches(t1, t2)) this.#keep(t2, row, byCm);
  }

  /** Returns whether to report another instance of this pattern. */
  #wants(pattern: Pattern): boolean {
    const found = this.#found.get(pattern);
    return found !== undefined && (this.#options.findAll || found.length === 0);
  }

  #keep(t2: number, row: number, pattern: Pattern): void {
    if (!this.#wants(pattern)) return;
    const found = this.#found.get(pattern)!;
    if (found.length >= this.#options.limit) {
      this.#leftOut++;
      return;
    }
    const { reads } = this.#model;
    found.push({ pattern, t1: reads.writer[row], t2, t3: reads.reader[row], row });
  }
}
