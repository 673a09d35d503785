import type { History, PolygraphInput } from '@isolab/history';
import type { ByteStream, Directory } from '../files/input.ts';
import type { Output } from '../files/output.ts';

/** A file format of histories. Add one by writing a file that exports it, and naming it in registry.ts. */
export interface HistoryFormat<Source extends ByteStream | Directory = ByteStream | Directory> {
  /** Stable, in kebab-case; a value of `--format` and `--to`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Title of one line for `isolab list formats` and the documentation. */
  readonly title: string;
  /** Whether a history is one file or a directory of them. */
  readonly layout: Source['kind'];
  /** How a file of this format is usually called: `history.bincode`, `T<n>.log`. */
  readonly fileName: string;
  /** Whether it is no text; its first bytes are then never a byte-order mark. */
  readonly isBinary?: true;
  /** Returns whether the input looks like this format. Cheap; must not throw. No two formats may claim the same input. */
  matches(input: Source): boolean | Promise<boolean>;
  read(input: Source, options: ReadOptions): Promise<History>;
  /** Files of this format, for the conformance suite where there is no writer. */
  readonly examples?: readonly (string | Uint8Array)[];
  /** Loads the writer, which few runs need; absent for formats that are only read. */
  readonly writer?: () => Promise<HistoryWriter>;
}

export interface HistoryWriter {
  /** Returns the losses of this history in this format; if empty, reading it back gives an equal history. */
  losses(history: History): readonly Loss[];
  /** Writes everything that the format can express. */
  write(history: History, output: Output): Promise<void>;
}

/** Something that a conversion would lose. */
export interface Loss {
  /** Name that `--allow-lossy=` takes to allow just this loss. */
  readonly name: LossName;
  /** Number of affected items. */
  readonly count: number;
  /** Fate of the lost things: `are left out`, `are renumbered`. */
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
  /** Choice of the initial transaction: as the file states, the first that looks like it, or none. */
  readonly initialTransaction?: 'stated' | 'first' | 'ordinary';
}

/** Polygraphs are inputs of their own: they have no sessions, keys or values. */
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
