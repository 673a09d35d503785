import type { Statement } from './statement.ts';
import type { Kind } from './expectations.ts';
import type { Reader, Treatment } from './framer.ts';
import { HEADER, Server } from './message-types.ts';
import { placeForClient } from './positions.ts';
import type { Run } from './recording.ts';
import {
  NO_DATA,
  readError,
  readFields,
  readParameterStatus,
  readRow,
  readStatus,
  readTag,
  withPlace,
} from './server-messages.ts';
import type { Question } from './question.ts';
import type { State } from './state.ts';

/** Follows the server's answers, passes them to the log, and removes the parts that the client did not ask for. */
export class ServerSide<S extends Statement> implements Reader {
  readonly #state: State<S>;
  readonly #loses: (why: string) => void;
  /** Whether the server has announced that it closes the connection. */
  #isDying = false;

  constructor(state: State<S>, loses: (why: string) => void) {
    this.#state = state;
    this.#loses = loses;
  }

  treatment(type: number): Treatment {
    if (this.#isDying) return 'pass';
    if (this.#state.question !== null) return COMES_UNASKED.has(type) ? 'pass' : 'take';
    if (type === Server.DataRow) return this.#treatmentOfRow();
    return COME_ANY_TIME.has(type) ? 'pass' : 'take';
  }

  take(type: number, bytes: Buffer, start: number, end: number): boolean {
    const { expectations } = this.#state;
    if (type === Server.ParameterStatus) {
      const reported = readParameterStatus(bytes.subarray(start, end));
      if (reported !== null) this.#state.recording.reports(reported.name, reported.value);
      return true;
    }
    if (this.#state.question !== null) return this.#answer(this.#state.question, type, bytes, start, end);
    if (type === Server.ReadyForQuery) return this.#ready(readStatus(bytes, start, end));
    if (type === Server.NoticeResponse) return this.#sendPlaced(bytes.subarray(start, end));
    expectations.dropDoubtful();
    if (type === Server.ErrorResponse) return this.#error(bytes.subarray(start, end));
    const kind = expectations.first?.kind;
    if (kind === undefined || !ANSWERS[kind].has(type)) {
      this.loses(
        `a message of type ${String.fromCharCode(type)} where ${kind ? `the answer to a ${kind} was expected` : 'no answer was expected'}`,
      );
      return true;
    }
    switch (type) {
      case Server.ParseComplete:
      case Server.BindComplete:
      case Server.CloseComplete:
        expectations.first!.meaning?.confirm();
        expectations.shift();
        return true;
      case Server.NoData:
        expectations.shift();
        return true;
      case Server.PortalSuspended:
        if (this.#run !== null) this.#state.recording.suspends(this.#run);
        expectations.shift();
        return true;
      case Server.RowDescription:
        return this.#rowDescription(bytes, start, end, kind);
      case Server.DataRow:
        return this.#row(bytes, start, end);
      case Server.CommandComplete:
        return this.#complete(readTag(bytes, start, end), bytes.subarray(start, end));
      case Server.EmptyQueryResponse:
        return this.#complete(null, bytes.subarray(start, end));
      case Server.CopyInResponse:
        expectations.copiesIn();
        return true;
      case Server.FunctionCallResponse:
        if (this.#run !== null) this.#state.recording.completes(this.#run, null);
        expectations.first!.isAnswered = true;
        return true;
      default:
        return true;
    }
  }

  /** The answers to a query of the recording do not reach the client. */
  #answer(question: Question, type: number, bytes: Buffer, start: number, end: number): boolean {
    if (type === Server.DataRow)
      question.row = readRow(bytes, start, end, bytes.readUInt16BE(start + HEADER))?.hidden ?? null;
    else if (type === Server.ErrorResponse) {
      this.#isDying = readError(bytes.subarray(start, end)).isFatal;
      return this.#isDying;
    } else if (type === Server.ReadyForQuery) {
      this.#state.question = null;
      question.answer(question.row);
    }
    return false;
  }

  loses(why: string): void {
    this.#loses(`the database sent ${why}`);
  }

  get #run(): Run<S> | null {
    const first = this.#state.expectations.first;
    return first?.runs[first.done] ?? null;
  }

  #treatmentOfRow(): Treatment {
    const run = this.#run;
    if (run === null) return 'pass';
    if (run.statement.hidden > 0 || this.#state.recording.wantsRows(run)) return 'take';
    return run.statement.isSilent ? 'drop' : 'pass';
  }

  #rowDescription(bytes: Buffer, start: number, end: number, kind: Kind): boolean {
    const { expectations, toClient } = this.#state;
    const isDescribed = kind === 'describe';
    const statement = isDescribed ? expectations.first!.statement : this.#run?.statement;
    if (isDescribed) expectations.shift();
    if (!statement) return true;
    if (statement.isSilent) {
      if (isDescribed) toClient.add(NO_DATA);
      return false;
    }
    const shown = statement.hidden > 0 ? readFields(bytes, start, end, statement.hidden) : null;
    if (shown === null) return true;
    toClient.shorten(bytes, start, shown.end, shown.columns);
    return false;
  }

  #row(bytes: Buffer, start: number, end: number): boolean {
    const { recording, toClient } = this.#state;
    const run = this.#run!;
    const { hidden, isSilent } = run.statement;
    const row = readRow(bytes, start, end, hidden);
    if (row === null) {
      this.loses(`a row that lacks its ${hidden} added columns, or has another length than it states`);
      return true;
    }
    recording.row(run, row.hidden);
    if (isSilent) return false;
    if (hidden === 0) return true;
    toClient.shorten(bytes, start, row.end, row.columns);
    return false;
  }

  #complete(tag: string | null, message: Buffer): boolean {
    const { expectations, recording } = this.#state;
    const { runs = [], done = 0 } = expectations.first ?? {};
    const run = runs[done] ?? null;
    if (run !== null) {
      recording.completes(run, tag);
      this.#forget(run.statement.text, tag, expectations.first!.order);
    }
    expectations.completes();
    if (run?.statement.isAdded) {
      this.#state.release();
      return false;
    }
    // The last statement of a string is complete once it is committed.
    if (runs[done + 1]?.statement.isAdded !== true || done + 2 < runs.length) return true;
    this.#state.held = Buffer.from(message);
    return false;
  }

