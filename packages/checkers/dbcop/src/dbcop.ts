/**
 * dbcop (Biswas & Enea, On the Complexity of Checking Transactional Consistency, OOPSLA 2019), polynomial levels.
 *
 * Algorithm 1: start with the session order and the write-read relation; for every transaction t₃ that reads a key from
 * t₁, and every other writer t₂ of the key that is visible to t₃ as the level says, order t₂ before t₁; the level holds
 * if and only if no cycle comes about. With `decompose`, the biconnected components of the communication graph (section
 * 5) are checked one by one.
 */
import {
  API_VERSION,
  type CheckInput,
  type FoundAnomaly,
  type LevelName,
  type RunContext,
  type Verdict,
  defineChecker,
  internalViolations,
} from '@isolab/checker';
import { checkPart } from './check-part.ts';
import { decompose } from './decomposition/decompose.ts';
import { mergeOrders } from './decomposition/merge-orders.ts';
import { DependencyBuilder, happened } from './dependencies.ts';
import { LEVELS, type SaturationLevel } from './premises.ts';

export interface DbcopOptions {
  readonly asPublished: boolean;
  readonly decompose: boolean;
  readonly maxClosureBytes: number;
}

export const dbcop = defineChecker<DbcopOptions>({
  info: {
    name: 'dbcop',
    title: 'dbcop',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'On the Complexity of Checking Transactional Consistency',
      authors: 'Ranadeep Biswas, Constantin Enea',
      venue: 'OOPSLA',
      year: 2019,
    },
    levels: LEVELS,
    sound: true,
    complete: true,
    requires: ['unique-values', 'registers', 'no-unknown'],
    options: {
      asPublished: {
        default: false,
        help: 'Keep the blind spots of the published tool; what it accepts then has no certificate.',
      },
      decompose: {
        default: false,
        help: 'Check the biconnected components of the communication graph one by one.',
      },
      maxClosureBytes: {
        default: 2 ** 31,
        help: 'The most memory that the causal order may take (a sixteenth of a byte for every two transactions).',
      },
    },
    variants: {
      bic: { help: 'By biconnected components of the communication graph.', options: { decompose: true } },
      'as-published': {
        help: 'With the blind spots of the published tool: future reads; at read committed, all but single reads.',
        options: { asPublished: true },
      },
    },
  },
  check(input, level, options, context) {
    context.stage('construct');
    const ignore = options.asPublished ? (['future-read'] as const) : [];
    const internal = internalViolations(input, level, { findAll: context.findAll, ignore });
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    // The published tool looks at single reads only for read committed.
    if (options.asPublished && level.startsWith('read-committed'))
      return internal.length > 0 ? { status: 'violated', anomalies: internal } : { status: 'satisfied' };
    return checkParts(input, level, options, context, internal);
  },
});

function checkParts(
  input: CheckInput,
  level: LevelName,
  options: DbcopOptions,
  context: RunContext,
  internal: readonly FoundAnomaly[],
): Verdict {
  const all = happened(input);
  const parts = partsOf(input, all, options);
  context.count('parts', parts.length);
  // The published decomposition forgets the initial transaction with all that is read from it.
  const initialReads = !(options.decompose && options.asPublished);
  const partOptions = { ...options, level: level as SaturationLevel, initialReads };
  const builder = new DependencyBuilder(input);
  const anomalies = [...internal];
  const orders: Int32Array[] = [];
  for (const txns of parts) {
    context.stage('construct');
    const result = checkPart(builder.build(txns), partOptions, context);
    if (result.order) orders.push(result.order);
    else anomalies.push(...result.anomalies);
    if (anomalies.length > 0 && !context.findAll) break;
  }
  if (anomalies.length > 0) return { status: 'violated', anomalies };
  if (!context.certify || options.asPublished) return { status: 'satisfied' };
  context.stage('certify');
  const order = options.decompose ? mergeOrders(input.history, all, orders) : orders[0];
  return { status: 'satisfied', certificate: { kind: 'commit-order', order: Array.from(order) } };
}

function partsOf(input: CheckInput, all: Int32Array, options: DbcopOptions): Int32Array[] {
  if (!options.decompose) return [all];
  const parts = decompose(input);
  // The published graph has no vertex for a session that shares no key, and so never checks it.
  const checked = options.asPublished ? parts.filter(({ numSessions }) => numSessions > 1) : parts;
  return checked.map(({ txns }) => txns);
}
