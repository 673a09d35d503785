import type { History } from '@isolab/history';
import type { Choices } from './state/choices.ts';
import type { Known } from '../facts/known.ts';
import type { Database } from './state/database.ts';
import type { OpenReads } from './state/open-reads.ts';
import type { Outcomes } from './state/outcomes.ts';
import { Choice } from './rules/choice.ts';
import { Fact } from './rules/fact.ts';
import { ListOrder } from './rules/list-order.ts';
import { Lock } from './rules/lock.ts';
import { OpenRead, OpenReader } from './rules/open-read.ts';
import { Overwrite } from './rules/overwrite.ts';
import { ReadFrom } from './rules/read-from.ts';
import { RealTime } from './rules/real-time.ts';
import type { Rule } from './rules/rule.ts';
import { Session } from './rules/session.ts';

export interface Rules {
  /** Rules in the order in which they are examined. `waits` refers to them by index. */
  readonly all: readonly Rule[];
  readonly session: Session;
  readonly readFrom: ReadFrom;
  readonly overwrite: Overwrite;
  readonly fact: Fact | null;
  readonly realTime: RealTime | null;
  readonly openRead: OpenRead | null;
}

export function rulesOf(
  history: History,
  database: Database,
  known: Known | null,
  choices: Choices,
  openReads: OpenReads | null,
  outcomes: Outcomes | null,
): Rules {
  const { model, versions } = database;
  const readFrom = new ReadFrom(database);
  const session = new Session(database, outcomes);
  const realTime = model.time === 'none' ? null : new RealTime(history, database, outcomes);
  const openRead = openReads && new OpenRead(database, openReads);
  const fact = known && new Fact(database, known);
  const overwrite = new Overwrite(database);
  const all = [
    readFrom,
    outcomes && session,
    realTime,
    openRead,
    versions.lists && new ListOrder(database, versions.lists),
    fact,
    model.exclusive ? new Lock(database) : null,
    overwrite,
    openReads && new OpenReader(database, openReads),
    new Choice(database, choices, outcomes),
  ].filter((rule) => rule !== null);
  for (const [number, rule] of all.entries()) rule.number = number;
  return { all, session, readFrom, overwrite, fact, realTime, openRead };
}
