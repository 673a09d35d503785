/**
 * The interface between the wire and the recording. The wire asks how to send a query string, and passes on the answers
 * to each of its statements; it does not know SQL. The recording does not know messages.
 */
import type { Hold } from './gate.ts';

/** How to send one statement of a query string, and the parts of its result that the client must not see. */
export interface Statement {
  /** The client's text: the statement's part of the query string. */
  readonly text: string;
  /** Text that is inserted into the statement when it is sent. */
  readonly added: Added | null;
  /** Number of added columns at the end of each row. */
  readonly hidden: number;
  /** States that the client asked for no rows at all: the rows and their description are hidden. */
  readonly isSilent: boolean;
  /**
   * Whether the statement was added and its answers are hidden from the client. An added statement must follow a
   * statement of a simple query.
   */
  readonly isAdded?: boolean;
  /**
   * Whether the statement decides the transaction as soon as it is sent, before its result is known: COMMIT, END,
   * PREPARE TRANSACTION.
   */
  readonly commits: boolean;
}

export interface Added {
  readonly at: number;
  readonly text: string;
}

export const sentText = ({ text, added }: Statement): string =>
  added === null ? text : text.slice(0, added.at) + added.text + text.slice(added.at);

/** A value as text, or as the bytes of its type's binary form. */
export interface Parameter {
  readonly value: Buffer | null;
  readonly isBinary: boolean;
  /** The number of the type that the client gave; 0 if the server chooses the type. */
  readonly type: number;
}

/** The parameters that a statement was bound with, in order. */
export interface Parameters {
  readonly length: number;
  at(index: number): Parameter | undefined;
}

/**
 * A client's session with the database, as seen by the recording. Methods are called in the order in which the database
 * worked.
 */
export interface SessionLog<S extends Statement> {
  /** Returns how long a query string, or the execution of a prepared statement, must wait; null sends it at once. */
  holds?(text: string): Hold | null;
  /**
   * Returns the statements of a query string, in order; their concatenated texts equal the string. Returns a promise if
   * something must be queried first; later messages of the client then wait for it. `isPrepared` states whether the
   * string is only parsed now. `ask` runs a query on the client's own connection; it is null while the server works on
   * earlier messages or its transaction has failed.
   */
  plan(sql: string, isPrepared: boolean, ask: AskServer | null): readonly S[] | Promise<readonly S[]>;
  /** Returns a prepared statement with the meaning that its names have now; a promise as for `plan`. */
  present?(statement: S, ask: AskServer | null): S | Promise<S>;
  /**
   * Returns a statement whose text is unknown to the wire; `what` gives the reason. The statement is sent unchanged.
   */
  withoutText(what: TextlessStatement): S;
  /**
   * Called before a statement is sent: `parameters` if it was bound, null in a simple query. In a run of the extended
   * protocol, several statements may be sent before the first answer.
   */
  sends(statement: S, parameters: Parameters | null): Sent;
  /** Receives a setting that the server reports: those of the connection first, and each change. */
  reports?(name: string, value: string): void;
  /**
   * Called when everything that was sent has been answered: `I` outside a transaction, `T` inside one, `E` inside a
   * failed one.
   */
  ready(status: 'I' | 'T' | 'E'): void;
  /**
   * Called when the statements completed since the last `ready` could not be committed: outside a transaction, a run of
   * the extended protocol is committed at its end, after its statements are complete.
   */
  failsToCommit?(code: string): void;
  /**
   * Closes the log. `gone`: the connection was lost. Uncommitted changes will never be committed, but unanswered
   * statements may have been executed. `unfollowed`: the client continues unobserved.
   */
  closes(why: 'gone' | 'unfollowed'): void;
}

/** A statement whose text is not in a message, or cannot be read. */
export type TextlessStatement =
  | 'a function call'
  | 'a query string that could not be read'
  | 'a statement that was not prepared by a message';

/** Runs a query for one row on the client's connection, unseen by the client; null if it failed. */
export type AskServer = (sql: string) => Promise<readonly (string | null)[] | null>;

export interface Sent {
  /**
   * Receives a row's hidden columns as texts, or its last column if none is hidden. Without this method, rows pass
   * unexamined unless they have hidden columns.
   */
  readonly row?: ((columns: readonly (string | null)[]) => void) | undefined;
  /**
   * Called when the statement completes, with the tag of CommandComplete (`UPDATE 3`), or null for an empty query. Not
   * called after a failure.
   */
  complete(tag: string | null): void;
  /** Called when the client has as many rows as it requested; it may later fetch more from the same snapshot. */
  suspends?(): void;
  /** Called when the client fetches more rows. */
  resumes?(): void;
  /**
   * Called when the statement failed, or was skipped because an earlier statement failed (`code` is then null). Not
   * called if the server closed the connection with its error: the statement may then have been executed.
   */
  fails(code: string | null): void;
}

/** Facts about a connection that the database has accepted. */
export interface SessionFacts {
  readonly user: string;
  readonly database: string;
  readonly applicationName: string | null;
  /** Answers to the queries on the client's own connection that precede the client's first query. */
  readonly settings: Readonly<Record<string, string>>;
  /** The settings that the server reported. */
  readonly reported: Readonly<Record<string, string>>;
}
