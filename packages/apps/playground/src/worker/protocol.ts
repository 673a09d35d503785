// Messages between the page and its worker: plain data.

import type { CheckResult, LevelName } from 'isolab/check';
import type { Comparison } from 'isolab';

export type Request =
  | Check
  /** Asks for the story of the last history's verdict at a level, of its smallest part or of all of it. */
  | { readonly kind: 'tell'; readonly level: LevelName; readonly whole: boolean }
  /** Count the contents of the last history. */
  | { readonly kind: 'count' }
  /** Write the last history in a format. */
  | { readonly kind: 'convert'; readonly format: string }
  /** Ask all checkers about a level, or about each. */
  | { readonly kind: 'compare'; readonly given: Given; readonly level: AskedLevel | 'all'; readonly limits: Limits }
  /** Whether a certificate, as a text, proves its verdict. */
  | { readonly kind: 'verify'; readonly given: Given; readonly certificate: string; readonly own: OwnLevel | null }
  /** Asks for histories that distinguish two levels. */
  | { readonly kind: 'compare-levels'; readonly first: AskedLevel; readonly second: AskedLevel };

/** A level by its name, or one that the user wrote. */
export type AskedLevel = LevelName | OwnLevel;

export interface OwnLevel {
  /** In the language of levels. */
  readonly text: string;
}

export interface Check {
  readonly kind: 'check';
  readonly given: Given;
  readonly level: AskedLevel | 'all';
  readonly engine: EngineAsked;
  readonly limits: Limits;
  /** Whether to continue after the first violation, to find every kind of anomaly. */
  readonly findAll: boolean;
}

/** A history, and how to read it. */
export interface Given {
  /** One file, or those of a directory; a pasted text is a file, too. */
  readonly files: readonly File[];
  /** A format's name, or `auto`. */
  readonly format: string;
  readonly failedStatements: 'published' | 'rollback';
  readonly initialTransaction: 'stated' | 'first' | 'ordinary';
}

export interface EngineAsked {
  /** A checker's name, or `auto`. */
  readonly checker: string;
  /** Null for the default. */
  readonly variant: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** Limits of one run; null where there is none. */
export interface Limits {
  readonly timeMs: number | null;
  readonly steps: number | null;
  readonly allowVacuous: boolean;
  readonly allowCutOff: boolean;
}

/** Each request is answered by one of these, some after an `opened`, or by a refusal. */
export type Final = Judged | Told | Counted | Converted | ComparedAll | Verified | LevelsCompared | Refusal;
export type Answer = Progress | Opened | Final;

export interface Progress {
  readonly kind: 'progress';
  /** Current work, as text for the user. */
  readonly doing: string;
  readonly done: number;
  /** 0 where it is not known. */
  readonly total: number;
}

export interface Opened {
  readonly kind: 'opened';
  readonly name: string;
  /** Format and contents of the file. */
  readonly content: string;
}

/** The result, as `isolab check --output json` prints it. */
export interface Judged {
  readonly kind: 'judged';
  readonly result: CheckResult;
}

/** Parts of one level's verdict to show and to keep. */
export interface Told {
  readonly kind: 'told';
  readonly level: LevelName;
  /** The page of `isolab explain`; null where there is nothing to draw, and then `note` says why. */
  readonly page: string | null;
  readonly markdown: string | null;
  /** Share of the history in the story, or the reason for its absence. */
  readonly note: string;
  /** Whether the story of the smallest part, or of all, would be another one. */
  readonly isViolation: boolean;
  /** History of the story: the shrunk one, or all of it. */
  readonly history: SavedFile | null;
  readonly certificate: SavedFile | null;
}

/** Output of `isolab stats`, in rows of a name, a number and a remark. */
export interface Counted {
  readonly kind: 'counted';
  readonly rows: readonly (readonly [string, string, string])[];
}

export interface Converted {
  readonly kind: 'converted';
  readonly files: readonly SavedBytes[];
  /** Possible losses; if there are any, the history was not written. */
  readonly losses: readonly string[];
}

/** Output of `isolab check --checker all --output json`, of one level or of each. */
export interface ComparedAll {
  readonly kind: 'compared';
  readonly comparisons: readonly Comparison[];
}

export interface Verified {
  readonly kind: 'verified';
  readonly isProof: boolean;
  /** Claim that the certificate proves, or the reason why it proves none. */
  readonly text: string;
  /** All checked facts, in words; empty for a rejected certificate. */
  readonly checked: readonly string[];
}

export interface LevelsCompared {
  readonly kind: 'levels-compared';
  readonly ways: readonly [OneWay, OneWay];
  /** Search space where no history was found; null if both ways there is a history. */
  readonly searched: string | null;
}

/** Whether one level implies another one. */
export interface OneWay {
  readonly strong: LevelName;
  readonly weak: LevelName;
  /** A small history, in the notation, that satisfies `strong` and violates `weak`; null if none was found. */
  readonly text: string | null;
  /** Whether the definition of `strong` states that it implies `weak`. */
  readonly isStated: boolean;
}

export interface SavedFile {
  readonly fileName: string;
  readonly text: string;
}

export interface SavedBytes {
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** No verdict: the input is malformed, or something broke. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly message: string;
  readonly advice: string;
}
