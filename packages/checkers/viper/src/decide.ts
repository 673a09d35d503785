import type { FoundAnomaly, IndexedHistory, RunContext } from '@isolab/contract';
import { type BeginCommitPolygraph, countConstraints } from '@isolab/polygraph';
import { ProofTrace, type Solver } from '@isolab/solver';
import { type Encoding, encode, solverOf } from './encoding.ts';
import { explainKnownCycles, explainProof } from './explain.ts';
import { type ChainPlaces, type Pruned, chainPlaces, prune, pruneNothing } from './heuristic-pruning.ts';
import { type LikelyOrder, likelyOrder } from './likely-order.ts';
import type { ViperOptions } from './options.ts';

export type Decision =
  /** Begins and commits, in an order that the polygraph admits. */
  | { readonly isSatisfied: true; readonly events: Int32Array }
  | { readonly isSatisfied: false; readonly anomalies: readonly FoundAnomaly[] };

/** A polygraph, and the options for deciding it. */
export interface Task {
  readonly input: IndexedHistory;
  readonly polygraph: BeginCommitPolygraph;
  readonly hasSessions: boolean;
  readonly options: ViperOptions;
  readonly context: RunContext;
}

/** Decides whether some choice of sides leaves the polygraph without a cycle (sections 3.2 and 3.5). */
export function decide(task: Task): Decision {
  const { polygraph, options, context } = task;
  const { pairs, published } = countConstraints(polygraph);
  context.tick(polygraph.edges.count);
  context.count('known edges', polygraph.edges.count);
  context.count('constraints', options.optimise ? pairs : published);

  context.stage('prune');
  const order = likelyOrder(task.input.history, polygraph, task.hasSessions);
  if (order === null) return { isSatisfied: false, anomalies: explainKnownCycles(polygraph, context) };
  if (pairs === 0) return { isSatisfied: true, events: eventsIn(polygraph, order.nodes) };
  return new Rounds(task, order).run();
}

class Rounds {
  readonly #task: Task;
  readonly #order: LikelyOrder;
  readonly #position: Int32Array;
  readonly #tick: (steps: number) => void;

  constructor(task: Task, order: LikelyOrder) {
    this.#task = task;
    this.#order = order;
    this.#position = new Int32Array(task.polygraph.numNodes);
    for (let i = 0; i < order.nodes.length; i++) this.#position[order.nodes[i]] = i;
    this.#tick = (steps) => task.context.tick(steps);
  }

  /** Runs rounds of heuristic pruning until one accepts. The last round does not prune, so its answer always counts. */
  run(): Decision {
    const { polygraph, options } = this.#task;
    const { numEvents } = this.#order;
    if (options.prune) {
      const places = chainPlaces(polygraph, this.#order);
      const step = Math.max(1, Math.ceil((numEvents * options.k) / 100));
      for (let k = step; k < numEvents; k = options.growth === 'doubling' ? 2 * k : k + step) {
        const pruned = this.#prune(places, k);
        if (pruned === null) continue;
        if (pruned.numSettled === 0) break;
        const found = this.#try(pruned);
        if (found !== null) return found;
      }
    }
    this.#task.context.stage('prune');
    return this.#decide(pruneNothing(polygraph, this.#tick));
  }

  #prune(places: ChainPlaces, k: number): Pruned | null {
    const { polygraph, context } = this.#task;
    context.stage('prune');
    context.count('rounds', 1);
    const pruned = prune(polygraph, places, k, this.#tick);
    if (pruned !== null) context.count('settled constraints', pruned.numSettled);
    return pruned;
  }

  /** Returns the order that a round with assumptions finds, or null. */
  #try(pruned: Pruned): Decision | null {
    const encoding = this.#encode(pruned);
    const solver = this.#load(encoding);
    this.#task.context.stage('solve');
    const verdict = solver.solve();
    this.#report(solver);
    return verdict === 'satisfiable' ? this.#accept(solver) : null;
  }

  #decide(pruned: Pruned): Decision {
    const encoding = this.#encode(pruned);
    const { solver, trace } = this.#solveInTurns(encoding);
    if (trace === null) return this.#accept(solver);
    const { context } = this.#task;
    context.stage('certify');
    return { isSatisfied: false, anomalies: [explainProof(encoding, trace.steps, context.certify)] };
  }

  /** Runs solvers with different seeds in turns of growing length until one has an answer (see section 7.3). */
  #solveInTurns(encoding: Encoding): { readonly solver: Solver; readonly trace: ProofTrace | null } {
    const { options, context } = this.#task;
    const solvers = Array.from({ length: Math.max(1, options.seeds) }, (_, seed) => {
      const trace = new ProofTrace();
      return { solver: this.#load(encoding, trace, seed), trace };
    });
    context.stage('solve');
    for (let maxConflicts = solvers.length > 1 ? FIRST_BUDGET : Infinity; ; maxConflicts *= 2) {
      for (const { solver, trace } of solvers) {
        const verdict = solver.solve([], maxConflicts);
        if (verdict === 'unknown') continue;
        this.#report(solver);
        return { solver, trace: verdict === 'unsatisfiable' ? trace : null };
      }
    }
  }

  #encode(pruned: Pruned): Encoding {
    const { polygraph, options, context } = this.#task;
    context.stage('encode');
    this.#tick(pruned.open.length + pruned.settled.length);
    const encoding = encode(polygraph, pruned, options.optimise);
    context.count('variables', encoding.meaning.length);
    context.count('edges', encoding.edges.count);
    return encoding;
  }

  #load(encoding: Encoding, trace?: ProofTrace, seed = 0): Solver {
    const options = { onTick: this.#tick, ...(trace && { trace }), ...(seed > 0 && { seed }) };
    return solverOf(encoding, this.#position, this.#order.nodes.length, options);
  }

  #report({ statistics }: Solver): void {
    const { context } = this.#task;
    context.count('decisions', statistics.decisions);
    context.count('conflicts', statistics.conflicts);
  }

  #accept(solver: Solver): Decision {
    const nodes = solver.order(0).map((place) => this.#order.nodes[place]);
    return { isSatisfied: true, events: eventsIn(this.#task.polygraph, nodes) };
  }
}

const eventsIn = ({ versions }: BeginCommitPolygraph, nodes: Int32Array): Int32Array =>
  nodes.filter((node) => node < 2 * versions.numTxns);

/** Number of conflicts in the first turn of each solver if there are several solvers. */
const FIRST_BUDGET = 100;
