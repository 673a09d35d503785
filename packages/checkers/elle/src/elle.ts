import {
  API_VERSION,
  type AnomalyName,
  type Checker,
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  type SatisfiedCertificate,
  defineChecker,
  internalViolations,
} from '@isolab/contract';
import { transactionOf } from '@isolab/history';
import { Certifier } from './certificates.ts';
import { anomaliesImplying, inElle } from './consistency-models.ts';
import { coverageOf, findVersions } from './coverage.ts';
import { findCycles, relationsOf } from './cycles.ts';
import { commitsOf, dependencyOrder, eventOrder, eventsOf, respectsRealTime, serialOrder } from './decide.ts';
import { type DependencyGraph, Relation, dependencyGraph } from './graph.ts';
import { type LevelRule, RULES } from './levels.ts';
import { type LostUpdate, findLostUpdates } from './lost-updates.ts';
import { type Model, buildModel } from './model.ts';
import { type ElleOptions, OPTIONS, VARIANTS } from './options.ts';
import type { Cycle } from './search.ts';
import type { InferredVersions } from './versions.ts';

/** Elle (Kingsbury and Alvaro, VLDB 2020): version orders from reads, dependencies, and cycles as anomalies. */
export const elle: Checker<ElleOptions> = defineChecker<ElleOptions>({
  info: {
    name: 'elle',
    title: 'Elle',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Elle: Inferring Isolation Anomalies from Experimental Observations',
      authors: 'Kyle Kingsbury, Peter Alvaro',
      venue: 'VLDB',
      year: 2020,
    },
    levels: Object.keys(RULES) as LevelName[],
    sound: true,
    // A satisfied verdict is certain, but registers may hide their version orders.
    complete: false,
    requires: ['unique-values', 'no-unknown', ['registers', 'list-append']],
    options: OPTIONS,
    variants: VARIANTS,
  },
  check,
});

function check(input: IndexedHistory, level: LevelName, options: ElleOptions, context: RunContext): CheckerVerdict {
  const rule = RULES[level];
  if (!rule) return unsupported(`Elle does not check ${level}.`);
  const wanted = options.anomalies.split(',').flatMap((name) => name.trim() || []);
  const asked = wanted.length === 0 ? null : anomaliesImplying(wanted);
  if (wanted.length > 0 && asked === null)
    return unsupported(`Found an unknown anomaly among ${wanted.join(', ')}, expected Elle’s names.`);

  context.stage('construct');
  context.tick(input.history.opKind.length);
  const isForgiving = options.unwritten === 'ignored';
  const ignore = isForgiving ? (['thin-air-read'] as const) : [];
  const found: FoundAnomaly[] = internalViolations(input, level, { findAll: context.findAll, ignore });
  if (found.length > 0 && !context.findAll && asked === null) return { status: 'violated', anomalies: found };
  const model = buildModel(input.history, input.index);
  if (options.model !== 'auto' && options.model !== model.kind)
    return unsupported(`The history is of the model ${model.kind}, not ${options.model}.`);
  const versions = findVersions(model, options);
  context.tick(versions.key.length);
  countCoverage(model, versions, context);

  const all = context.findAll || asked !== null;
  const run = new Run(model, versions, rule, context, all);
  for (const search of [run.listAnomalies, run.lostUpdates, run.cycles]) {
    if (found.length === 0 || all) found.push(...search.call(run));
  }
  const anomalies = asked === null ? found : found.filter((anomaly) => isAsked(anomaly, asked));
  if (anomalies.length > 0)
    return { status: 'violated', anomalies: context.findAll ? anomalies : anomalies.slice(0, 1) };
  if (found.length > 0) return incomplete(`The history has anomalies other than ${wanted.join(', ')}.`);

  context.stage('certify');
  const certificate = run.order();
  if (certificate === null)
    return incomplete(
      'The reads leave the version orders open, and no order of transactions that settles them was found.',
    );
  if (!context.certify) return { status: 'satisfied' };
  const mayBeViolated = isForgiving && input.internal.counts['thin-air-read'] > 0;
  return mayBeViolated ? { status: 'satisfied', uncertified: 'as-published' } : { status: 'satisfied', certificate };
}

const unsupported = (detail: string): CheckerVerdict => ({ status: 'unknown', reason: 'unsupported', detail });
const incomplete = (detail: string): CheckerVerdict => ({ status: 'unknown', reason: 'incomplete', detail });

const isAsked = ({ name, pattern }: FoundAnomaly, asked: ReadonlySet<string>): boolean =>
  inElle(pattern ?? name).some((one) => asked.has(one));

