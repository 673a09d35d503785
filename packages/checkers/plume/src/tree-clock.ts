/**
 * The trees of tree clocks (Mathur et al., ASPLOS 2022; section 4.3 of Plume): one tree per transaction, over sessions,
 * with the transaction's own session as root. A child c of p with `pclk` means: transaction clk(c) of session c reaches
 * transaction pclk of session p, so a node that knows the latter knows the former. Children are in descending order of
 * pclk.
 * The tree of node v occupies the slots v · S to v · S + S − 1, slot v · S + s for session s; its clk is the plain
 * vector.
 */
export class TreeClocks {
  readonly #clk: Int32Array; // the vectors
  readonly #session: Int32Array; // by node: the root of its tree
  readonly #numSessions: number;
  readonly #pclk: Int32Array;
  readonly #firstChild: Uint16Array;
  readonly #nextSibling: Uint16Array;
  readonly #before: Uint16Array; // the elder sibling, or the parent of an eldest child

  // Temporary columns of joins
  readonly #updated: Int32Array; // sessions, in a join
  readonly #updatedUnder: Int32Array; // and their parents in the source

  /** Entries that joins examined. */
  examined = 0;

  constructor(clk: Int32Array, session: Int32Array, numSessions: number) {
    this.#clk = clk;
    this.#session = session;
    this.#numSessions = numSessions;
    this.#pclk = new Int32Array(clk.length);
    this.#firstChild = new Uint16Array(clk.length);
    this.#nextSibling = new Uint16Array(clk.length);
    this.#before = new Uint16Array(clk.length);
    this.#updated = new Int32Array(numSessions);
    this.#updatedUnder = new Int32Array(numSessions);
  }

  /** Gives `node`, the first node of its session, a tree with only the root. */
  plantTree(node: number): void {
    const start = node * this.#numSessions;
    this.#firstChild.fill(NONE, start, start + this.#numSessions);
    this.#nextSibling.fill(NONE, start, start + this.#numSessions);
  }

  /** Gives `node` the tree of the previous transaction of its session; the vector is already copied. */
  copyTree(from: number, node: number): void {
    const size = this.#numSessions;
    const start = from * size;
    this.#pclk.copyWithin(node * size, start, start + size);
    this.#firstChild.copyWithin(node * size, start, start + size);
    this.#nextSibling.copyWithin(node * size, start, start + size);
    this.#before.copyWithin(node * size, start, start + size);
  }

  /** Joins the tree of `source`, which `target` does not know yet, into the tree of `target`, including the vector. */
  join(target: number, source: number): void {
    const clk = this.#clk;
    const pclk = this.#pclk;
    const dst = target * this.#numSessions;
    const count = this.#findUpdated(dst, source);

    // In reverse: each new eldest child has a larger pclk than the one before it. The new children all have a larger
    // pclk than the remaining children, since the target did not know them.
    const src = source * this.#numSessions;
    const root = this.#session[target];
    for (let i = count - 1; i >= 0; i--) {
      const s = this.#updated[i];
      if (clk[dst + s] > 0) this.#detach(dst, s);
      clk[dst + s] = clk[src + s];
      if (i > 0) {
        pclk[dst + s] = pclk[src + s];
        this.#attach(dst, s, this.#updatedUnder[i]);
      } else {
        pclk[dst + s] = clk[dst + root];
        this.#attach(dst, s, root);
      }
    }
    this.examined += count;
  }

  /** Fills #updated with the sessions in which the source knows more than the target, parents before children. */
  #findUpdated(dst: number, source: number): number {
    const clk = this.#clk;
    const pclk = this.#pclk;
    const firstChild = this.#firstChild;
    const nextSibling = this.#nextSibling;
    const updated = this.#updated;
    const under = this.#updatedUnder;
    const src = source * this.#numSessions;
    updated[0] = this.#session[source];
    let count = 1;
    for (let next = 0; next < count; next++) {
      const parent = updated[next];
      const known = clk[dst + parent];
      for (let s = firstChild[src + parent]; s !== NONE; s = nextSibling[src + s]) {
        if (pclk[src + s] <= known) break; // this child and all younger children are known through the parent
        this.examined++;
        if (clk[src + s] <= clk[dst + s]) continue;
        updated[count] = s;
        under[count++] = parent;
      }
    }
    return count;
  }

  #detach(base: number, s: number): void {
    const younger = this.#nextSibling[base + s];
    const before = this.#before[base + s];
    // If `before` is the parent, `s` is its first child; an elder sibling has other children.
    if (this.#firstChild[base + before] === s) this.#firstChild[base + before] = younger;
    else this.#nextSibling[base + before] = younger;
    if (younger !== NONE) this.#before[base + younger] = before;
  }

  #attach(base: number, s: number, parent: number): void {
    const eldest = this.#firstChild[base + parent];
    this.#nextSibling[base + s] = eldest;
    if (eldest !== NONE) this.#before[base + eldest] = s;
    this.#firstChild[base + parent] = s;
    this.#before[base + s] = parent;
  }
}

const NONE = 0xffff;

/** Most sessions that a tree clock can distinguish. */
export const MAX_TREE_SESSIONS = NONE;
