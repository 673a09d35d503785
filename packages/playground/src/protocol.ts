// What the page and its worker say to each other: plain data.

import type { LevelName } from '@isolab/contract';
import type { CheckResult } from 'isolab';

export type Request =
  | {
      readonly kind: 'check';
      /** One file, or those of a directory; a pasted text is a file, too. */
      readonly files: readonly File[];
      /** A format's name, or `auto`. */
      readonly format: string;
      readonly level: LevelName | 'all';
      /** A checker's name, or `auto`. */
      readonly checker: string;
    }
  /** Tell how the last history came to its verdict at a level. */
  | { readonly kind: 'tell'; readonly level: LevelName };

/** A check is answered by an `opened`, then `judged`; a request to tell by a `told`; either may end in a refusal. */
export type Answer = Progress | Opened | Judged | Told | Refusal;

export interface Progress {
  readonly kind: 'progress';
  /** What is being done, for a person. */
  readonly doing: string;
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
}

export interface Opened {
  readonly kind: 'opened';
  readonly name: string;
  /** What format it has, and what is in it. */
  readonly content: string;
}

/** The result, as `isolab check --output json` prints it. */
export interface Judged {
  readonly kind: 'judged';
  readonly result: CheckResult;
}

/** What there is to show and to keep of one level's verdict. */
export interface Told {
  readonly kind: 'told';
  readonly level: LevelName;
  /** The page of `isolab view`; null where there is nothing to draw, and then `note` says why. */
  readonly page: string | null;
  readonly markdown: string | null;
  /** How much of the history the story takes, or why there is none. */
  readonly note: string;
  /** What the story is told by: the shrunk history, or all of it. */
  readonly history: SavedFile | null;
  readonly certificate: SavedFile | null;
}

export interface SavedFile {
  readonly fileName: string;
  readonly text: string;
}

/** No verdict: the input is not what it should be, or something broke. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
}
