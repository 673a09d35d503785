import type { SpokenSql } from '../database/database.ts';
import type { Outcomes } from '../database/outcomes.ts';
import type { Dialect } from './dialects.ts';
import { SqlRequests } from './sql.ts';

interface Spoken {
  readonly client: SpokenSql['client'];
  /** A function, because the table is defined at the end of the driver's file. */
  outcomes(): Outcomes;
  /** Returns statements for the start of a session; none if absent. */
  session?(isolation: string): readonly string[];
  begin(isolation: string): string;
}

/** Describes the SQL of a driver's sessions. */
export function spoken(dialect: Dialect, { client, outcomes, session = () => [], begin }: Spoken): SpokenSql {
  return {
    client,
    get outcomes() {
      return outcomes();
    },
    tables: (data, tables, layout) => new SqlRequests(dialect, data, layout).tables(false, tables),
    session,
    begin,
    request: (data, request, layout) => new SqlRequests(dialect, data, layout).spelled(request),
  };
}
