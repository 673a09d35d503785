/** Properties of a session that change the meaning of characters. */
export interface Quoting {
  /** Whether `"` encloses a name. */
  readonly ansiQuotes: boolean;
  /** Whether a backslash is an ordinary character of a string. */
  readonly plainBackslashes: boolean;
}

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'parameter' | 'variable' | 'sign' | 'executable';
  /** The text in upper case for a word, the content for a name or a string. */
  readonly text: string;
  /** The text as it was written, for a word; the index among all parameters, for a parameter. */
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[\s]+|--(?=[\s]|$)[^\n]*|#[^\n]*|\/\*(?![!M]|M!)[^]*?\*\//y;
const EXECUTABLE = /\/\*M?!/y;
const NUMBER = /0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w$])/y;
const WORD = /[\p{L}_$\d][\p{L}\p{N}_$]*/uy;
const VARIABLE = /@@?(?:[\p{L}\p{N}_$.]+|`[^`]*`)?/uy;
const SIGN = /<=>|<>|<=|>=|!=|:=|&&|\|\||<<|>>|->>|->|[^]/uy;

/** Splits a text into tokens, without spaces and comments; null if a quotation does not end. */
export function tokensOf(sql: string, quoting: Quoting): Token[] | null {
  const tokens: Token[] = [];
  let parameters = 0;
  for (let at = 0; at < sql.length;) {
    const space = matched(SPACE, sql, at);
    if (space > 0) {
      at += space;
      continue;
    }
    if (matched(EXECUTABLE, sql, at) > 0) {
      tokens.push(token('executable', sql, at, sql.length));
      return tokens;
    }
    const quote = sql[at]!;
    if (quote === "'" || quote === '"' || quote === '`') {
      const end = endOfQuotation(sql, at, quote === '`' || quoting.plainBackslashes);
      if (end < 0) return null;
      const isName = quote === '`' || (quote === '"' && quoting.ansiQuotes);
      const text = contentOf(sql.slice(at + 1, end - 1), quote, isName || quoting.plainBackslashes);
      tokens.push({ kind: isName ? 'name' : 'string', text, written: text, start: at, end });
      at = end;
      continue;
    }
    const [kind, size] = kindAt(sql, at, tokens.at(-1));
    const next = token(kind, sql, at, at + size);
    tokens.push(kind === 'parameter' ? { ...next, written: String(parameters++) } : next);
    at += size;
  }
  return tokens;
}

function kindAt(sql: string, at: number, before: Token | undefined): readonly [Token['kind'], number] {
  if (sql[at] === '?') return ['parameter', 1];
  const variable = matched(VARIABLE, sql, at);
  if (variable > 0) return ['variable', variable];
  // Names after a dot may begin with a digit.
  const number = before?.text === '.' ? 0 : matched(NUMBER, sql, at);
  if (number > 0) return ['number', number];
  const word = matched(WORD, sql, at);
  return word > 0 ? ['word', word] : ['sign', matched(SIGN, sql, at)];
}

function token(kind: Token['kind'], sql: string, start: number, end: number): Token {
  const written = sql.slice(start, end);
  return { kind, text: kind === 'word' ? written.toUpperCase() : written, written, start, end };
}

function matched(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0].length ?? 0;
}

function endOfQuotation(sql: string, start: number, plainBackslashes: boolean): number {
  const quote = sql[start]!;
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === '\\' && !plainBackslashes) at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return -1;
}

const ESCAPES: Readonly<Record<string, string>> = { 0: '\0', b: '\b', n: '\n', r: '\r', t: '\t', Z: '\u001A' };

function contentOf(text: string, quote: string, plainBackslashes: boolean): string {
  const single = text.replaceAll(quote + quote, quote);
  if (plainBackslashes || !text.includes('\\')) return single;
  return text.replaceAll(/\\([^])|(['"])\2/g, (_, escaped?: string, doubled?: string) =>
    escaped === undefined ? doubled! : (ESCAPES[escaped] ?? escaped),
  );
}
