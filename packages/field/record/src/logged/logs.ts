/**
 * Statements in logs that databases and tracers write: csvlog of PostgreSQL, the general log of MySQL and MariaDB, and
 * OpenTelemetry spans as OTLP JSON lines. A log has statements, but no results.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';

export interface LoggedStatement {
  /** Connection or trace that sent the statement. */
  readonly session: string;
  readonly sql: string;
  /** Values of `$1`, `$2` and so on; empty if the log has none. */
  readonly parameters: readonly string[];
  readonly line: number;
}

export interface Log {
  readonly name: string;
  readonly read: (path: string) => readonly LoggedStatement[];
}

/** Error of a log, with the file, the line and the expected form. */
export class LogError extends Error {
  constructor(path: string, line: number, found: string, expected: string) {
    super(`${path}, line ${line}: found ${JSON.stringify(found.slice(0, 60))}, expected ${expected}.`);
  }
}

/** Returns the kind of a log by its head; null if the file is none. */
export function logIn(path: string): Log | null {
  const head = headOf(path);
  return LOGS.find(({ isHead }) => isHead(head)) ?? null;
}

const TIMES = { pg: String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [\w+:-]+`, mysql: String.raw`\d{4}-\d\d-\d\dT\S+` };
const COMMANDS =
  'Connect|Query|Quit|Execute|Prepare|Init DB|Close stmt|Reset stmt|Statistics|Ping|Change user|Field List';
const ENTRY = new RegExp(`^(?:${TIMES.mysql}\\t|\\d{6} +\\d+:\\d\\d:\\d\\d\\t|\\t\\t?) *(\\d+) (${COMMANDS})\\t?(.*)$`);

const LOGS: readonly (Log & { readonly isHead: (head: string) => boolean })[] = [
  {
    name: 'csvlog of PostgreSQL',
    isHead: (head) => new RegExp(`^${TIMES.pg},("|,)`).test(head),
    read: (path) => inCsvLog(path, textOf(path)),
  },
  {
    name: 'general log of MySQL or MariaDB',
    isHead: (head) => head.split('\n').some((line) => ENTRY.test(line)),
    read: (path) => inGeneralLog(path, textOf(path)),
  },
  {
    name: 'OpenTelemetry spans',
    isHead: (head) => /^\s*\{\s*"resourceSpans"/.test(head),
    read: (path) => inSpans(path, textOf(path)),
  },
];

function headOf(path: string): string {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    return unzipped(bytes.subarray(0, readSync(file, bytes, 0, HEAD_BYTES, 0)), constants.Z_SYNC_FLUSH).toString();
  } catch {
    return ''; // the reader of histories reports the error
  } finally {
    if (file !== null) closeSync(file);
  }
}

const HEAD_BYTES = 65_536;

function textOf(path: string): string {
  try {
    return unzipped(readFileSync(path)).toString();
  } catch (error) {
    throw new LogError(path, 1, (error as Error).message, 'a log of at most 512 MB, perhaps compressed with gzip');
  }
}

/** Decompresses bytes that gzip compressed; the head of a file ends in the middle. */
const unzipped = (bytes: Buffer, finishFlush: number = constants.Z_FINISH): Buffer =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { finishFlush }) : bytes;

function inCsvLog(path: string, text: string): LoggedStatement[] {
  const found: LoggedStatement[] = [];
  for (const { fields, line } of recordsOf(path, text)) {
    if (fields.length < 23) throw new LogError(path, line, fields.join(), 'a record of at least 23 fields');
    const message = /^(?:duration: \S+ ms {2})?(?:statement|execute [^:]*): ([^]*)$/.exec(fields[13]!);
    if (message === null || fields[11] !== 'LOG') continue;
    const detail = /^(?:Parameters|parameters): ([^]*)$/.exec(fields[14]!);
    const values = detail?.[1]!.matchAll(/\$\d+ = (NULL|'(?:[^']|'')*')/g) ?? [];
    found.push({ session: fields[5]!, sql: message[1]!, parameters: Array.from(values, ([, value]) => value!), line });
  }
  return found;
}

