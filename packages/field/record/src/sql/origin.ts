/** Facts that a comment states about the origin of a statement, in the form of sqlcommenter. */
export interface Origin {
  /** The statement without the comment. */
  readonly sql: string;
  /** `shop.mjs:12` */
  readonly file: string | null;
  /** The file with the test, the route and the framework, as far as the comment states them. */
  readonly place: string | null;
  readonly framework: string | null;
}

const COMMENT = /\/\*\s*((?:[\w.-]+\s*=\s*'(?:[^'\\]|\\.|'')*'\s*,?\s*)+)\*\//g;
const PAIR = /([\w.-]+)\s*=\s*'((?:[^'\\]|\\.|'')*)'/g;
/** Values that differ in each request. */
const VARYING = /\s*,?\s*(?:traceparent|tracestate)\s*=\s*'(?:[^'\\]|\\.|'')*'/g;

/** Removes the values of a comment that differ in each request, so that equal statements have equal shapes. */
export const withoutVarying = (sql: string): string =>
  sql.includes('trace')
    ? sql
        .replaceAll(COMMENT, (comment) => {
          const rest = comment.replaceAll(VARYING, '').replace(/^\/\*\s*,\s*/, '/*');
          return rest.includes('=') ? rest : '';
        })
        .trimEnd()
    : sql;

const known = new Map<string, Origin>();

export function originOf(sql: string): Origin {
  const before = known.get(sql);
  if (before) return before;
  const facts = new Map<string, string>();
  const bare = sql
    .replaceAll(COMMENT, (_, pairs: string) => {
      for (const [, key, value] of pairs.matchAll(PAIR)) facts.set(key!, decoded(value!));
      return '';
    })
    .trim();
  const file = facts.get('file') ?? facts.get('filepath') ?? facts.get('source_location');
  const line = facts.get('line') ?? facts.get('lineno');
  const place = file === undefined ? null : line === undefined ? file : `${file}:${line}`;
  const action = [facts.get('controller'), facts.get('action')].filter((part) => part !== undefined).join('#');
  const parts = [
    place ?? '',
    facts.get('route') ?? facts.get('endpoint') ?? '',
    action,
    facts.has('test') ? `test “${facts.get('test')!}”` : '',
  ].filter((part) => part !== '');
  const origin = {
    sql: bare,
    file: place,
    place: parts.length === 0 ? null : parts.join(', '),
    framework: facts.get('framework') ?? facts.get('db_driver') ?? null,
  };
  known.set(sql, origin);
  return origin;
}

function decoded(value: string): string {
  const text = value.replaceAll(/\\(.)/g, '$1').replaceAll("''", "'");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A statement on one line, without the comment about its origin. */
export const oneLine = (sql: string): string => originOf(sql).sql.replaceAll(/\s+/g, ' ');
