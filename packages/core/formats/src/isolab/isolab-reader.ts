import { type History, HistoryBuilder, type Shard, TxnStatus } from '@isolab/history';
import { finished, unexpected } from '../files/errors.ts';
import type { ByteStream } from '../files/input.ts';
import { KeyShard } from '../files/key-shard.ts';
import { FieldReader } from './isolab-fields.ts';
import { type Header, TRANSACTION_FIELDS, readHeader } from './isolab-header.ts';
import { readMark } from './isolab-mark.ts';
import { AnyOperations } from './any-operations.ts';
import { RowReader } from './isolab-rows.ts';
import { describeReversed } from '../format/reversed-times.ts';
import { OperationsReader } from './plain-operations.ts';
import { type Recorded, hiddenColumnsOf, withClaims, withHiddenColumns, withRecorded } from '../format/recorded.ts';
import { type IsolabPart, SessionOrder } from './session-order.ts';
import { SeveralFiles } from './several-files.ts';
import { Faults, withFaults } from './recorded-faults.ts';
import { refuseMisusedRows, withoutInitialTransaction } from './whole-history.ts';

const STATUS_OF: Readonly<Record<string, number>> = {
  committed: TxnStatus.Committed,
  aborted: TxnStatus.Aborted,
  unknown: TxnStatus.Unknown,
};
const LATE_OUTCOME = ['"outcome" after other fields', '"outcome" as the first field of a line of its own'] as const;
const OUTCOME_FIELDS = ['outcome', 'session', 'end', 'number'];
export class IsolabReader {
  #file = '';
  #share: () => number = () => 0;
  readonly #json: OperationsReader;
  readonly #fields: FieldReader;
  readonly #rows: RowReader;
  readonly #operations: AnyOperations;
  #line = 0;
  #firstOp = 0; // of the current transaction
  #offset = 0;
  #builder: HistoryBuilder | null = null;
  #header: Header | null = null;
  readonly #order: SessionOrder;
  #isPart = false; // whether the reader reads a later part of the file
  #placed = 0; // number of transactions with a stated position
  #ended = false; // whether an end mark was read
  #isCutOff = false; // whether any file is cut off
  #firstSession = NO_SESSION; // session of the first transaction in the file
  #firstLine = 0;
  readonly #faults = new Faults();
  readonly #hidden = new Set<string>();
  readonly #isSeveral: boolean;
  #several: SeveralFiles | null = null;

  constructor(isSeveral = false, shard?: Shard) {
    this.#isSeveral = isSeveral;
    this.#json = new OperationsReader(shard === undefined ? null : new KeyShard(shard));
    this.#fields = new FieldReader(this.#json);
    this.#rows = new RowReader(this.#json, this.#fields);
    this.#operations = new AnyOperations(this.#json, this.#fields, this.#rows);
    this.#order = new SessionOrder(this.#fields);
  }

  /** Builder of the history, available once the header has been read. */
  get builder(): HistoryBuilder {
    return this.#builder!;
  }

  beginFile({ name, share }: Pick<ByteStream, 'name' | 'share'>): void {
    this.#file = name;
    this.#share = share;
    this.#line = 0;
    this.#offset = 0;
    this.#header = null;
    this.#ended = false;
  }

