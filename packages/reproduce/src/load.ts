import type { Queue, Question } from '@isolab/collector';
import type { Program, Random } from '@isolab/workloads';
import type { Schedule } from './schedule.ts';
import { isQuestion } from './schedule.ts';

/** Transactions of the same shape on the same keys, one after another, for as long as a schedule takes. */
export function loadOf(schedule: Schedule, session: number, random: Random, isOver: () => boolean): Queue {
  const shapes = schedule.transactions.map((_, transaction) =>
    schedule.steps.flatMap(({ does, transaction: of }) => (of === transaction && isQuestion(does) ? [does] : [])),
  );
  let value = FIRST_VALUE + session * VALUES_A_SESSION;
  let left = MOST_TRANSACTIONS;
  return {
    next() {
      if (isOver() || left-- === 0) return null;
      const shape = random.pick(shapes);
      return () => asking(shape.map((question) => ('value' in question ? { ...question, value: value++ } : question)));
    },
    mayBegin: () => !isOver(),
    ended: () => {},
  };
}

function* asking(questions: readonly Question[]): Program {
  for (const question of questions) yield question;
}

const FIRST_VALUE = 1_000_000;
const VALUES_A_SESSION = 1_000_000;
const MOST_TRANSACTIONS = 200;
