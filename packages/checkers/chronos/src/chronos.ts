import { API_VERSION, type RunContext, type Verdict, defineChecker, internalViolations } from '@isolab/contract';
import { PAPER } from './paper.ts';
import { checkSerial } from './serial.ts';
import { checkSnapshots } from './snapshot.ts';
import {
  type Stated,
  certificateOfCommits,
  certificateOfEvents,
  commitsInOrder,
  eventsInOrder,
  statedBy,
  whyNoOrder,
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
  const why = whyNoOrder(stated, commitsInOrder(stated), true);
  if (why !== null) return { status: 'unknown', reason: 'unsupported', detail: why };
  const events = eventsInOrder(stated);
  context.stage('check');
  checkSnapshots(stated, events, violations, (count) => context.tick(count));
  return { status: 'satisfied', ...(context.certify && { certificate: certificateOfEvents(events) }) };
}

function serially(stated: Stated, violations: Violations, context: RunContext): Verdict {
  context.stage('sort');
  const commits = commitsInOrder(stated);
  const why = whyNoOrder(stated, commits, false);
  if (why !== null) return { status: 'unknown', reason: 'unsupported', detail: why };
  context.stage('check');
  checkSerial(stated, commits, violations, (count) => context.tick(count));
  return { status: 'satisfied', ...(context.certify && { certificate: certificateOfCommits(commits) }) };
}
