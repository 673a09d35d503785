import type { Sent } from '../play/sessions.ts';
import { rowsText } from '../cases/rows.ts';

/** Describes the result of a statement in words. */
export function answerText({ kind, answer, waited, answeredAfter, read, sql, isCleanUp }: Sent): string {
  const until = waited ? waitText(answeredAfter) : '';
  switch (answer.kind) {
    case 'rows': {
      const isRead = read !== undefined || /^SELECT/i.test(sql);
      return `${until}${isRead ? rowsText(answer.rows) : kind === 'statement' ? 'done' : 'ok'}`;
    }
    case 'aborted':
      return `${until}${isCleanUp ? 'refused' : 'aborted'}: ${answer.why}`;
    case 'failed':
      return `${until}failed: ${answer.why}`;
    case 'none':
      return 'no answer';
  }
}

const waitText = (answeredAfter: number | null): string =>
  answeredAfter === null ? '' : `waits; answered after statement ${answeredAfter}: `;
