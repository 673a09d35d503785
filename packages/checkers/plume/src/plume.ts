import {
  API_VERSION,
  type Checker,
  type CheckerVerdict,
  type IndexedHistory,
  type LevelName,
  type RunContext,
  checkCutIsolation,
  defineChecker,
} from '@isolab/contract';
import type { CommitLevel } from './commit-order.ts';
import { build } from './iso-check.ts';
import { buildModel } from './model.ts';
import { OPTIONS, type PlumeOptions, VARIANTS } from './options.ts';
import { graphPatterns, internalPatterns } from './violations.ts';

/**
 * Plume: weak isolation levels through transactional anomalous patterns (Liu et al., OOPSLA 2024). A history satisfies
 * a level exactly when it shows none of the patterns that the level prohibits (Table 2); Algorithm 1 finds them.
 */
export const plume: Checker<PlumeOptions> = defineChecker<PlumeOptions>({
  info: {
    name: 'plume',
    title: 'Plume',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Plume: Efficient and Complete Black-Box Checking of Weak Isolation Levels',
      authors: 'Si Liu, Long Gu, Hengfeng Wei, David Basin',
      venue: 'OOPSLA',
      year: 2024,
    },
    levels: ['cut-isolation', 'read-committed', 'read-atomic', 'causal'],
    sound: true,
    complete: true,
    requires: ['unique-values', 'no-unknown', 'registers-and-lists'],
    options: OPTIONS,
    variants: VARIANTS,
  },
  check,
});

function check(input: IndexedHistory, level: LevelName, options: PlumeOptions, context: RunContext): CheckerVerdict {
  context.stage('construct');
  context.tick(input.history.txnStatus.length);
  if (level === 'cut-isolation') {
    const all = internalPatterns(input, level, { certify: context.certify, findAll: true });
    return checkCutIsolation(input, all, context.findAll);
  }
  const internal = internalPatterns(input, level, context);
  if (!isCommitLevel(level))
    return { status: 'unknown', reason: 'unsupported', detail: `Plume does not check ${level}.` };

  const model = buildModel(input.history, input.index, (steps) => context.tick(steps));
  const built = build(model, input.index, level, options, context);
  const { coIsCyclic, cm, commit, versions, order } = built;
  const isSuspect = coIsCyclic || cm !== null || commit.staleInitial || versions.conflicts.length > 0;
  const patterns = isSuspect ? graphPatterns(model, built, level, options, context) : [];
  if (internal.length + patterns.length > 0) return { status: 'violated', anomalies: [...internal, ...patterns] };
  // A history that the published tool accepts need not satisfy the level.
  if (!context.certify) return { status: 'satisfied' };
  if (order === null || options.asPublished) return { status: 'satisfied', uncertified: 'as-published' };

  context.stage('certify');
  return {
    status: 'satisfied',
    certificate: { kind: 'commit-order', order: Array.from(order, (node) => model.txnOf[node]) },
  };
}

const isCommitLevel = (level: LevelName): level is CommitLevel =>
  level === 'read-committed' || level === 'read-atomic' || level === 'causal';
