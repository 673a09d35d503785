import type { Database } from '@isolab/collector';
import { tableNames } from '../cases/case.ts';
import { type PlayOptions, play } from '../play/play.ts';
import type { Sent } from '../play/sessions.ts';
import { type Player, Unclear } from './outcomes.ts';

/** Returns a function that plays steps on new tables and fails if their effects are unknown. */
export const playerOn =
  (database: Database, isolation: string, { waitMs, signal, pool }: PlayOptions): Player =>
  async ({ tables }, steps) => {
    const final = tableNames(tables).map((table) => `SELECT * FROM ${table}`);
    const { sent, givenUp } = await play(
      { case: { tables, steps, final }, database, isolation },
      { waitMs, signal, pool },
    );
    const why = givenUp ?? sent.map(unclear).find((one) => one !== null);
    if (why !== undefined) throw new Unclear(why, sent);
    return sent;
  };

function unclear({ session, sql, answer, isCleanUp }: Sent): string | null {
  if (isCleanUp) return null; // the transaction may already be undone
  if (answer.kind === 'none') return `${session}, ${sql}: no answer`;
  return answer.kind === 'failed' ? `${session}, ${sql}: ${answer.why}` : null;
}
