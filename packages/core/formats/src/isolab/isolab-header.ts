import type { Atom, PositionUnit, TimeUnit } from '@isolab/history';
import type { JsonReader } from '../syntax/json.ts';
import { type Place, SyntaxProblem } from '../syntax/problem.ts';
import type { FieldReader } from './isolab-fields.ts';
import type { Recorded } from '../format/recorded.ts';

/**
 * Versions of the format. The second version adds rows of tables and bounds of times, and is written only for histories
 * that have some.
 */
export const ISOLAB_VERSION = { first: 1, second: 2 } as const;

const TIME_UNITS: readonly string[] = ['none', 'nanoseconds', 'events'] satisfies TimeUnit[];
const POSITION_UNITS: readonly string[] = ['line', 'byte', 'record'] satisfies PositionUnit[];

/** Every field has a default. */
export interface Header {
  database: string | null;
  /** Level that the database claims to have kept. */
  claims: string | undefined;
  /** Level of transactions that state none. */
  level: string | null;
  /** isolab's names of the levels, by the names that transactions state. */
  levels: ReadonlyMap<string, string>;
  initial: Atom;
  initialOf: [key: Atom, value: Atom][];
  /** Whether the first transaction of the file is the explicit initial transaction. */
  hasInitialTransaction: boolean;
  times: TimeUnit;
  /** Maximum difference between the clocks of two clients. */
  drift: number;
  sessions: Atom[];
  tables: string[];
  source: { format: string; files: string[]; unit: PositionUnit; opStride: number } | null;
  /** Whether a collector wrote the file; a collector also writes an end mark. */
  isCollected: boolean;
  recorded: Recorded | null;
  /** Columns of rows that the recorder added; null if the header does not say. */
  hidden: string[] | null;
}

const HEADER_FIELDS = [
  'isolab',
  'version',
  'database',
  'claims',
  'level',
  'levels',
  'initial',
  'initialOf',
  'initialTransaction',
  'times',
  'drift',
  'sessions',
  'tables',
  'source',
  'collected',
  'recorded',
  'hidden',
];
const COLLECTED_FIELDS = ['claims'];
const RECORDED_FIELDS = ['by', 'redacted', 'clock'];
const SOURCE_FIELDS = ['format', 'files', 'unit', 'opStride'];
export const TRANSACTION_FIELDS = [
  'session',
  'ops',
  'begin',
  'begun',
  'committing',
  'end',
  'id',
  'status',
  'at',
  'opsAt',
  'startTs',
  'commitTs',
  'number',
  'level',
];

export function readHeader(json: JsonReader, fields: FieldReader, file: string): Header {
  const header: Header = {
    database: null,
    claims: undefined,
    level: null,
    levels: new Map(),
    initial: null,
    initialOf: [],
    hasInitialTransaction: false,
    times: 'none',
    drift: 0,
    sessions: [],
    tables: [],
    source: null,
    isCollected: false,
    recorded: null,
    hidden: null,
  };
  let kind: string | null = null;
  let version: number | null = null;
  const begin = json.place();
  json.beginObject();
  for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
    if (kind === null && TRANSACTION_FIELDS.includes(key)) failWithoutHeader(begin);
    seen = fields.withField(seen, key, HEADER_FIELDS);
    if (key === 'isolab') kind = json.readString();
    else if (key === 'version') version = json.readSafeInteger();
    else if (key === 'database') header.database = json.readString();
    else if (key === 'claims') header.claims = json.readString();
    else if (key === 'level') header.level = json.readString();
    else if (key === 'levels') header.levels = readLevels(json, fields);
    else if (key === 'initial') header.initial = fields.readAtom();
    else if (key === 'initialOf') header.initialOf = fields.readPairs();
    else if (key === 'initialTransaction') header.hasInitialTransaction = fields.readWord(['first']) === 'first';
    else if (key === 'times') header.times = fields.readWord(TIME_UNITS) as TimeUnit;
    else if (key === 'drift') header.drift = fields.readNatural();
    else if (key === 'sessions') header.sessions = fields.readArray(() => fields.readAtom());
    else if (key === 'tables') header.tables = fields.readArray(() => fields.readTable());
    else if (key === 'source') header.source = readSource(json, fields, file);
    else if (key === 'recorded') header.recorded = readRecorded(json, fields);
    else if (key === 'hidden') header.hidden = fields.readArray(() => json.readString());
    else if (key === 'collected') readCollected(json, fields, header);
    else json.skipValue();
  }
  if (kind === null) failWithoutHeader(begin);
  if (kind !== 'history') throw fields.problem(`"isolab": ${JSON.stringify(kind)}`, '"isolab": "history"');
  if (version !== ISOLAB_VERSION.first && version !== ISOLAB_VERSION.second)
    throw fields.problem(`"version": ${version}`, '"version": 1 or 2, the versions that this release supports');
  return header;
}

function failWithoutHeader(begin: Place): never {
  const expected = 'the header, such as {"isolab":"history","version":1}, before the first transaction';
  throw new SyntaxProblem(begin, 'a line without "isolab"', expected);
}

function readCollected(json: JsonReader, fields: FieldReader, header: Header): void {
  if (json.peek() !== 'object') throw fields.problem('"collected" that is not an object', 'an object');
  header.isCollected = true;
  json.beginObject();
  for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
    seen = fields.withField(seen, key, COLLECTED_FIELDS);
    if (key === 'claims') {
      const claims = json.readString();
      header.claims ??= claims;
    } else json.skipValue();
  }
}

function readLevels(json: JsonReader, fields: FieldReader): Map<string, string> {
  const levels = new Map<string, string>();
  json.beginObject();
  for (let name = json.nextKey(); name !== undefined; name = json.nextKey()) {
    if (levels.has(name)) throw fields.problem(`the level ${JSON.stringify(name)} twice`, 'each level once');
    levels.set(name, json.readString());
  }
  return levels;
}

function readRecorded(json: JsonReader, fields: FieldReader): Recorded {
  const recorded: { by?: string; redacted?: boolean; clock?: string } = {};
  json.beginObject();
  for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
    seen = fields.withField(seen, key, RECORDED_FIELDS);
    if (key === 'by' || key === 'clock') recorded[key] = json.readString();
    else if (key === 'redacted') recorded.redacted = json.readBoolean();
    else json.skipValue();
  }
  const { by, ...rest } = recorded;
  if (by === undefined) throw fields.problem('"recorded" without "by"', '"by": the program that recorded it');
  return { by, ...rest };
}

function readSource(json: JsonReader, fields: FieldReader, file: string): NonNullable<Header['source']> {
  const source: NonNullable<Header['source']> = { format: 'isolab', files: [file], unit: 'line', opStride: 0 };
  json.beginObject();
  for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
    seen = fields.withField(seen, key, SOURCE_FIELDS);
    if (key === 'format') source.format = json.readString();
    else if (key === 'files') source.files = fields.readArray(() => json.readString());
    else if (key === 'unit') source.unit = fields.readWord(POSITION_UNITS) as PositionUnit;
    else if (key === 'opStride') source.opStride = fields.readNatural();
    else json.skipValue();
  }
  return source;
}
