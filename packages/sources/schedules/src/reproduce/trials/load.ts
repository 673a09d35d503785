import type { Queue, Question } from '@isolab/collector';
import type { Program, Random } from '@isolab/workloads';
import { type Schedule, isQuestion } from '../../schedule/schedule.ts';

/** Yields transactions of the same shape on the same keys, until some time after the end of the schedule. */
export function loadOf(schedule: Schedule, session: number, random: Random, isOver: () => boolean): Queue {
  const shapes = schedule.transactions.map((_, transaction) =>
    schedule.steps.flatMap(({ does, transaction: of }) => (of === transaction && isQuestion(does) ? [does] : [])),
  );
  let value = FIRST_VALUE + session * VALUES_A_SESSION;
  let begun = 0;
  return {
    next() {
      if (begun === MOST_TRANSACTIONS || (begun >= LEAST_TRANSACTIONS && isOver())) return null;
      begun++;
      const shape = random.pick(shapes);
      return () => asking(shape.map((question) => ('value' in question ? { ...question, value: value++ } : question)));
    },
    mayBegin: () => true,
    ended: () => {},
  };
}

export function* asking(questions: readonly Question[]): Program {
  for (const question of questions) yield question;
}

const FIRST_VALUE = 1_000_000;
const VALUES_A_SESSION = 1_000_000;
/** A schedule may end before the load has had an effect. */
const LEAST_TRANSACTIONS = 100;
const MOST_TRANSACTIONS = 300;
