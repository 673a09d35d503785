import { API_VERSION, type CheckerVerdict, type RunContext, defineChecker, internalViolations } from '@isolab/contract';
import { OpKind } from '@isolab/history';
import { ONLINE_OPTIONS, type OnlineOptions, online, unsupported } from './aion.ts';
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

/** Chronos: replays a history in the order of the timestamps that the database reports. */
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
    sound: false, // a read that contradicts the timestamps may be explained by other timestamps
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
      aion: { help: 'Run Aion: take transactions as they arrive', options: { arrival: 'online' } },
      'aion-no-gc': { help: 'Run Aion without garbage collection', options: { arrival: 'online', mostInMemory: 0 } },
      'aion-delayed': {
        help: 'Run Aion with transactions delayed as in figures 13 and 14',
        options: { arrival: 'online', delay: 100, deviation: 10 },
      },
    },
  },
  check(input, level, options, context) {
    const internal = internalViolations(input, level, context);
    if (internal.length > 0 && !context.findAll) return { status: 'violated', anomalies: internal };
    const stated = statedBy(input);
    if (typeof stated === 'string') return unsupported(stated);
    const isSnapshot = level !== 'serializable';
    if (options.arrival === 'online' && stated.history.opKind.includes(OpKind.Append))
      return unsupported('Aion supports only reads and writes of registers, found lists.');
    const violations = new Violations(stated.history, isSnapshot ? 'start' : 'commit', context.findAll);
    const verdict = replay(stated, isSnapshot, options, violations, context);
    const anomalies = [...internal, ...violations.found];
    return anomalies.length > 0 && verdict.status !== 'unknown' ? { status: 'violated', anomalies } : verdict;
  },
});

function replay(
  stated: Stated,
  isSnapshot: boolean,
  options: ChronosOptions,
  violations: Violations,
  context: RunContext,
): CheckerVerdict {
  const isOnline = options.arrival === 'online';
  context.stage('sort');
  if (isSnapshot) for (const t of stated.committed) if (stated.startTs[t] > stated.commitTs[t]) violations.order(t);
  if (violations.found.length > 0) return { status: 'violated', anomalies: violations.found };
  const commits = commitsInOrder(stated);
  const why = whyNoOrder(stated, commits, isSnapshot);
  if (why !== null) return unsupported(why);
  const events = isSnapshot && !isOnline ? eventsInOrder(stated) : null;
  context.stage('check');
  const tick = (count: number): void => context.tick(count);
  if (events !== null) checkSnapshots(stated, events, violations, tick);
  else if (!isOnline) checkSerial(stated, commits, violations, tick);
  else {
    const undecided = online(stated, commits, isSnapshot, options, violations, context);
    if (undecided !== null) return undecided;
  }
  if (!context.certify) return { status: 'satisfied' };
  const certificate = isSnapshot ? certificateOfEvents(events ?? eventsInOrder(stated)) : certificateOfCommits(commits);
  return { status: 'satisfied', certificate };
}
