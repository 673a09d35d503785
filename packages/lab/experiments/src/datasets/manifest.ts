/** Shape of the manifest of datasets: named histories, their sources, and known facts about them. */
import type { LevelName } from '@isolab/contract';
import type { GeneratedSource } from '../experiment/experiment.ts';

export interface Manifest {
  readonly version: 1;
  readonly datasets: readonly Dataset[];
}

export interface Dataset {
  readonly id: string;
  readonly title: string;
  /** The name of a format of packages/core/formats. */
  readonly format: string;
  /** Checksum of the file; for a directory, of the lines `name NUL sha256 LF` of its files in the order of their names. */
  readonly sha256: string;
  readonly bytes: number;
  readonly sizes: Sizes | null;
  readonly database: string | null;
  /** The figure or table that it was made for or used in. */
  readonly figure: string | null;
  readonly source: DatasetOrigin;
  readonly expected: readonly ExpectedVerdict[];
  /** Known oddities of the dataset. */
  readonly oddities?: readonly string[];
}

export interface Sizes {
  readonly sessions: number;
  readonly transactions: number;
  readonly operations: number;
  readonly keys: number;
}

export interface ExpectedVerdict {
  readonly level: LevelName;
  readonly verdict: 'satisfied' | 'violated';
  /** Source of the expected verdict. */
  readonly by: string;
}

export type DatasetOrigin =
  /** A file of this repository; the path is relative to the folder of the manifest. */
  | { readonly kind: 'committed'; readonly path: string }
  /** Made by the simulated database; the checksum is that of the history in isolab's format. */
  | { readonly kind: 'generated'; readonly recipe: GeneratedSource }
  | PublicSource
  | ArchivedSource
  /** Only where ISOLAB_DATASETS points; found by checksum. */
  | { readonly kind: 'local'; readonly files: readonly Omit<PublicFile, 'path'>[]; readonly directory: boolean };

/** Files of a public repository, each with its checksum. */
export interface PublicSource {
  readonly kind: 'public';
  /** `https://github.com/OWNER/NAME`. */
  readonly repository: string;
  readonly commit: string;
  readonly licence: string;
  readonly files: readonly PublicFile[];
  /** Whether the dataset is a directory of these files. */
  readonly directory: boolean;
}

/** A history of an archive: its list has one checksum for the whole. */
export interface ArchivedSource {
  readonly kind: 'archive';
  readonly repository: string;
  readonly commit: string;
  readonly licence: string;
  /** In the repository: of a file, or, with `/` at the end, of a folder. */
  readonly path: string;
  /** Ending of the files that belong to a folder. */
  readonly ending?: string;
  /** The id of an earlier history with the same content. */
  readonly sameAs?: string;
}

export interface PublicFile {
  /** In the repository. */
  readonly path: string;
  /** How the file is called where it is kept. */
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
}
