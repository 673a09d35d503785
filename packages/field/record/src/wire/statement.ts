/**
 * Interface between the wire and the recording. The wire asks how a query string is to be sent, and passes on the
 * answers to each of its statements; it knows no SQL. The recording knows no messages.
 */

/** Sending of one statement of a query string, and the parts of its result that the client must not see. */
export interface Statement {
  /** The client's text: its part of the query string. */
  readonly text: string;
  /** Text that is inserted into it when it is sent. */
  readonly added: Added | null;
  /** Number of added columns at the end of each row. */
  readonly hidden: number;
  /** Whether the client asked for no rows at all: rows and their description are ours. */
  readonly isSilent: boolean;
  /** Whether it is ours alone: the client must see nothing of it. Only behind a statement of a simple query. */
  readonly isAdded?: boolean;
  /** Sent before this statement's result is known, it decides the transaction: COMMIT, END, PREPARE TRANSACTION. */
  readonly commits: boolean;
}

/** A text, and where it is inserted. */
export interface Added {
  readonly at: number;
  readonly text: string;
}

export const sentText = ({ text, added }: Statement): string =>
  added === null ? text : text.slice(0, added.at) + added.text + text.slice(added.at);

/** A value as the text or the bytes of its type's binary form. */
export interface Parameter {
  readonly value: Buffer | null;
  readonly isBinary: boolean;
}

/** Parameters that a statement was bound with, in order. */
export interface Parameters {
  readonly length: number;
  at(index: number): Parameter | undefined;
}

/** One client's session with the database, as the recording sees it. Called in the order in which the database worked. */
export interface SessionLog<S extends Statement> {
  /**
   * The statements of a query string, in order; their texts, joined by nothing, are the string. A promise where the
   * catalog must be asked first; later messages of the client wait for it.
   */
  plan(sql: string): readonly S[] | Promise<readonly S[]>;
  /** A statement that the wire has no text of: `what` says why. It goes as it is. */
  withoutText(what: string): S;
  /**
   * A statement is about to be sent: `parameters` where it was bound, null in a simple query. In one run of the
   * extended protocol several statements may be sent before the first is answered.
   */
  sends(statement: S, parameters: Parameters | null): Sent;
  /** The answers to everything that was sent came: `I` outside a transaction, `T` inside one, `E` inside a failed one. */
  ready(status: 'I' | 'T' | 'E'): void;
  /**
   * Statements that were completed since the last `ready` could not be committed: outside a transaction, a run of the
   * extended protocol is committed at its end, after its statements were completed.
   */
  failsToCommit?(code: string): void;
  /**
   * Ends the log. `gone`: the connection is gone, too. Uncommitted changes never will be committed, but statements that
   * were sent and not answered may have happened. `unfollowed`: the client continues, and anything may happen.
   */
  closes(why: 'gone' | 'unfollowed'): void;
}

/** One execution of a statement. */
export interface Sent {
  /**
   * A row came, with these hidden columns, as texts. Without this method, rows pass without being examined unless there
   * is something to hide in them.
   */
  row?(hidden: readonly (string | null)[]): void;
  /**
   * The statement is over: the tag of CommandComplete (`UPDATE 3`), or null for an empty query. Not called after a
   * failure.
   */
  complete(tag: string | null): void;
  /** The client has as many rows as it asked for, and may ask for more of them, from the same snapshot, or not. */
  suspends?(): void;
  /** The client asks for more of them. */
  resumes?(): void;
  /**
   * The statement failed, or was passed over because one before it failed (`code` is null then). Not called where the
   * server ended the connection with its error: then the statement may have happened.
   */
  fails(code: string | null): void;
}

/** Facts about a connection once the database has let the client in. */
export interface SessionFacts {
  readonly user: string;
  readonly database: string;
  readonly applicationName: string | null;
  /** Answers to the queries that were asked on the client's own connection before the client may ask anything. */
  readonly settings: Readonly<Record<string, string>>;
}