  /** Reads whole lines. Fails with a SyntaxProblem, which knows the line. */
  readLines(bytes: Uint8Array, start: number, end: number): void {
    for (let at = start; at < end;) {
      if (bytes[at] === LINE_FEED) {
        this.#line++;
        at++;
        continue;
      }
      const feed = bytes.indexOf(LINE_FEED, at);
      const isWhole = feed >= 0 && feed < end;
      // A killed recorder leaves half a line, written before its transaction ran.
      if (!isWhole && this.#header !== null && promisesEnd(this.#header)) break;
      const lineEnd = isWhole ? feed : end;
      this.#line++;
      this.#json.reset(bytes, at, lineEnd, this.#line, this.#offset + at - start);
      if (this.#json.peek() !== 'end') {
        if (this.#header === null) this.#begin(readHeader(this.#json, this.#fields, this.#file));
        else this.#readLine(this.#builder!);
        this.#json.finish();
      }
      at = lineEnd + 1;
    }
    this.#offset += end - start;
  }

  #begin(header: Header): void {
    const { source } = header;
    this.#header = header;
    for (const column of hiddenColumnsOf(header.hidden, header.recorded)) this.#hidden.add(column);
    const builder = (this.#builder ??= new HistoryBuilder({
      format: source?.format ?? 'isolab',
      file: source?.files[0] ?? this.#file,
      unit: source?.unit ?? 'line',
      opStride: source?.opStride ?? 0,
      database: header.database,
      // The share of several files is unknown.
      ...(!this.#isSeveral && { share: this.#share }),
    }));
    if (this.#isSeveral) {
      this.#several ??= new SeveralFiles(builder);
      this.#several.add(this.#file, header);
    }
    builder.timeUnit = header.times;
    builder.drift = Math.max(builder.drift, header.drift);
    for (const table of header.tables) builder.scans.table(table);
    header.sessions.forEach((name, s) => {
      const session = builder.session(name);
      if (this.#several !== null) this.#insistOnFile(session);
      else if (session !== s)
        throw this.#fields.problem('the same session name twice', 'sessions with different names');
      if (source && source.files.length > 1) builder.sessionFile(session, source.files[s] ?? this.#file);
    });
  }

  /** Checks, in a history of several files, that a session belongs to only one of them. */
  #insistOnFile(session: number): void {
    const other = this.#several?.otherFileOf(session, this.#file) ?? null;
    if (other !== null) throw this.#fields.problem(`a session that is also in ${other}`, 'sessions of this file only');
  }

  /** Reads a line, whose first field gives its kind. */
  #readLine(builder: HistoryBuilder): void {
    const json = this.#json;
    json.beginObject();
    const first = json.nextKey();
    if (this.#ended) throw this.#fields.problem('a line after {"isolab":"end"}', 'no line');
    if (first === 'outcome') this.#readOutcome(builder);
    else if (first === 'isolab') this.#readMark();
    else if (first === 'rows') this.#readInitialRows(builder);
    else this.#readTransaction(builder, first);
  }

  /** Reads the outcome of the session's last transaction: `{"outcome":"committed","session":"3","end":12}`. */
  #readOutcome(builder: HistoryBuilder): void {
    const json = this.#json;
    const outcome = this.#fields.readWord(['committed', 'aborted']);
    let session = NO_SESSION;
    let end: bigint | null = null;
    let number: number | null = null;
    for (let key = json.nextKey(), seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#fields.withField(seen, key, OUTCOME_FIELDS);
      if (key === 'session') session = this.#fields.readAtomInto(builder.sessions);
      else if (key === 'end') end = this.#fields.readTime(this.#header!.drift);
      else if (key === 'number') number = this.#fields.readNatural();
      else json.skipValue();
    }
    if (session === NO_SESSION)
      throw this.#fields.problem('an outcome without a session', '"session": a name or number');
    const stated = { session, status: STATUS_OF[outcome]!, end, number };
    if (this.#isPart && this.#order.keepLate(stated)) return;
    const t = this.#order.end(stated);
    builder.outcome(t, stated.status);
    if (end !== null) builder.time(t, 'end', end);
    this.#insistOnTimes(builder, t);
  }

  #insistOnTimes(builder: HistoryBuilder, t: number): void {
    const reversed = builder.reversedTimes(t);
    if (reversed !== null) throw this.#fields.problem(...describeReversed(reversed));
  }

  /** Begins a later part of the file, after the header. */
  beginPart(): void {
    this.#isPart = true;
    this.#line = 0;
  }

