import { type KeyQuestion as Question, type SpokenSql, parseLayout } from '@isolab/collector';
import { type Action, type Reply, type Schedule, isQuestion } from './schedule.ts';

/** A schedule as the statements that are sent. */
export interface Script {
  /** Statements that create the tables and their initial contents. */
  readonly before: readonly string[];
  /** Statements that undo `before`. */
  readonly after: readonly string[];
  /** Statements at the start of every terminal. */
  readonly session: readonly string[];
  /**
   * Statements of each step as SQL, or else as requests to a driver. A second statement is sent only if the first finds
   * the required row.
   */
  readonly steps: readonly (readonly string[])[];
  /** Write of each step, with `{value}` in place of its value; null for other steps. */
  readonly own: readonly (string | null)[];
  readonly isSql: boolean;
}

/** Writes a schedule as SQL if the driver uses SQL, otherwise in words. */
export async function scriptOf(
  schedule: Schedule,
  sql: SpokenSql | undefined,
  isolation: string,
  words?: string,
): Promise<Script> {
  const { data, setup, steps } = schedule;
  if (sql === undefined)
    return {
      before: setup.map(inWords),
      after: [],
      session: [],
      steps: steps.map(({ does }) => [inWords(does)]),
      own: steps.map(() => null),
      isSql: false,
    };
  const layout = words === undefined ? undefined : parseLayout(words);
  const asked = (question: Question): Promise<readonly string[]> => sql.request(data, question, layout);
  const tables = sql.tables(data, [], layout);
  const made = await Promise.all([markOf(schedule), ...setup].map(asked));
  return {
    before: [...tables, ...made.flatMap((statements) => statements.slice(-1))],
    after: tables.filter((statement) => statement.startsWith('DROP ')),
    session: sql.session(isolation),
    steps: await Promise.all(
      steps.map(async ({ does }) =>
        isQuestion(does) ? asked(does) : [does.kind === 'begin' ? sql.begin(isolation) : does.kind.toUpperCase()],
      ),
    ),
    own: await Promise.all(
      steps.map(async ({ does }) => {
        if (does.kind !== 'write' && does.kind !== 'append') return null;
        const [statement] = await asked({ ...does, value: ANY_VALUE });
        return statement!.replaceAll(String(ANY_VALUE), '{value}');
      }),
    ),
    isSql: true,
  };
}

const ANY_VALUE = 8_765_432_109_876;

/**
 * Returns a row that no transaction touches, like the collector's mark, because an empty table may behave differently.
 */
const markOf = ({ data }: Schedule): Question => {
  const kind = ({ registers: 'write', lists: 'append', rows: 'insert' } as const)[data];
  return { kind, key: -1, value: 1 };
};

function inWords(does: Action): string {
  switch (does.kind) {
    case 'read':
    case 'read-list':
      return `read ${does.key}`;
    case 'range':
      return `read ${does.low} to ${does.high}`;
    case 'compare-and-set':
      return `compare ${does.key} with ${does.expected ?? 'nothing'} and set ${does.value}`;
    case 'write':
    case 'append':
    case 'insert':
    case 'delete':
      return `${does.kind} ${does.key} ${does.value}`;
    default:
      return does.kind;
  }
}

export function replyText(reply: Reply): string {
  if (reply === null) return 'no value';
  if (typeof reply === 'boolean') return reply ? 'done' : 'not as expected';
  if (typeof reply === 'number') return String(reply);
  const parts = reply.map((one) =>
    typeof one === 'number' ? one : `${one.key}: ${one.value}${one.dead ? ' (deleted)' : ''}`,
  );
  return parts.length === 0 ? 'no row' : parts.join(',');
}
