/**
 * Every threshold of weave. A threshold decides when something is tried or given up; it affects the time to a verdict
 * and the size of a certificate, never which verdict is right. The tests draw their tunings from this table, and the
 * table in weave's README is made from it.
 */

/** Where a value comes from. */
export const ORIGINS = {
  bench: '[`bench weave`](../../../reports/weave.md)',
  memory: 'bound of the memory',
  reader: 'size that a person reads',
  time: 'bound of the time',
  guess: 'estimate',
  limit: 'bound of the verifier',
};

export type Threshold = readonly [
  value: number,
  least: number,
  most: number,
  /** Values so extreme that small histories meet them. */
  drawn: readonly number[],
  unit: string,
  origin: keyof typeof ORIGINS,
  decides: string,
  tooLow: string,
  tooHigh: string,
];

const MAX = Infinity;

// oxfmt-ignore
export const THRESHOLDS = {
  // A replay, and the facts that it may use
  patience: [64, 0, MAX, [0, 1], 'conflicts', 'bench', 'a replay gives up to look for facts', 'facts are found that no conflict needs', 'conflicts repeat that facts would exclude'],
  patienceWithChoices: [128, 0, MAX, [0, 1], 'conflicts', 'bench', 'the same where values repeat often', 'as with `patience`', 'as with `patience`'],
  patienceWithFacts: [2 ** 14, 0, MAX, [0, 1], 'conflicts', 'bench', 'a replay with facts gives up to anneal', 'a guess is annealed that is good enough', 'conflicts repeat that a better guess would avoid'],
  patienceAnnealed: [4096, 0, MAX, [0, 1], 'conflicts', 'bench', 'a replay of the first annealed guess gives up; later ones in proportion to their moves', 'an annealing is repeated in vain', 'conflicts repeat that a better guess would avoid'],
  patienceChoosing: [1024, 0, MAX, [0, 1], 'conflicts', 'bench', '`patienceWithFacts` where values repeat often', 'as there', 'as there'],
  patienceShare: [1 / 8, 0, 1, [0], 'conflicts per transaction', 'guess', 'added to `patience` and `patienceWithFacts`', 'long histories give up too early', 'long histories give up too late'],
  manyChoices: [0.5, 0, MAX, [0], 'choices per transaction', 'guess', 'values repeat often', 'a real-time order is tried in vain', 'a real-time order is missed'],
  learnMoreAfter: [2048, 0, MAX, [0, 1, 3], 'conflicts', 'bench', 'each conflict is examined for the cycle with the fewest choices', 'easy conflicts cost a search', 'hard histories learn long clauses'],
  fewChoices: [3, 0, MAX, [0, 1], 'choices in a cycle', 'bench', 'a cycle with more choices is replaced', 'searches find no better cycle', 'long clauses are learned'],
  eventsSearched: [4096, 1, MAX, [1, 2, 5], 'events', 'bench', 'the search for another cycle gives up', 'long clauses are learned', 'a conflict costs milliseconds'],
  readersVisited: [4, 1, MAX, [], 'readers of a version', 'guess', 'that search visits no further readers', 'a cycle with fewer choices is missed', 'popular versions slow every conflict'],
  saturationRounds: [3, 0, MAX, [0, 1], 'rounds', 'bench', 'saturation stops; each round assumes the facts of the last', 'facts are missing', 'a round finds hardly any fact'],
  narrowingRounds: [12, 0, MAX, [0, 1, 2], 'rounds', 'bench', 'no more impossible versions of reads are dropped', 'reads keep impossible versions', 'a round drops hardly any version'],
  vectorChains: [256, 0, MAX, [0, 2], 'chains', 'bench', 'predecessors are kept as bits, not as a vector', 'facts beyond the band are lost', 'vectors fill the memory'],
  vectorNumbers: [2 ** 28, 0, 2 ** 31, [0, 16], 'numbers in all vectors', 'memory', 'predecessors are kept as bits: a gigabyte', 'facts beyond the band are lost', 'the process runs out of memory'],
  bandWords: [2 ** 26, 0, 2 ** 31, [0, 8], 'words of bits', 'memory', 'pairs beyond the band are left out: a quarter of a gigabyte', 'facts are missing', 'the process runs out of memory'],
  writersLookedAt: [256, 1, MAX, [1, 2], 'writers of a key', 'bench', 'further writers are not examined for facts', 'facts are missing', 'hot keys cost quadratic time'],
  near: [5, 0, 31, [0, 1, 2], 'halvings of the history', 'bench', 'the width of the first neighbourhood of a contradiction that is searched', 'the neighbourhood covers nearly the whole history', 'the neighbourhood has no contradiction'],
  farther: [3, 0, 31, [0, 1], 'halvings of the history', 'bench', 'the width of the second neighbourhood', 'as with `near`', 'as with `near`'],
  mostLinks: [0.5, 0, 1, [0], 'share of the transactions', 'guess', 'a larger neighbourhood shrinks to that of the last cycle', 'a contradiction nearby is found late', 'the neighbourhood covers nearly the whole history'],
  mayBeBackward: [0.1, 0, 1, [0, 1], 'share of the reads', 'guess', 'timestamps of the database are no guide: reads from later transactions', 'a useful claim is ignored', 'a wrong claim costs conflicts'],
  // Annealing
  mayMiss: [0.02, 0, 1, [0, 1], 'share of the reads', 'bench', 'another annealing is not tried: misses left', 'an annealing is left out that would help', 'an annealing is tried in vain'],
  mayLeave: [0.95, 0, 1, [0, 1], 'share of the misses before', 'bench', 'another annealing is not tried where values repeat: misses left', 'an annealing is left out that would help', 'an annealing is tried in vain'],
  anneals: [6, 0, MAX, [0, 1], 'annealings', 'bench', 'the guess stays; each annealing is twice as long as the one before', 'conflicts repeat that a better guess would avoid', 'annealings are tried in vain'],
  movesPerAccess: [16, 0, MAX, [0], 'moves per access', 'bench', 'the first annealing ends', 'misses are left', 'time passes without improvement'],
  fewestMoves: [2 ** 18, 0, MAX, [0, 10, 1000], 'moves', 'bench', 'the least length of the first annealing', 'misses are left', 'small histories take tenths of a second'],
  linksPerMove: [64, 0, MAX, [0, 1], 'links per move', 'bench', 'annealing gives up where moves cover long distances', 'annealing gives up early', 'hot keys cost seconds'],
  annealFrom: [1.5, 0, MAX, [0.5, 10], 'misses', 'bench', 'the first temperature T: n more misses are accepted with probability e^(−n/T)', 'annealing stays in a local minimum', 'the first steps undo the guess'],
  annealAgainFrom: [0.9, 0, MAX, [0.5, 10], 'misses', 'bench', 'the first temperature where few misses are left, by `mayMiss`', 'as with `annealFrom`', 'an annealing undoes the one before'],
  annealTo: [0.3, 0, MAX, [0.01], 'misses', 'bench', 'the last temperature', 'the last steps change nothing', 'misses are left'],
  coolings: [64, 1, MAX, [1, 3], 'steps', 'bench', 'the number of temperatures', 'the temperature jumps', 'the accesses are spread too often'],
  spreadEvery: [8, 1, MAX, [1], 'steps', 'bench', 'transactions are spaced evenly again', 'time is lost', 'places lose precision'],
  mostDragged: [10, 0, MAX, [0, 1], 'transactions', 'bench', 'a move takes along no more of a session', 'misses across sessions are left', 'moves add more misses than they remove'],
  fewWriters: [8, 0, MAX, [0], 'writers of a value', 'bench', 'a move considers only writers near the read', 'a writer far away is missed', 'moves examine many writers in vain'],
  nearWriters: [24, 1, MAX, [1], 'accesses of the key', 'bench', 'a writer before or after the read is not near', 'misses are left', 'moves cover long distances in vain'],
  dragShare: [0.05, 0, 1, [1], 'cumulative share of the moves', 'guess', 'moves that drag a session along', 'misses across sessions are left', 'as with `mostDragged`'],
  readerShare: [0.25, 0, 1, [0, 1], 'cumulative share of the moves', 'guess', 'and moves of the reader that misses', 'misses are left', 'the other moves are missing'],
  writerShare: [0.5, 0, 1, [0, 1], 'cumulative share of the moves', 'guess', 'and moves of a writer of the right value', 'misses are left', 'the other moves are missing'],
  overwriterShare: [0.8, 0, 1, [0, 1], 'cumulative share of the moves', 'guess', 'and moves of the writer in between; the rest moves any transaction', 'misses are left', 'annealing stays in a local minimum'],
  // One by one in real time
  timesPatience: [64, 0, MAX, [0, 1], 'steps back per conflict of `patience`', 'guess', 'placing scans one by one gives up', 'the whole replay of scans is needed', 'steps back repeat in vain'],
  sessionsLookedAt: [100_000, 0, MAX, [10], 'sessions examined', 'time', 'placing one by one gives up', 'an order in real time is missed', 'a hard history costs seconds'],
  sessionsLookedAtEach: [500, 0, MAX, [0], 'sessions examined per transaction', 'time', 'added to `sessionsLookedAt`', 'an order in real time is missed', 'a hard history costs seconds'],
  // Weak levels
  weakRounds: [6, 0, MAX, [0, 1], 'orders', 'bench', 'all edges of the axiom are added together', 'edges are added that no order contradicts', 'orders are tried in vain'],
  weakPatience: [64, 0, MAX, [0], 'writers between a read and its source, per operation', 'bench', 'all edges are added together', 'as with `weakRounds`', 'hot keys cost quadratic time'],
  weakVectorNumbers: [2 ** 28, 0, 2 ** 31, [0], 'numbers in all vectors', 'memory', 'all edges of causal consistency are added together: a gigabyte', 'edges are added that no order contradicts', 'the process runs out of memory'],
  rootsTried: [32, 1, MAX, [1], 'transactions of a component', 'bench', 'no further starting points for its shortest cycle are tried', 'cycles are longer than needed', 'large components cost seconds'],
  prefixSteps: [200, 0, MAX, [0, 1], 'steps per operation', 'bench', 'that search gives up', 'an order is missed', 'seconds pass in vain'],
  prefixOperations: [1000, 0, MAX, [0], 'operations', 'bench', 'the least number of operations counted there', 'an order is missed', 'small histories take seconds'],
  cyclePasses: [16, 1, MAX, [1], 'passes', 'bench', 'an attempt is searched for no further cycles', 'few cycles are learned', 'a pass finds hardly any cycle'],
  manyUnplaced: [2000, 0, MAX, [0], 'unplaced transactions', 'bench', 'an attempt is searched only once', 'few cycles are learned', 'passes cost seconds'],
  // Scans
  fewPassedOver: [0.5, 0, MAX, [0, 0, 0], 'rows per operation and returned row', 'bench', 'without times, scans do not read all passed-over rows at first', 'rounds add the rows one by one', 'the history grows in vain'],
  neighbours: [16, 0, MAX, [0, 1], 'events', 'guess', 'scans around an overlooked row read nearby rows', 'rounds add the rows one by one', 'the history grows in vain'],
  rowsNearby: [1 / 32, 0, 1, [0, 1], 'share of the rows', 'guess', 'nearby rows, as the share written on either side on average', 'as with `neighbours`', 'as with `neighbours`'],
  nearestRows: [16, 0, MAX, [0, 1], 'events', 'guess', 'the least distance of nearby rows', 'as with `neighbours`', 'as with `neighbours`'],
  farthestRows: [128, 0, MAX, [1, 2], 'events', 'guess', 'the greatest distance of nearby rows', 'as with `neighbours`', 'as with `neighbours`'],
  fewRows: [64, 0, MAX, [], 'rows', 'guess', 'an index finds the rows of a scan', 'the index costs more than the rows', 'all rows are examined'],
  mostPassedOver: [1_000_000, 0, MAX, [0], 'passed-over rows', 'memory', 'certificates number only the rows that they use', 'certificates name rows of their own', 'certificates need a gigabyte to verify'],
  mostSources: [4_000_000, 0, MAX, [], 'passed-over rows', 'memory', 'a weak level is satisfied without a certificate', 'certificates are missing', 'certificates fill the memory'],
  // Aggregates
  nearestPlaces: [16, 1, MAX, [1, 3], 'events', 'bench', 'the distance from an order within which its events are placed again, so that it explains aggregates; each time eight times as far', 'placing is repeated in vain', 'steps back repeat in vain'],
  farthestPlaces: [1024, 0, MAX, [0, 3], 'events', 'bench', 'the order is placed again for the last time', 'verdicts are unknown', 'seconds pass in vain'],
  mostSums: [10_000, 1, MAX, [1, 3], 'sums', 'memory', 'a sum counts as possible', 'cases are not refuted by their totals', 'sums fill the memory'],
  mostRowReads: [100_000, 0, MAX, [], 'operations', 'memory', 'cases of rows are not tried', 'verdicts are unknown', 'minutes pass in vain'],
  mostCases: [4096, 0, MAX, [], 'cases', 'time', 'the level is unknown', 'verdicts are unknown', 'minutes pass in vain'],
  caseOperations: [20_000_000, 0, MAX, [], 'operations in all cases', 'time', 'the level is unknown', 'verdicts are unknown', 'minutes pass in vain'],
  deepestCase: [500, 0, 500, [], 'rows with simultaneous assumptions', 'limit', 'the level is unknown', 'verdicts are unknown', 'the verifier refuses the certificate'],
  // Certificates
  shortHistory: [500, 0, MAX, [0], 'operations', 'reader', 'cases are refuted by cycles that a person can read', 'proofs are long', 'every case costs a search for a small cycle'],
  smallHistory: [32, 0, MAX, [0, 3], 'transactions', 'reader', 'the smallest cycle of the whole history is not looked for', 'cycles are longer than needed', 'a violation costs seconds'],
  smallestAmong: [64, 0, MAX, [0, 2, 3], 'transactions', 'reader', 'the same among the transactions of a contradiction', 'cycles are longer than needed', 'a violation costs seconds'],
  largestCycle: [1000, 1, MAX, [1, 4], 'edges', 'reader', 'a proof is stated in clauses, not as a cycle', 'clauses hide a readable cycle', 'cycles are unreadable'],
  mostContradictions: [100, 1, MAX, [1, 2], 'contradictions', 'reader', '`--find-all` stops', 'contradictions are missing', 'lists are unreadable'],
  timesLonger: [20, 0, MAX, [0], 'multiples of the first search', 'time', '`--find-all` stops', 'contradictions are missing', 'minutes pass'],
  leastSteps: [20_000_000, 0, MAX, [], 'steps', 'time', '`--find-all` goes on until then: about 20 seconds', 'contradictions are missing', 'small histories take minutes'],
} satisfies Readonly<Record<string, Threshold>>;

export type Tuning = Readonly<Record<keyof typeof THRESHOLDS, number>>;

export const TUNING = Object.fromEntries(
  Object.entries(THRESHOLDS).map(([name, [value]]) => [name, value]),
) as unknown as Tuning;
