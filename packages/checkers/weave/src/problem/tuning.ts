/**
 * Every threshold of the search for an order, with its unit. Thresholds affect the time to a verdict, never the
 * verdict. Tests draw extreme values, so that small histories reach every path.
 */
export interface Tuning {
  /** Conflicts after which a replay gives up to look for facts, plus an eighth of the number of transactions. */
  readonly patience: number;
  /** Value of `patience` where values repeat often enough that there is much to choose. */
  readonly patienceWithChoices: number;
  /** Conflicts after which a replay with facts gives up to anneal, plus an eighth of the number of transactions. */
  readonly patienceWithFacts: number;
  /** Conflicts after which a replay with the first annealed guess gives up; in proportion after longer annealings. */
  readonly patienceAnnealed: number;
  /** Share of reads that may miss after an annealing if another annealing is to be tried. */
  readonly mayMiss: number;
  /** Number of annealings of the guess, each twice as long as the one before. */
  readonly anneals: number;
  /** Moves tried in the first annealing: a number for each access, and a minimum. */
  readonly movesPerAccess: number;
  readonly fewestMoves: number;
  /** Average number of links between accesses that a move may follow before annealing gives up. */
  readonly linksPerMove: number;
  /** First and last temperature. At temperature T, a move that adds n misses is made with probability e^(−n/T). */
  readonly annealFrom: number;
  readonly annealTo: number;
  /** Number of temperature steps, and number of steps after which the transactions are spaced evenly again. */
  readonly coolings: number;
  readonly spreadEvery: number;
  /** Greatest number of transactions of a session that one move may take along. */
  readonly mostDragged: number;
  /** Conflicts after which each conflict is examined for the cycle with the fewest choices. */
  readonly learnMoreAfter: number;
  /** Number of choices in a cycle above which another cycle is searched for. */
  readonly fewChoices: number;
  /** Greatest number of events visited in that search. */
  readonly eventsSearched: number;
  /** Rounds of saturation; each round assumes the facts of the last round. */
  readonly saturationRounds: number;
  /** Rounds in which versions that reads cannot have seen are dropped. */
  readonly narrowingRounds: number;
  /** Number of chains above which predecessors of a transaction are kept as bits, not as a vector. */
  readonly vectorChains: number;
  /** Greatest total size of all vectors, in numbers: a gigabyte. */
  readonly vectorNumbers: number;
  /** Words of bits: a quarter of a gigabyte. Pairs beyond their reach are left out. */
  readonly bandWords: number;
  /** Greatest number of writers of one key that are examined for facts. */
  readonly writersLookedAt: number;
  /** Number of times that sessions are cut where they are violated, before all of them are cut. */
  readonly cuts: number;
  /** Width of the first cut: on either side, the number of transactions in the history after this many halvings. */
  readonly firstCut: number;
  /** Width of the first cut that is combined with facts, in halvings; each later cut has two halvings fewer. */
  readonly narrowestCut: number;
  /** Widths of the two neighbourhoods of a contradiction that are searched, in halvings. */
  readonly near: number;
  readonly farther: number;
  /** Greatest number of transactions of a history that is searched as a whole for its smallest cycle. */
  readonly smallHistory: number;
  /** Greatest number of transactions among which a smallest cycle is searched for. */
  readonly smallestAmong: number;
  /** Greatest size of a reported certificate, in edges, including the edges of reasons. */
  readonly largestCycle: number;
  /** Greatest size and depth of a proof where orders of writers are nested as reasons in one another. */
  readonly largestNested: number;
  readonly deepestNested: number;
  /** Share of reads from later transactions up to which the database's own timestamps are a guide. */
  readonly mayBeBackward: number;
  /** Orders that a weak level tries before all edges of its axiom are added together. */
  readonly weakRounds: number;
  /** Number of writers between a read and its source, per operation, above which all edges are added together. */
  readonly weakPatience: number;
  /** Greatest size of the vectors of causally visible transactions, in numbers: a gigabyte. */
  readonly weakVectorNumbers: number;
  /** Number of transactions of a component that are tried as the start of its shortest cycle. */
  readonly rootsTried: number;
  /** Choices of writers that a weak level tries before it searches for an order at prefix consistency. */
  readonly weakAttempts: number;
  /** Steps that this search may take per operation, and the number of operations that it counts at least. */
  readonly prefixSteps: number;
  readonly prefixOperations: number;
  /** Number of times that an attempt is searched for cycles, among transactions on no cycle found so far. */
  readonly cyclePasses: number;
  /** Number of unplaced transactions above which an attempt is searched only once, to save time. */
  readonly manyUnplaced: number;
  /** Without times, scans read all passed-over rows up to this multiple of operations and returned rows. */
  readonly fewPassedOver: number;
  /**
   * Part of the history that is examined around the farthest point of placing one by one: the number of last placed
   * events, and of the next transactions of each session. Its share of the operations and the steps are limited.
   */
  readonly stuckAfter: number;
  readonly stuckBefore: number;
  readonly stuckShare: number;
  readonly stuckSteps: number;
  /** Greatest number of passed-over rows whose reads certificates number. */
  readonly mostPassedOver: number;
  /** Greatest number of passed-over rows for which a weak level is certified, with the seen writer of each. */
  readonly mostSources: number;
}

/** Values set with `bench weave`, on histories of up to a million transactions (reports/weave.md). */
export const TUNING: Tuning = {
  patience: 64,
  patienceWithChoices: 128,
  patienceWithFacts: 2 ** 14,
  patienceAnnealed: 4096,
  mayMiss: 0.02,
  anneals: 5,
  movesPerAccess: 16,
  fewestMoves: 2 ** 18,
  linksPerMove: 64,
  annealFrom: 1.5,
  annealTo: 0.3,
  coolings: 64,
  spreadEvery: 8,
  mostDragged: 10,
  learnMoreAfter: 2048,
  fewChoices: 3,
  eventsSearched: 4096,
  saturationRounds: 3,
  narrowingRounds: 12,
  vectorChains: 256,
  vectorNumbers: 2 ** 28,
  bandWords: 2 ** 26,
  writersLookedAt: 256,
  cuts: 6,
  firstCut: 8,
  narrowestCut: 16,
  near: 5,
  farther: 3,
  smallHistory: 32,
  smallestAmong: 64,
  largestCycle: 1000,
  largestNested: 2000,
  deepestNested: 60,
  mayBeBackward: 0.1,
  weakRounds: 6,
  weakPatience: 64,
  weakVectorNumbers: 2 ** 28,
  rootsTried: 32,
  weakAttempts: 8,
  prefixSteps: 200,
  prefixOperations: 1000,
  cyclePasses: 16,
  manyUnplaced: 2000,
  fewPassedOver: 0.5,
  stuckAfter: 512,
  stuckBefore: 32,
  stuckShare: 0.25,
  stuckSteps: 10_000_000,
  mostPassedOver: 1_000_000,
  mostSources: 4_000_000,
};
