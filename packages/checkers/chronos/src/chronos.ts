import { API_VERSION, type CheckerVerdict, type RunContext, defineChecker, internalViolations } from '@isolab/contract';
import { OpKind } from '@isolab/history';
import { ONLINE_OPTIONS, type OnlineOptions, online } from './aion.ts';
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
export interface ChronosOptions extends OnlineOptions {
  readonly arrival: 'all at once' | 'online';
}

export const chronos = defineChecker<ChronosOptions>({
  info: {
    name: 'chronos',
    title: 'Chronos',
    version: '0.1.0',
    apiVersion: API_VERSION,
    paper: {
      title: 'Online Timestamp-based Transactional Isolation Checking of Database Systems',
      authors: 'Hexu Li, Hengfeng Wei, Hongrong Ouyang, Yuxing Chen, Na Yang, Ruohao Zhang, Anqun Pan',
      venue: 'ICDE',
      year: 2025,
    },
    levels: ['snapshot-isolation', 'serializable'],
    sound: false, // what contradicts the timestamps may have an explanation by others
    complete: true,
    takesForFacts: 'timestamps',
    requires: ['registers-and-lists', 'timestamps'],
    options: {
      arrival: {
        default: 'all at once',
        choices: ['all at once', 'online'],
        help: 'Replay the whole history, or let its transactions arrive one by one as in Aion',
      },
      ...ONLINE_OPTIONS,
    },
    variants: {
      aion: { help: 'Aion: take transactions as they arrive', options: { arrival: 'online' } },
      'aion-no-gc': { help: 'Aion that never collects garbage', options: { arrival: 'online', mostInMemory: 0 } },
      'aion-delayed': {
        help: 'Aion, with transactions delayed as in figures 13 and 14',
        options: { arrival: 'online', delay: 100, deviation: 10 },
      },
    },
  },
  check(input, level, options, context) {
    const internal = internalViolations(input, level, context);
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    const stated = statedBy(input);
    if (typeof stated === 'string') return { status: 'unknown', reason: 'unsupported', detail: stated };
    const isSerial = level === 'serializable';
    const isOnline = options.arrival === 'online';
    if (isOnline && stated.history.opKind.includes(OpKind.Append))
      return {
        status: 'unknown',
        reason: 'unsupported',
        detail: 'Aion takes reads and writes of registers, found lists.',
      };
    const violations = new Violations(stated.history, isSerial ? 'commit' : 'start', context.findAll);
    const verdict = isOnline
      ? online(stated, !isSerial, options, violations, context)
      : isSerial
        ? serially(stated, violations, context)
        : bySnapshots(stated, violations, context);
    const anomalies = [...internal, ...violations.found];
    return anomalies.length > 0 && verdict.status !== 'unknown' ? { status: 'violated', anomalies } : verdict;
  },
});

function bySnapshots(stated: Stated, violations: Violations, context: RunContext): CheckerVerdict {
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

function serially(stated: Stated, violations: Violations, context: RunContext): CheckerVerdict {
  context.stage('sort');
  const commits = commitsInOrder(stated);
  const why = whyNoOrder(stated, commits, false);
  if (why !== null) return { status: 'unknown', reason: 'unsupported', detail: why };
  context.stage('check');
  checkSerial(stated, commits, violations, (count) => context.tick(count));
  return { status: 'satisfied', ...(context.certify && { certificate: certificateOfCommits(commits) }) };
}
