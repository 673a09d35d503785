/** Decides when statements of clients are sent to the database, and receives their outcomes. */
export interface Gate {
  /**
   * Asks for a statement before it is sent, also when it is only prepared; null sends it at once. The session's later
   * messages wait behind it.
   */
  holds(session: string, text: string): Hold | null;
  /** Called when a statement is sent, with its time on the clock of the recording. */
  sends(session: string, statement: SentStatement): void;
  /** Called when the database refused a statement. */
  fails(session: string, code: string): void;
  /** Called when all statements of a session are answered. */
  rests(session: string, isInTransaction: boolean): void;
  /** Called when a connection has ended. */
  closes(session: string): void;
}

export interface Hold {
  readonly until: Promise<void>;
  /** States that a COMMIT is acknowledged to the client before it is sent, so that the client continues. */
  readonly isAcknowledged: boolean;
}

export interface SentStatement {
  readonly text: string;
  /** Parameters as the drivers `pg` and `mysql2` take them; undefined stands for an unreadable value. */
  readonly parameters: readonly (string | number | Buffer | null | undefined)[];
  readonly at: bigint;
}
