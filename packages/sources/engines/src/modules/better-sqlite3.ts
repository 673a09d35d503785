/** Parts in use of the package better-sqlite3, and of packages with the same interface. */
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
