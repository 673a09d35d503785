import { type Case, sessionsOf } from '../cases/case.ts';
import type { Sent } from './sessions.ts';
import { judge } from './judge.ts';

/** Result of a case at one isolation level. */
export interface Cell {
  readonly case: string;
  readonly outcome: CellOutcome;
  /** Cause of the prevention: an abort, a wait, or correct reads; null unless the anomaly was prevented. */
  readonly by: 'abort' | 'wait' | 'reads' | null;
  readonly why: readonly string[];
  readonly sent: readonly Sent[];
}

export type CellOutcome = 'possible' | 'prevented' | 'unknown';

/** Statements of a case that were played. */
export interface Played {
  readonly sent: readonly Sent[];
  /** Reason for an early end; null if the case was played to its end. */
  readonly givenUp: string | null;
}

/** Decides a case from its statements and their answers alone. */
export function decide({ name, steps, shown }: Case, { sent, givenUp }: Played): Cell {
  const cell = (outcome: CellOutcome, by: Cell['by'], why: readonly string[]): Cell => ({
    case: name,
    outcome,
    by,
    why,
    sent,
  });
  const open = unclear(sent);
  if (givenUp !== null || open.length > 0)
    return cell('unknown', null, [...(givenUp === null ? [] : [givenUp]), ...open]);

  const aborts = sent.flatMap((one, at) =>
    one.answer.kind === 'aborted' && !one.isCleanUp ? [`${placeOf(sent, at)} was refused: ${one.answer.why}`] : [],
  );
  const waits = sent.flatMap((one, at) => (one.waited && !one.isCleanUp ? [waitOf(sent, at)] : []));
  const slow = waits.flatMap(({ isSlow, text }) => (isSlow ? [text] : []));
  const waited = waits.flatMap(({ isSlow, text }) => (isSlow ? [] : [text]));
  if (aborts.length > 0)
    return slow.length > 0 ? cell('unknown', null, slow) : cell('prevented', 'abort', [...waited, ...aborts]);

  const ended = sessionsOf(steps).every((session) => hasEnded(sent, session));
  if (!ended) return cell('unknown', null, ['a transaction did not end']);
  const { holds, because } = judge(shown, sent);
  if (holds === null) return cell('unknown', null, because);
  if (holds) return cell('possible', null, [...because, ...endings(sent)]);
  if (slow.length > 0) return cell('unknown', null, slow);
  return waited.length > 0 ? cell('prevented', 'wait', [...waited, ...because]) : cell('prevented', 'reads', because);
}

const unclear = (sent: readonly Sent[]): readonly string[] =>
  sent.flatMap((one, at) => {
    if (one.isCleanUp) return []; // the transaction may already be undone
    if (one.answer.kind === 'failed') return [`${placeOf(sent, at)} failed: ${one.answer.why}`];
    return one.answer.kind === 'none' ? [`${placeOf(sent, at)} was not answered`] : [];
  });

const placeOf = (sent: readonly Sent[], at: number): string =>
  `statement ${at + 1} (${sent[at]!.session}), ${sent[at]!.sql},`;

const isEnd = ({ kind, answer }: Sent): boolean =>
  kind === 'commit' || kind === 'rollback' || answer.kind === 'aborted';

/**
 * Finds the transaction for which a statement waited. A statement that continued without the end of a transaction was
 * just slow, and the case did not overlap as intended.
 */
function waitOf(sent: readonly Sent[], at: number): { readonly isSlow: boolean; readonly text: string } {
  const one = sent[at]!;
  const until = one.answeredAfter!;
  const ends = sent.flatMap((other, i) => {
    const isMeanwhile = i < until && (other.answeredAfter === null || other.answeredAfter > at);
    return other.session !== one.session && !other.isCleanUp && isEnd(other) && isMeanwhile ? [i] : [];
  });
  const last = ends.at(-1);
  if (last !== undefined) {
    const end = sent[last]!;
    const what =
      end.answer.kind === 'aborted'
        ? `statement ${last + 1} had aborted ${end.session}`
        : `the ${end.sql} of ${end.session}, statement ${last + 1}`;
    return { isSlow: false, text: `${placeOf(sent, at)} waited until ${what}` };
  }
  if (one.answer.kind === 'aborted') return { isSlow: false, text: `${placeOf(sent, at)} waited until it was refused` };
  return {
    isSlow: true,
    text: `${placeOf(sent, at)} was slow although no other transaction ended meanwhile; try a longer --wait`,
  };
}

const hasEnded = (sent: readonly Sent[], session: string): boolean =>
  sent.some(
    (one) =>
      one.session === session && (one.kind === 'commit' || one.kind === 'rollback') && one.answer.kind === 'rows',
  );

const endings = (sent: readonly Sent[]): readonly string[] => {
  const committed = sent.filter(({ kind }) => kind === 'commit').map(({ session }) => session);
  return committed.length === 0 ? [] : [`${committed.toSorted().join(', ')} committed`];
};