interface Fields {
  readonly fields: readonly string[];
  readonly line: number;
}

/** Yields the records of comma-separated values, whose quoted fields may have several lines. */
function* recordsOf(path: string, text: string): Generator<Fields> {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  let [line, start]: [number, number] = [1, 1];
  let fields: string[] = [];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new LogError(path, line, text.slice(at, at + 60), 'a field of comma-separated values');
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    line += match[0].split('\n').length - 1;
    if (match[3] === ',') continue;
    yield { fields, line: start };
    [fields, start] = [[], line];
  }
  if (fields.length > 0) throw new LogError(path, start, fields.join(), 'the end of the line after the last field');
}

function inGeneralLog(path: string, text: string): LoggedStatement[] {
  const found: { session: string; sql: string; parameters: readonly string[]; line: number }[] = [];
  let last: (typeof found)[number] | null | undefined;
  for (const [at, each] of text.split(/\r?\n/).entries()) {
    const entry = ENTRY.exec(each);
    if (entry !== null) {
      const [, session, command, sql] = entry;
      last = null;
      if (command !== 'Query' && command !== 'Execute') continue;
      last = { session: session!, sql: sql!, parameters: [], line: at + 1 };
      found.push(last);
    } else if (last) last.sql += `\n${each}`;
    else if (last === undefined && each !== '' && !HEADER.test(each))
      throw new LogError(
        path,
        at + 1,
        each,
        'an entry: a time, the number of a connection, a command and its argument',
      );
  }
  return found.map((statement) => ({ ...statement, sql: statement.sql.trim() }));
}

/** Lines that a server writes when it starts. */
const HEADER = /, Version: .* started with:$|^Tcp port: |^Time\s+Id\s+Command\s+Argument/;

interface Attribute {
  readonly key?: unknown;
  readonly value?: { readonly stringValue?: unknown };
}

function inSpans(path: string, text: string): LoggedStatement[] {
  const found: (LoggedStatement & { readonly at: bigint })[] = [];
  for (const [number, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    for (const span of spansIn(path, line, number + 1)) {
      const { traceId, startTimeUnixNano, attributes } = span;
      const list = Array.isArray(attributes) ? (attributes as Attribute[]) : [];
      const valueOf = (...names: string[]): unknown =>
        list.find(({ key }) => names.includes(key as string))?.value?.stringValue;
      const sql = valueOf('db.query.text', 'db.statement');
      if (typeof sql !== 'string') continue;
      if (typeof traceId !== 'string' || !/^\d+$/.test(String(startTimeUnixNano)))
        throw new LogError(path, number + 1, JSON.stringify(span), 'a span with traceId and startTimeUnixNano');
      const session = `${String(valueOf('db.namespace', 'db.name') ?? '')} ${traceId}`;
      found.push({ session, sql, parameters: [], line: number + 1, at: BigInt(String(startTimeUnixNano)) });
    }
  }
  return found.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function* spansIn(path: string, line: string, number: number): Generator<Readonly<Record<string, unknown>>> {
  const each = (of: unknown, name: string): Record<string, unknown>[] => {
    const list = (of as Record<string, unknown> | null)?.[name];
    if (!Array.isArray(list)) throw new LogError(path, number, line, `OTLP JSON with ${name}`);
    return list as Record<string, unknown>[];
  };
  let data: unknown;
  try {
    data = JSON.parse(line.replaceAll(/("startTimeUnixNano"\s*:\s*)(\d+)/g, '$1"$2"')); // numbers would lose digits
  } catch {
    throw new LogError(path, number, line, 'a line of OTLP JSON');
  }
  for (const resource of each(data, 'resourceSpans'))
    for (const scope of each(resource, 'scopeSpans')) yield* each(scope, 'spans');
}
