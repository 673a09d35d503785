import { Answered, type KeyQuestion as Question, operationsOf } from '@isolab/collector';
import { inputOfBytes, readDocumentFrom } from '@isolab/formats';
import type { History } from '@isolab/history';
import type { Observed } from './terminals.ts';
import { type Reply, type Schedule, isQuestion } from '../../schedule/schedule.ts';
import type { JudgedTrial } from './trial.ts';

/** Possible replies of a correct database to a step. */
export interface Expected {
  /** Other replies that would remove the violation, if all else stayed unchanged. */
  readonly others: readonly Reply[];
  /** Whether this is the commit that completes the violation, which a correct database refuses. */
  readonly refuses: boolean;
}

/**
 * Compares a trial that violated the level, step by step, with the results that the level allows. A transaction that
 * has not committed yet may still be refused, so the first commit after which a violation exists must be refused. A
 * read could also have returned another version that existed by then.
 */
export async function expectationsOf(
  schedule: Schedule,
  observed: readonly Observed[],
  judge: (history: History) => Promise<JudgedTrial>,
): Promise<readonly Expected[]> {
  const nothing: Expected = { others: [], refuses: false };
  const commits = schedule.steps
    .flatMap(({ does }, i) => (does.kind === 'commit' && isDone(observed[i]!) ? [i] : []))
    .toSorted((a, b) => observed[a]!.answered! - observed[b]!.answered!);
  let refused = -1;
  for (const step of commits) {
    const { verdict } = await judge(await historyOf(schedule, observed, observed[step]!.answered!));
    if (verdict !== 'violated') continue;
    refused = step;
    break;
  }
  if (refused < 0) return schedule.steps.map(() => nothing); // other clients contributed to the violation
  const until = observed[refused]!.answered!;
  return Promise.all(
    schedule.steps.map(async (_, i): Promise<Expected> => {
      const others: Reply[] = [];
      for (const reply of otherReplies(schedule, observed, i)) {
        const changed = observed.map((one, j) => (i === j ? { ...one, reply } : one));
        const { verdict } = await judge(await historyOf(schedule, changed, until));
        if (verdict === 'satisfied') others.push(reply);
      }
      return { others, refuses: i === refused };
    }),
  );
}

export const isDone = ({ answered, error }: Observed): boolean => answered !== null && error === undefined;

/**
 * Returns the other versions of a row that a step read: those of its own transaction, and those committed before its
 * answer.
 */
function otherReplies({ data, setup, steps }: Schedule, observed: readonly Observed[], i: number): Reply[] {
  const { does, transaction } = steps[i]!;
  const { reply, answered } = observed[i]!;
  if (answered === null || reply === undefined || (does.kind !== 'read' && does.kind !== 'read-list')) return [];
  const writes = (question: Question): number[] =>
    'value' in question && 'key' in question && question.key === does.key ? [question.value] : [];
  const first = setup.flatMap(writes);
  const isDoneBefore = (j: number): boolean => isDone(observed[j]!) && observed[j]!.answered! < answered;
  const isVisible = (by: number): boolean =>
    by === transaction ||
    steps.some((step, j) => step.transaction === by && step.does.kind === 'commit' && isDoneBefore(j));
  const later = steps
    .map((step, j) => ({ step, seen: observed[j]!, isBefore: isDoneBefore(j) }))
    .filter(({ step, isBefore }) => isBefore && isQuestion(step.does) && isVisible(step.transaction))
    .toSorted((a, b) => a.seen.answered! - b.seen.answered!)
    .flatMap(({ step }) => writes(step.does as Question));
  const all = [...first, ...later];
  const versions: Reply[] =
    data === 'lists' ? [[], ...all.map((_, end) => all.slice(0, end + 1))] : [null, ...all].slice(first.length);
  const written = versions.slice(data === 'lists' ? first.length : 0);
  return written.filter((version) => JSON.stringify(version) !== JSON.stringify(reply)).slice(0, MOST_REPLIES);
}

const MOST_REPLIES = 6;

/**
 * Returns the observations up to an answer in the form of the journal, where a transaction in progress has an unknown
 * outcome.
 */
async function historyOf(schedule: Schedule, observed: readonly Observed[], until: number): Promise<History> {
  const { data, setup, transactions } = schedule;
  const header = { isolab: 'history', version: 2, initial: data === 'registers' ? 0 : null, times: 'nanoseconds' };
  const lines = [JSON.stringify(header)];
  const loaded = setup.flatMap((question) => operationsOf(question, undefined, data));
  if (setup.length > 0) lines.push(line('load', '', { begin: 1, end: 2 }, loaded));
  for (const [transaction, { terminal }] of transactions.entries()) {
    const own = schedule.steps
      .map((step, i) => ({ ...step, seen: observed[i]! }))
      .filter((step) => step.transaction === transaction && isDone(step.seen) && step.seen.answered! <= until);
    if (own.length === 0) continue;
    const ops = own.flatMap(({ does, seen }) =>
      isQuestion(does) ? operationsOf(does, seen.reply as never, data) : [],
    );
    const last = own.at(-1)!;
    const failed = schedule.steps.some(
      (step, i) =>
        step.transaction === transaction && observed[i]!.error !== undefined && observed[i]!.answered! <= until,
    );
    const status = failed || last.does.kind === 'rollback' ? 'aborted' : last.does.kind === 'commit' ? '' : 'unknown';
    const answered = new Answered();
    const shows = own.find(({ does }) => isQuestion(does) && answered.add(does));
    const times = {
      begin: own[0]!.seen.sent!,
      begun: shows?.seen.answered ?? null,
      committing: last.does.kind === 'commit' ? last.seen.sent : null,
      end: status === 'unknown' ? null : last.seen.answered,
    };
    lines.push(line(String(terminal), status, times, ops));
  }
  const document = await readDocumentFrom(inputOfBytes('the trial', `${lines.join('\n')}\n{"isolab":"end"}\n`), {
    format: 'isolab',
  });
  return (document as { history: History }).history;
}

const AFTER_SETUP = 3;

/** Returns the line of a transaction, with its known times. */
function line(
  session: string,
  status: string,
  times: Readonly<Record<string, number | null>>,
  ops: readonly string[],
): string {
  const after = session === 'load' ? 0 : AFTER_SETUP;
  const known = Object.entries(times).map(([field, time]) => (time === null ? '' : `"${field}":${time + after},`));
  return `{"session":"${session}",${status === '' ? '' : `"status":"${status}",`}${known.join('')}"ops":[${ops.join(',')}]}`;
}
