import type { SpokenSql } from '../database/database.ts';
import type { Outcomes } from '../database/outcomes.ts';
import { type Dialect, SqlRequests } from './sql.ts';

/** Parts specific to one driver. */
interface Spoken {
  readonly client: SpokenSql['client'];
  /** Asked for when it is needed: its table ends the driver's file. */
  outcomes(): Outcomes;
  /** Statements at the begin of a session; none if absent. */
  session?(isolation: string): readonly string[];
  begin(isolation: string): string;
}

/** Describes the SQL of a driver's sessions, in the plain layout. */
export function spoken(dialect: Dialect, { client, outcomes, session = () => [], begin }: Spoken): SpokenSql {
  const requests = new SqlRequests(dialect);
  return {
    client,
    get outcomes() {
      return outcomes();
    },
    tables: (data, tables) => requests.tables(data, false, tables),
    session,
    begin,
    request: (data, request) => requests.spelled(data, request),
  };
}
