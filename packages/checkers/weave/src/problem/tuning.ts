/**
 * Every threshold of the search for an order, with its unit and its origin. Thresholds decide how long a verdict takes,
 * never which verdict it is. Tests draw extreme ones, so that small histories reach every path.
 */
export interface Tuning {
  /** Conflicts after which a replay gives up to look for facts first; an eighth of the transactions is added to them. */
  readonly patience: number;
  /** Patience where values repeat often enough that there is much to choose. */
  readonly patienceWithChoices: number;
  /** Conflicts after which a replay with facts gives up to anneal the guess, with an eighth of the transactions, too. */
  readonly patienceWithFacts: number;
  /** Patience of a replay that follows the first annealed guess; those that took longer get as many times more. */
  readonly patienceAnnealed: number;
  /** The share of reads that may miss after an annealing for another one to be worth a try. */
  readonly mayMiss: number;
  /** Number of times that the guess is annealed: twice as long each time. */
  readonly anneals: number;
  /** Moves tried in the first annealing: a number for each access, and a minimum. */
  readonly movesPerAccess: number;
  readonly fewestMoves: number;
  /** Links between accesses that a move may follow, on average; beyond, annealing gives up. */
  readonly linksPerMove: number;
  /** The first and the last temperature: at T, a move that adds n misses is made once in e^(n/T). */
  readonly annealFrom: number;
  readonly annealTo: number;
  /** Number of times that the temperature falls in between, and period of equalizing the room of transactions. */
  readonly coolings: number;
  readonly spreadEvery: number;
  /** Transactions of a session that one move may take along. */
  readonly mostDragged: number;
  /** Conflicts after which each conflict is examined for the cycle with the fewest choices. */
  readonly learnMoreAfter: number;
  /** Choices in a cycle above which another one is looked for. */
  readonly fewChoices: number;
  /** Events that are visited to find it. */
  readonly eventsSearched: number;
  /** Rounds of saturation; each round assumes the facts of the last one. */
  readonly saturationRounds: number;
  /** Rounds in which versions are dropped that reads cannot have seen. */
  readonly narrowingRounds: number;
  /** Number of chains above which predecessors of a transaction are kept as bits, not as a vector. */
  readonly vectorChains: number;
  /** Numbers in all vectors: a gigabyte of them. */
  readonly vectorNumbers: number;
  /** Words of bits, a quarter of a gigabyte; pairs beyond their reach are left out. */
  readonly bandWords: number;
  /** Writers of one key that are examined for facts. */
  readonly writersLookedAt: number;
  /** Number of times that sessions are cut where they do not hold, before all of them are. */
  readonly cuts: number;
  /** The first cut: on either side the number of transactions in the history after this many halvings. */
  readonly firstCut: number;
  /** The later cuts, which are combined with facts: two halvings fewer each time. */
  readonly narrowestCut: number;
  /** Transactions near a contradiction, in halvings; and transactions farther away. */
  readonly near: number;
  readonly farther: number;
  /** Transactions of a history that is looked through as a whole for its smallest cycle. */
  readonly smallHistory: number;
  /** Transactions among which a smallest cycle is looked for. */
  readonly smallestAmong: number;
  /** Edges, with those that reasons are made of, of a certificate worth reporting. */
  readonly largestCycle: number;
  /** Largest proof where orders of writers are nested as reasons in one another, and how deep they may be. */
  readonly largestNested: number;
  readonly deepestNested: number;
  /** The share of reads from later transactions up to which the database's own timestamps are a guide. */
  readonly mayBeBackward: number;
  /** Orders that a weak level tries before all edges of its axiom are put down at once. */
  readonly weakRounds: number;
  /** Writers between a read and its source, for each operation, above which it puts them down at once. */
  readonly weakPatience: number;
  /** Numbers in the vectors of causally visible transactions: a gigabyte of them; above, no vectors are kept. */
  readonly weakVectorNumbers: number;
  /** Transactions of a component from which its shortest cycle is looked for. */
  readonly rootsTried: number;
  /**
   * Choices of writers of ambiguous reads that a weak level tries before it asks for an order at prefix consistency.
   */
  readonly weakAttempts: number;
  /** Steps that this may take, for each operation; and the number of operations that a small history counts as. */
  readonly prefixSteps: number;
  readonly prefixOperations: number;
  /** Number of times that an attempt is searched for cycles, among transactions that are on none so far. */
  readonly cyclePasses: number;
  /** Transactions that it could not place above which it is searched once: another attempt takes less time. */
  readonly manyUnplaced: number;
  /**
   * Without times, scans read all passed-over rows if these are at most this multiple of operations and returned rows.
   */
  readonly fewPassedOver: number;
  /**
   * Where placing one by one came farthest: these numbers of last events, and of transactions of each session behind
   * them, are examined by themselves, if that is at most this share of the operations, and takes no more steps.
   */
  readonly stuckAfter: number;
  readonly stuckBefore: number;
  readonly stuckShare: number;
  readonly stuckSteps: number;
  /** Certificates number reads of all rows that scans passed over, unless those are more. */
  readonly mostPassedOver: number;
  /** Most passed-over rows for which a weak level is certified: the certificate names the seen writer of each. */
  readonly mostSources: number;
}

/** Set by `bench weave`, on histories of up to a million transactions (reports/weave.md). */
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
