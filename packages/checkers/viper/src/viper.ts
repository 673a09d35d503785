import {
  API_VERSION,
  type CheckerVerdict,
  type FoundAnomaly,
  type IndexedHistory,
  type RunContext,
  defineChecker,
  internalViolations,
  listViolations,
} from '@isolab/contract';
import { type InternalAnomalyName, type ListVersions, OpKind, findReversed, listVersions } from '@isolab/history';
import {
  type BeginCommitVersions,
  beginCommitPolygraph,
  listAppendVersions,
  registerVersions,
} from '@isolab/polygraph';
import { decide } from './decide.ts';
import { explainDivergence } from './explain.ts';
import { DEMANDS, type ViperLevel, addRealTimeEdges, addSessionEdges } from './levels.ts';
import { OPTIONS, VARIANTS, type ViperOptions } from './options.ts';

/** Viper (EuroSys 2023): snapshot isolation as a begin/commit polygraph that a solver has to make acyclic. */
export const viper = defineChecker<ViperOptions>({
  info: {
    name: 'viper',
    title: 'Viper',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Viper: A Fast Snapshot Isolation Checker',
      authors: 'Jian Zhang, Ye Ji, Shuai Mu, Cheng Tan',
      venue: 'EuroSys',
      year: 2023,
    },
    levels: Object.keys(DEMANDS) as ViperLevel[],
    sound: true,
    complete: true,
    requires: ['unique-values', 'no-unknown', ['registers', 'list-append']],
    options: OPTIONS,
    variants: VARIANTS,
  },
  check: (input, level, options, context) => check(input, level as ViperLevel, options, context),
});

function check(input: IndexedHistory, level: ViperLevel, options: ViperOptions, context: RunContext): CheckerVerdict {
  const { history } = input;
  context.stage('construct');
  context.tick(history.opKind.length);
  const isOfLists = history.opKind.some((kind) => kind === OpKind.Append || kind === OpKind.ListRead);
  const ignore = options.asPublished && !isOfLists ? UNSEEN_AS_PUBLISHED : [];
  const anomalies = internalViolations(input, level, { findAll: context.findAll, ignore });
  if (anomalies.length > 0) return { status: 'violated', anomalies };

  const { sessions, realTime } = DEMANDS[level];
  const reversed = realTime === 'none' ? -1 : findReversed(history);
  if (reversed >= 0) {
    const detail = `transaction ${reversed} returned before it was called`;
    return { status: 'unknown', reason: 'unsupported', detail };
  }
  const lists = isOfLists ? listVersions(history, input.index) : null;
  if (lists !== null && lists.conflicts.length > 0)
    return { status: 'violated', anomalies: listViolations(history, lists, context.findAll) };

  const versions = versionsOf(input, lists, options);
  if (versions.divergence !== null) return violated(input, [explainDivergence(versions, context.certify)]);
  const polygraph = beginCommitPolygraph(versions);
  if (sessions) addSessionEdges(history, polygraph);
  addRealTimeEdges(history, polygraph, realTime, BigInt(Math.ceil(options.drift)));
  const decision = decide({ input, polygraph, hasSessions: sessions, options, context });
  if (!decision.isSatisfied) return violated(input, decision.anomalies);

  // With a drift, or with misattributed reads, the result is not evidence for the level.
  if (input.internal.count > 0) return { status: 'satisfied', uncertified: 'as-published' };
  if (realTime !== 'none' && options.drift > 0) return { status: 'satisfied', uncertified: 'weaker' };
  if (!context.certify) return { status: 'satisfied' };
  context.stage('certify');
  return { status: 'satisfied', certificate: { kind: 'event-order', events: Array.from(decision.events) } };
}

/** With misattributed reads, the result is not evidence of a violation either. */
function violated({ internal }: IndexedHistory, anomalies: readonly FoundAnomaly[]): CheckerVerdict {
  if (internal.count === 0) return { status: 'violated', anomalies };
  const unproven = anomalies.map(({ name, transactions }) => ({ name, transactions }));
  return { status: 'violated', anomalies: unproven, uncertified: 'as-published' };
}

function versionsOf(
  { history, index }: IndexedHistory,
  lists: ListVersions | null,
  options: ViperOptions,
): BeginCommitVersions {
  if (lists !== null) return listAppendVersions(history, index, lists);
  return registerVersions(history, index, { combine: options.optimise, unexplainedIsInitial: options.asPublished });
}

const UNSEEN_AS_PUBLISHED: readonly InternalAnomalyName[] = ['thin-air-read', 'aborted-read', 'intermediate-read'];
