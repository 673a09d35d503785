import type { History, PolygraphInput, Shard } from '@isolab/history';
import type { ReadingThreads } from '../files/file-parts.ts';
import type { ByteStream, Directory } from '../files/input.ts';
import type { Output } from '../files/output.ts';

/** A file format of histories. To add a format, write a file that exports it and add it to registry.ts. */
export interface HistoryFormat<Source extends ByteStream | Directory = ByteStream | Directory> {
  /** Stable, in kebab-case; a value of `--format` and `--to`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One-line title for `isolab list formats` and the documentation. */
  readonly title: string;
  /** Whether a history is one file or a directory of files. */
  readonly layout: Source['kind'];
  /** Usual name of a file of this format: `history.bincode`, `T<n>.log`. */
  readonly fileName: string;
  /** Whether `read` can read a shard of the keys. */
  readonly hasShards?: true;
  /** Whether the format is binary; its first bytes are then never a byte-order mark. */
  readonly isBinary?: true;
  /**
   * Returns whether the input looks like this format. Must be cheap and must not throw. No two formats may claim the
   * same input.
   */
  matches(input: Source): boolean | Promise<boolean>;
  read(input: Source, options: ReadOptions): Promise<History>;
  /** Files of this format, for the conformance suite where the format has no writer. */
  readonly examples?: readonly (string | Uint8Array)[];
  /** Loads the writer, which few runs need; absent for read-only formats. */
  readonly writer?: () => Promise<HistoryWriter>;
}

export interface HistoryWriter {
  /** Returns the losses of this history in this format. If empty, reading the file back gives an equal history. */
  losses(history: History): readonly Loss[];
  write(history: History, output: Output): Promise<void>;
}

export interface Loss {
  /** Name by which `--allow-lossy=` allows just this loss. */
  readonly name: LossName;
  readonly count: number;
  /** Fate of the lost items: `are left out`, `are renumbered`. */
  readonly fate: string;
}

export type LossName =
  | 'aborted-transactions'
  | 'unknown-outcomes'
  | 'empty-transactions'
  | 'empty-sessions'
  | 'session-names'
  | 'transaction-names'
  | 'times'
  | 'time-bounds'
  | 'levels'
  | 'timestamps'
  | 'versions'
  | 'key-names'
  | 'value-names'
  | 'initial-values'
  | 'nil-reads'
  | 'unknown-reads'
  | 'lists'
  | 'compare-and-sets'
  | 'range-reads'
  | 'scans'
  | 'inserts-and-deletes'
  | 'appends'
  | 'database-name'
  | 'cut-off'
  | 'transaction-order'
  | 'longer-transactions'
  | 'other-keys';

export interface ReadOptions {
  /** Effect of a failed statement: it is dropped (`published`), or the rolled-back part is aborted (`rollback`). */
  readonly failedStatements?: 'published' | 'rollback';
  /**
   * Choice of the initial transaction: as the file states, the first that looks like an initial transaction, or none.
   */
  readonly initialTransaction?: 'stated' | 'first' | 'ordinary';
  /** Threads that read parts of a large file; absent for one thread. The history is the same. */
  readonly threads?: ReadingThreads;
  /** Shard of the keys whose operations are read; all transactions are read. If absent, all operations are read. */
  readonly shard?: Shard;
}

/** A polygraph is a separate kind of input, without sessions, keys or values. */
export interface PolygraphFormat {
  readonly name: string;
  readonly title: string;
  readonly layout: 'stream';
  readonly fileName: string;
  matches(input: ByteStream): boolean;
  readPolygraph(input: ByteStream): Promise<PolygraphInput>;
  writePolygraph(polygraph: PolygraphInput, output: Output): Promise<void>;
}

export const defineFormat = <Source extends ByteStream | Directory>(
  format: HistoryFormat<Source>,
): HistoryFormat<Source> => format;
