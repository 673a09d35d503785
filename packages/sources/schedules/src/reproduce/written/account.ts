import type { Observed } from '../trials/terminals.ts';
import type { Expected } from '../trials/expected.ts';
import type { Tally } from '../trials/reproduce.ts';
import { type Schedule, isQuestion } from '../../schedule/schedule.ts';
import { type Script, replyText } from '../../schedule/script.ts';

/** Contents of the files of a reproduction. */
export interface Account {
  /** Name and version of the database, and its own name of the isolation level. */
  readonly database: string;
  readonly isolation: string;
  /** Layout of keys in tables; absent for the plain layout. */
  readonly layout?: string;
  /** Name and title of the level that is checked. */
  readonly levelName: string;
  readonly level: string;
  readonly schedule: Schedule;
  readonly script: Script;
  readonly observed: readonly Observed[];
  readonly expected: readonly Expected[];
  readonly isViolated: boolean;
  readonly tally: Tally;
  /** Number of trials with the replies shown. */
  readonly alike: number;
  /** Number of other clients that ran beside the schedule. */
  readonly load: number;
  /** Sentence that states how often the violation occurred. */
  readonly result: string;
}

/** Returns the answer of the database to a step. */
export function observedText({ schedule, observed }: Account, step: number): string {
  const { answered, sent, waited, reply, error } = observed[step]!;
  const answer =
    error !== undefined
      ? `error: ${error}`
      : sent === null
        ? 'not sent, because its transaction had failed'
        : answered === null
          ? 'no answer'
          : reply !== undefined && isRead(schedule, step)
            ? replyText(reply)
            : 'done';
  return waited ? `${answer}, after waiting` : answer;
}

/** Returns the possible answers of a correct database, given the previous steps. */
export function expectedText(account: Account, step: number): string {
  const { others, refuses } = account.expected[step]!;
  if (refuses)
    return account.expected.some((one) => one.others.length > 0)
      ? 'an error, unless a read had another answer'
      : 'an error';
  const same = observedText(account, step);
  return others.length === 0 ? same : `${others.map(replyText).join(' or ')}, or ${same} and an error at the end`;
}

export function isRead({ steps }: Schedule, step: number): boolean {
  const { does } = steps[step]!;
  return isQuestion(does) && does.kind !== 'write' && does.kind !== 'append';
}

/** Returns the first lines of the files. */
export function headOf({ database, isolation, level, result, schedule, load, isViolated, layout }: Account): string[] {
  return [
    `${database} at ${isolation}: ${result}`,
    isViolated
      ? `${level} does not let all of these transactions commit with these replies.`
      : `${level} held: these replies are from the last trial and show no violation.`,
    ...(schedule.differs.length > 0 ? [`Required: ${schedule.differs.join('; ')}.`] : []),
    ...(layout === undefined ? [] : [`The tables of keys have the layout ${layout}.`]),
    ...(load > 0
      ? [
          `It needed a load: ${load} more clients that continuously run transactions of the same shape on the same keys.`,
        ]
      : []),
  ];
}
