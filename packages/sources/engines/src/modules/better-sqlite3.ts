/** The part that drivers use of better-sqlite3 and of packages with its interface. */
export interface Sqlite {
  new (path: string, options: { timeout: number }): SqliteDatabase;
}

export interface SqliteDatabase {
  pragma(text: string): unknown;
  exec(sql: string): void;
  prepare(sql: string): {
    reader: boolean;
    all(...values: unknown[]): Record<string, unknown>[];
    run(...values: unknown[]): void;
  };
  readonly inTransaction: boolean;
  close(): void;
}
