/** Interface between the collector and a driver that runs in a process of its own: docs/drivers.md. */

export interface Given {
  readonly options: Readonly<Record<string, string>>;
  readonly sessionSetup: readonly string[];
  /** Lock timeout, where the driver can set it; one second if absent. */
  readonly lockWaitMs?: number;
}

export type Key = number | string;

export interface Row {
  readonly key: number;
  readonly value: number;
  readonly dead: boolean;
}

export interface Session {
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  close(): Promise<void>;
  read?(key: Key): Promise<number | null>;
  write?(key: Key, value: number): Promise<void>;
  compareAndSet?(key: Key, expected: number | null, value: number): Promise<boolean>;
  readList?(key: Key): Promise<readonly number[]>;
  append?(key: Key, value: number): Promise<void>;
  insert?(key: number, value: number): Promise<readonly Row[]>;
  delete?(key: number, value: number): Promise<readonly Row[]>;
  range?(low: number, high: number): Promise<readonly Row[]>;
  sql?(statement: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  readonly beginsWith?: string;
}

/** A session with rows, for the row operations that all drivers share. */
export abstract class RowSession {
  abstract read(key: Key): Promise<number | null>;
  abstract write(key: Key, value: number): Promise<void>;

  /** Returns the row of a key, deleted or not; null if it never existed. */
  protected abstract row(key: Key): Promise<Row | null>;
  protected abstract writeRow(key: Key, value: number, dead: boolean): Promise<void>;

  async compareAndSet(key: Key, expected: number | null, value: number): Promise<boolean> {
    const succeeds = (await this.read(key)) === expected;
    if (succeeds) await this.write(key, value);
    return succeeds;
  }

  async insert(key: number, value: number): Promise<readonly Row[]> {
    const found = await this.row(key);
    if (found === null || found.dead) await this.writeRow(key, value, false);
    return found === null ? [] : [found];
  }

  async delete(key: number, value: number): Promise<readonly Row[]> {
    const found = await this.row(key);
    if (found !== null && !found.dead) await this.writeRow(key, value, true);
    return found === null ? [] : [found];
  }
}

export type DataKind = 'registers' | 'counters' | 'lists' | 'rows' | 'tables';

export interface Opened {
  readonly description: string;
  readonly isTemporary: true;
  /** States that a new process finds the data of a killed one, in the folder of the data. */
  readonly outlivesProcess?: true;
  prepare(data: DataKind, keep: boolean, statements: readonly string[]): Promise<void>;
  connect(isolation: string): Promise<Session>;
  close(): Promise<void>;
}
