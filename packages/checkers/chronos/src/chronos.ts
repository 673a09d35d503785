import { API_VERSION, type RunContext, type Verdict, defineChecker, internalViolations } from '@isolab/contract';
import { nameTransaction } from '@isolab/history';
import { PAPER } from './paper.ts';
import { checkSerial } from './serial.ts';
import { checkSnapshots } from './snapshot.ts';
import {
  type Stated,
  certificateOfCommits,
  certificateOfEvents,
  commitsInOrder,
  eventsInOrder,
  sameCommit,
  statedBy,
  writes,
  writesAtOnce,
} from './stated.ts';
import { Violations } from './violations.ts';

/** Chronos: replays a history in the order of the timestamps that the database states. */
export const chronos = defineChecker<object>({
  info: {
    name: 'chronos',
    title: 'Chronos',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: PAPER,
    levels: ['snapshot-isolation', 'serializable'],
    sound: false, // what contradicts the timestamps may have an explanation by others
    complete: true,
    requires: [['registers', 'list-append'], 'timestamps'],
    options: {},
    variants: {},
  },
  check(input, level, _, context) {
    const internal = internalViolations(input, level, context);
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    const stated = statedBy(input);
    if (typeof stated === 'string') return { status: 'unknown', reason: 'unsupported', detail: stated };
    const isSerial = level === 'serializable';
    const violations = new Violations(stated.history, isSerial ? 'commit' : 'start', context.findAll);
    const verdict = isSerial ? serially(stated, violations, context) : bySnapshots(stated, violations, context);
    const anomalies = [...internal, ...violations.found];
    return anomalies.length > 0 ? { status: 'violated', anomalies } : verdict;
  },
});

function bySnapshots(stated: Stated, violations: Violations, context: RunContext): Verdict {
  context.stage('sort');
  for (const t of stated.committed) if (stated.startTs[t] > stated.commitTs[t]) violations.order(t);
  if (violations.found.length > 0) return { status: 'violated', anomalies: violations.found };
  const same = sameCommit(commitsInOrder(stated), stated, writesAtOnce(stated));
  if (same !== null) return withoutOrder(stated, same);
  const events = eventsInOrder(stated);
  context.stage('check');
  checkSnapshots(stated, events, violations, (count) => context.tick(count));
  if (!context.certify) return { status: 'satisfied' };
  return { status: 'satisfied', certificate: certificateOfEvents(events) };
}

function serially(stated: Stated, violations: Violations, context: RunContext): Verdict {
  context.stage('sort');
  const commits = commitsInOrder(stated);
  const same = sameCommit(commits, stated, writes(stated));
  if (same !== null) return withoutOrder(stated, same);
  context.stage('check');
  checkSerial(stated, commits, violations, (count) => context.tick(count));
  if (!context.certify) return { status: 'satisfied' };
  return { status: 'satisfied', certificate: certificateOfCommits(commits) };
}

function withoutOrder({ history, commitTs }: Stated, same: readonly [number, number]): Verdict {
  const [a, b] = same.map((t) => nameTransaction(history, t));
  const detail = `${a} and ${b} have the same commit timestamp, ${commitTs[same[0]]}, which gives no order of them.`;
  return { status: 'unknown', reason: 'unsupported', detail };
}
