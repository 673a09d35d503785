import { Aborted, ConnectionLost, type PlainSql } from '@isolab/collector';
import { type ConductOptions, Conductor, type Turn } from '../../schedule/conductor.ts';
import type { Row, CaseStep } from '../cases/case.ts';
import { plainRows } from '../cases/rows.ts';

/** Result of a statement. */
export type Answer =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  /** The database refused the statement and rolled the transaction back. */
  | { readonly kind: 'aborted'; readonly why: string }
  /** An error unrelated to other transactions, or a lost connection: the effect is unknown. */
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'none' };

export interface Sent extends CaseStep {
  readonly answer: Answer;
  /** Whether other statements were sent because the answer took too long. */
  readonly waited: boolean;
  /**
   * Number of statements sent before its answer: 7 if the seventh was the last of them; null if there was no answer.
   */
  readonly answeredAfter: number | null;
  /** A rollback that was sent because the database refused the statement before. */
  readonly isCleanUp?: true;
}

type SessionStep = CaseStep & Pick<Sent, 'isCleanUp'>;

/**
 * Creates a conductor for sessions. After a failed statement, the session skips its remaining statements and rolls
 * back.
 */
export function conductorOf(
  steps: readonly CaseStep[],
  sql: ReadonlyMap<string, PlainSql>,
  options: ConductOptions,
): Conductor<SessionStep, Answer> {
  const send = (turn: Turn<SessionStep, Answer>): void => {
    const { session, isCleanUp } = turn.step;
    void answerOf(sql.get(session)!, turn.step.sql).then((answer) => {
      if (conductor.isOver) return;
      conductor.answered(turn, answer);
      if (answer.kind === 'rows' || isCleanUp) return;
      conductor.leaveOut((step) => step.session === session);
      conductor.sendNow({ session, kind: 'rollback', sql: 'ROLLBACK', isCleanUp: true });
    });
  };
  const spelled = steps.map((step) => (step.kind === 'begin' ? { ...step, sql: sql.get(step.session)!.begin } : step));
  const conducted = {
    sessionOf: (step: SessionStep) => step.session,
    isEnd: ({ kind }: SessionStep) => kind === 'commit' || kind === 'rollback',
    send,
  };
  const conductor = new Conductor<SessionStep, Answer>(spelled, conducted, options);
  return conductor;
}

/** Returns the statements in sending order. */
export function sentBy({ turns }: Conductor<SessionStep, Answer>): readonly Sent[] {
  const sent = turns.filter((turn) => turn.sent !== null).toSorted((a, b) => a.sent! - b.sent!);
  return sent.map(({ step, answer = { kind: 'none' }, waited, answered }) => ({
    ...step,
    answer,
    waited,
    answeredAfter: answered === null ? null : sent.filter((other) => other.sent! < answered).length,
  }));
}

async function answerOf(sql: PlainSql, statement: string): Promise<Answer> {
  try {
    return { kind: 'rows', rows: plainRows(await sql.send(statement)) };
  } catch (error) {
    const why = wordsOf(error);
    if (error instanceof Aborted) return { kind: 'aborted', why };
    return { kind: 'failed', why: error instanceof ConnectionLost ? `the connection is lost: ${why}` : why };
  }
}

/** Returns the message of the database. For a module, omits its name, which is a path. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (!(cause instanceof Error) || !message.endsWith(`: ${cause.message}`)) return message;
  const before = message.slice(0, -cause.message.length);
  return / says (?:aborted|lost|error): $/.test(before) ? cause.message : message;
}
