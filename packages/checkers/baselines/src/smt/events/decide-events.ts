import type { CheckerReason, RunContext, UnknownVerdict } from '@isolab/contract';
import { Text } from '../../text.ts';
import { type Limits, solve } from '../z3/solve.ts';
import { type Events, encodeAsi, encodeGsi, eventName } from './encodings.ts';
import { type PairOrder, countSettled, likelyRanks, nothingSettled, settledByRank } from './pairs.ts';

/** The encodings through events, which decide snapshot isolation; with `-opt`, after heuristic pruning. */
export const EVENT_ENCODINGS = ['gsi-z3', 'gsi-z3-opt', 'asi-z3', 'asi-z3-opt'] as const;
export type EventEncoding = (typeof EVENT_ENCODINGS)[number];

export type EventsAnswer =
  /** Begins (2t) and commits (2t + 1), in order. */
  | { readonly status: 'satisfiable'; readonly events: number[] }
  | { readonly status: 'unsatisfiable' }
  | UnknownVerdict<CheckerReason>;

export async function decideEvents(
  events: Events,
  encoding: EventEncoding,
  limits: Limits,
  context: RunContext,
): Promise<EventsAnswer> {
  const encode = encoding.startsWith('gsi') ? encodeGsi : encodeAsi;
  const attempt = (order: PairOrder): Promise<EventsAnswer> => solveWith(events, encode, order, limits, context);
  if (encoding.endsWith('-opt')) {
    context.stage('prune');
    const rank = likelyRanks(events.history, events.versions, events.sessions);
    // Without ranks there is a known cycle, which the solver may find.
    if (rank !== null) {
      const found = await inRounds(events, rank, attempt, context);
      if (found !== null) return found;
    }
  }
  return attempt(nothingSettled);
}

/** Solves in rounds with ever weaker assumptions (k doubles); null if no round has a solution. */
async function inRounds(
  { versions, txns }: Events,
  rank: Int32Array,
  attempt: (order: PairOrder) => Promise<EventsAnswer>,
  context: RunContext,
): Promise<EventsAnswer | null> {
  for (let k = Math.ceil(FIRST_K * 2 * txns.length); k > 0 && k < 2 * txns.length; k *= 2) {
    context.stage('prune');
    context.tick(versions.reader.length + versions.numWritten);
    const order = settledByRank(versions, rank, k);
    const settled = countSettled(versions, order);
    if (settled === 0) return null;
    context.count('rounds', 1);
    context.count('settled pairs', settled);
    const answer = await attempt(order);
    if (answer.status !== 'unsatisfiable') return answer;
  }
  return null;
}

/** The initial distance of heuristic pruning, as a share of the events. */
const FIRST_K = 0.1;

async function solveWith(
  events: Events,
  encode: typeof encodeGsi,
  order: PairOrder,
  limits: Limits,
  context: RunContext,
): Promise<EventsAnswer> {
  context.stage('encode');
  const text = new Text((steps) => context.tick(steps));
  encode(text, events, order);
  context.count('commands', text.numLines);
  const inText = Array.from(events.txns).flatMap((t) => [2 * t, 2 * t + 1]);
  const answer = await solve({ text: text.toString(), wanted: inText.map(eventName) }, limits, context);
  if (answer.status !== 'satisfiable') return answer;
  const place = new Map(inText.map((event, i) => [event, answer.values[i]!]));
  return { status: 'satisfiable', events: inText.toSorted((x, y) => place.get(x)! - place.get(y)!) };
}