  /** Returns the part that was read; null if it has other lines than transactions of registers and their outcomes. */
  part(): IsolabPart | null {
    const built = this.builder.part();
    const isPlaced = this.#placed > 0;
    if (built === null || (isPlaced && this.#placed < built.txns.count)) return null;
    return { built, lines: this.#line, isPlaced, isEnded: this.#ended, sessions: this.#order.part() };
  }

  /** Appends the next part of the file. Returns false, and changes nothing, if its lines must be read again here. */
  append({ built, lines, isPlaced, isEnded, sessions }: IsolabPart): boolean {
    const { builder } = this;
    if (this.#ended || this.#firstSession === NO_SESSION || !builder.isAppendable) return false;
    const ids = builder.sessions.addAll(built.sessions); // the ids that they would get here
    const ended = this.#order.continuedBy(sessions, ids);
    if (ended === null) return false;
    for (const [i, t] of ended.entries()) {
      const { end } = sessions.late[i]!;
      if (end !== null) builder.time(t, 'end', end);
      if (builder.reversedTimes(t) !== null) return false;
    }
    ended.forEach((t, i) => builder.outcome(t, sessions.late[i]!.status));
    this.#order.append(sessions, ids, builder.transactions);
    builder.append(built, isPlaced ? 0 : this.#line);
    this.#line += lines;
    this.#ended = isEnded;
    return true;
  }

  /** Reads initial rows: `{"rows":[["doctors",1,{"on_call":true}],…]}`. */
  #readInitialRows(builder: HistoryBuilder): void {
    const json = this.#json;
    json.beginSequence();
    while (json.nextElement()) {
      const [key, value] = this.#rows.readInitialRow(builder);
      if (this.#several?.initially(key, value, this.#file) === false)
        throw this.#fields.problem('a different initial state of a row', 'the initial state of the other file');
      builder.initialOf(key, value);
    }
    if (json.nextKey() !== undefined) throw this.#fields.problem('another field', '"rows" alone on its line');
  }

  #readMark(): void {
    const { mark, why, id, fault } = readMark(this.#json, this.#fields);
    if (mark === 'fault' && this.#isPart) throw this.#fields.problem('a fault', 'transactions');
    if (mark === 'fault') this.#faults.add(id, fault);
    if (mark === 'spoiled')
      throw this.#fields.problem(`a collection that failed: ${why}`, 'a complete collection; collect it again');
    this.#ended = mark === 'end';
  }

  #readTransaction(builder: HistoryBuilder, first: string | undefined): void {
    const json = this.#json;
    const t = builder.begin(NO_SESSION, this.#line);
    this.#firstOp = builder.operations;
    let session = NO_SESSION;
    let number: number | undefined;
    let level = this.#header!.level;
    for (let key = first, seen = 0; key !== undefined; key = json.nextKey()) {
      seen = this.#fields.withField(seen, key, TRANSACTION_FIELDS);
      switch (key) {
        case 'outcome':
          throw this.#fields.problem(...LATE_OUTCOME);
        case 'session':
          session = this.#fields.readAtomInto(builder.sessions);
          break;
        case 'ops':
          this.#operations.read(builder);
          break;
        case 'id':
          builder.name(t, this.#fields.readAtom());
          break;
        case 'status':
          builder.outcome(t, STATUS_OF[this.#fields.readWord(Object.keys(STATUS_OF))]!);
          break;
        case 'begin':
        case 'begun':
        case 'committing':
        case 'end':
        case 'startTs':
        case 'commitTs':
          builder.time(t, key, this.#fields.readTime(key.endsWith('Ts') ? 0 : this.#header!.drift));
          break;
        case 'level':
          level = json.readString();
          break;
        case 'number':
          number = this.#fields.readNatural();
          break;
        case 'at':
          if (this.#header!.source !== null) this.#place(builder, t);
          else json.skipValue();
          break;
        case 'opsAt':
          if (json.shard === null) this.#readPositions(builder);
          else json.skipValue();
          break;
        default:
          json.skipValue();
      }
    }
    this.#endTransaction(builder, t, session, number);
    if (level !== null) builder.level(t, this.#header!.levels.get(level) ?? level);
  }

  #endTransaction(builder: HistoryBuilder, t: number, session: number, number: number | undefined): void {
    if (session === NO_SESSION)
      throw this.#fields.problem('a transaction without a session', '"session": a name or number');
    if (this.#several !== null) this.#insistOnFile(session);
    this.#order.add(session, t, number, builder.statusOf(t) === TxnStatus.Unknown);
    this.#insistOnTimes(builder, t);
    builder.move(t, session);
    if (this.#firstSession !== NO_SESSION) return;
    this.#firstSession = session;
    this.#firstLine = this.#line;
  }

  #place(builder: HistoryBuilder, t: number): void {
    builder.place(t, this.#fields.readNatural());
    this.#placed++;
  }

  #readPositions(builder: HistoryBuilder): void {
    const distances = this.#fields.readArray(() => this.#fields.readNatural());
    const expected = 'one position for each operation, after the operations';
    if (distances.length !== builder.operations - this.#firstOp)
      throw this.#fields.problem(`${distances.length} positions`, expected);
    distances.forEach((distance, i) => builder.opAt(distance, this.#firstOp + i));
  }

  endFile(): void {
    if (this.#builder === null || this.#header === null) {
      throw unexpected(this.#file, null, 'no line', 'a header such as {"isolab":"history","version":1}');
    }
    const { keys, values } = this.#builder;
    const { initial, initialOf } = this.#header;
    if (promisesEnd(this.#header) && !this.#ended) {
      if (!this.#isCutOff) this.#builder.note('cutOffAfterLine', this.#line);
      if (this.#isSeveral) this.#builder.note('filesCutOff');
      this.#isCutOff = true;
    }
    this.#builder.initialEverywhere(values.atom(initial));
    for (const [key, value] of initialOf) this.#builder.initialOf(keys.atom(key), values.atom(value));
  }

  /** Returns the history, after all of its files have ended. */
  finish(): History {
    const collected = withFaults(finished(this.#builder!, this.#file), this.#faults.all);
    const whole = withHiddenColumns(withClaims(collected, this.#header!.claims), this.#hidden);
    const recorded = this.#header!.recorded ?? (this.#isCutOff ? COLLECTION : null);
    const history = this.#several?.finish(whole) ?? withRecorded(whole, recorded);
    refuseMisusedRows(history, this.#file);
    if (!this.#header!.hasInitialTransaction) return history;
    return withoutInitialTransaction(history, this.#file, { session: this.#firstSession, line: this.#firstLine });
  }
}

const promisesEnd = ({ isCollected, recorded }: Header): boolean => isCollected || recorded !== null;

/** Recorder of a cut-off collection that is written again and so cannot be continued. */
const COLLECTION: Recorded = { by: 'isolab collect' };
const LINE_FEED = 10;
const NO_SESSION = -1;