function countCoverage(model: Model, versions: InferredVersions, context: RunContext): void {
  for (const [name, amount] of Object.entries(coverageOf(model, versions))) context.count(name, amount);
}

class Run {
  readonly #model: Model;
  readonly #versions: InferredVersions;
  readonly #rule: LevelRule;
  readonly #context: RunContext;
  readonly #findAll: boolean;
  readonly #certifier: Certifier;
  #graph: DependencyGraph | null = null;

  constructor(model: Model, versions: InferredVersions, rule: LevelRule, context: RunContext, findAll: boolean) {
    this.#model = model;
    this.#versions = versions;
    this.#rule = rule;
    this.#context = context;
    this.#findAll = findAll;
    this.#certifier = new Certifier(model, versions, rule);
  }

  /** Finds lists that no order of the appends explains, and appends to aborted versions. */
  listAnomalies(): FoundAnomaly[] {
    const { history } = this.#model;
    const { conflicts, dirtyUpdates } = this.#versions.lists;
    return [
      ...conflicts.map((certificate) => {
        const { anomaly, read, other } = certificate;
        const transactions = [...new Set([transactionOf(history, other), transactionOf(history, read)])];
        return { name: anomaly, pattern: anomaly, transactions, ...(this.#context.certify && { certificate }) };
      }),
      ...dirtyUpdates.map(({ aborted, updated }) => ({
        name: 'G1a' as const,
        pattern: 'dirty-update',
        transactions: [aborted, updated],
      })),
    ];
  }

  lostUpdates(): FoundAnomaly[] {
    if (!this.#rule.lostUpdate) return [];
    this.#context.tick(this.#model.numNodes);
    return findLostUpdates(this.#model, this.#versions, this.#findAll).map((update) => this.#lostUpdate(update));
  }

  cycles(): FoundAnomaly[] {
    const { cycles: kind, process, realTime, holds } = this.#rule;
    this.#context.tick(this.#model.numNodes);
    this.#graph = dependencyGraph(this.#model, this.#versions, {
      antiDependencies: kind !== 'dependencies' || holds === 'any-order',
      process,
      realTime,
    });
    this.#context.count('edges', this.#graph.numEdges);
    this.#context.stage('traverse');
    const tick = (steps: number): void => this.#context.tick(steps);
    return findCycles(this.#graph, this.#rule, { findAll: this.#findAll, tick }).map((cycle) => this.#cycle(cycle));
  }

  #lostUpdate(update: LostUpdate): FoundAnomaly {
    const certificate = this.#context.certify ? this.#certifier.lostUpdate(update) : null;
    const transactions = update.nodes.map((node) => this.#model.txnOf[node]!);
    return { name: 'lost-update', pattern: 'lost-update', transactions, ...(certificate && { certificate }) };
  }

  #cycle({ name, edges }: Cycle): FoundAnomaly {
    const certificate = this.#context.certify ? this.#certifier.cycle(edges) : null;
    return {
      name: registered(name),
      pattern: name,
      transactions: edges.map(({ from }) => this.#model.txnOf[from]!),
      ...(certificate && { certificate }),
    };
  }

  /** An order that shows that the level holds, or null if none is found; requested only if there is no cycle. */
  order(): SatisfiedCertificate | null {
    const { holds } = this.#rule;
    const graph = this.#graph!;
    this.#context.tick(graph.numNodes + graph.numEdges);
    if (holds === 'dependency-order') return this.#commits(dependencyOrder(graph, relationsOf(this.#rule)));
    const relations = relationsOf(this.#rule) | Relation.RW;
    const serial = serialOrder(this.#model, this.#versions, graph, relations);
    if (holds === 'serial-order') return this.#commits(serial);
    const events = serial === null ? eventOrder(this.#model, this.#versions, graph, relations) : eventsOf(serial);
    if (events === null || (this.#rule.realTime && !respectsRealTime(this.#model, events))) return null;
    if (this.#rule.certificate === 'commit-order') return this.#commits(commitsOf(events));
    return {
      kind: 'event-order',
      events: Array.from(events, (event) => 2 * this.#model.txnOf[event >> 1]! + (event & 1)),
    };
  }

  #commits(order: Int32Array | null): SatisfiedCertificate | null {
    return order && { kind: 'commit-order', order: Array.from(order, (node) => this.#model.txnOf[node]!) };
  }
}

/**
 * The registry's name of a cycle: without -item except for G2, and with sessions in cycles without anti-dependencies.
 */
const registered = (name: string): AnomalyName =>
  name.replace(/^(G0|G1c)-process$/, '$1').replace(/^(G-.*)-item(?=$|-)/, '$1') as AnomalyName;