  /** SQL commands can drop prepared statements, too. */
  #forget(text: string, tag: string | null, order: number): void {
    const { statements } = this.#state;
    if (tag === 'DEALLOCATE ALL' || tag === 'DISCARD ALL') statements.forgetAll(order);
    if (tag !== 'DEALLOCATE') return;
    const name = DEALLOCATE.exec(text)?.[1];
    if (name === undefined) return;
    const isQuoted = name.startsWith('"');
    statements.forget(isQuoted ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase(), order);
  }

  #error(message: Buffer): boolean {
    const { expectations } = this.#state;
    const { code, isFatal } = readError(message);
    this.#state.held = null;
    const isUnchanged = this.#sendPlaced(message);
    // The server does not report whether the statement was stopped or had already finished when it closes the
    // connection.
    if (isFatal) this.#isDying = true;
    else if (expectations.first !== null) expectations.fails(code);
    return isUnchanged;
  }

  /** Errors and notices refer to positions in the text that was sent; they are mapped to the client's text. */
  #sendPlaced(message: Buffer): boolean {
    const { expectations, toClient } = this.#state;
    const placed = withPlace(message, (place) => placeForClient(expectations.sent, place));
    if (placed === message) return true;
    toClient.give(placed);
    return false;
  }

  #ready(status: 'I' | 'T' | 'E' | null): boolean {
    const { expectations, recording, portals } = this.#state;
    const answered = expectations.ready();
    if (status === null || (answered === null && !expectations.takesDoubt())) {
      this.loses('an unexpected message that it is ready for a query');
      return true;
    }
    if (status === 'I' && answered !== null) portals.forgetAll(answered.order);
    expectations.isReady(status);
    recording.ready(status);
    return true;
  }
}

const COME_ANY_TIME: ReadonlySet<number> = new Set([Server.CopyData, Server.CopyDone, Server.NotificationResponse]);
const COMES_UNASKED: ReadonlySet<number> = new Set([Server.NotificationResponse, Server.NoticeResponse]);

const RESULT: ReadonlySet<number> = new Set([
  Server.RowDescription,
  Server.DataRow,
  Server.CommandComplete,
  Server.EmptyQueryResponse,
  Server.CopyInResponse,
  Server.CopyOutResponse,
  Server.CopyBothResponse,
]);

/** For each kind of message, the possible answers, apart from messages that may arrive at any time. */
const ANSWERS: Readonly<Record<Kind, ReadonlySet<number>>> = {
  query: RESULT,
  execute: new Set([...RESULT, Server.PortalSuspended]),
  parse: new Set([Server.ParseComplete]),
  bind: new Set([Server.BindComplete]),
  close: new Set([Server.CloseComplete]),
  describe: new Set([Server.ParameterDescription, Server.RowDescription, Server.NoData]),
  sync: new Set(),
  'function call': new Set([Server.FunctionCallResponse]),
  'end of copied data': new Set(),
};

const SPACE = String.raw`(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)`;
const NAME = String.raw`("(?:[^"]|"")+"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;
const DEALLOCATE = new RegExp(`^${SPACE}*deallocate${SPACE}+(?:prepare${SPACE}+)?${NAME}`, 'i');
