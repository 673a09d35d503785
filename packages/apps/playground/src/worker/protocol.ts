// Messages between the page and its worker: plain data.

import type { CheckResult, LevelName } from 'isolab/check';
import type { BothWidths } from 'isolab/skin';
import type { Comparison } from 'isolab';

export type Request =
  | Check
  /** Requests the story of the last history's verdict at a level, for the smallest part or the whole history. */
  | { readonly kind: 'tell'; readonly level: LevelName; readonly whole: boolean }
  /** Requests the title, the summary and the picture of that story. */
  | { readonly kind: 'brief'; readonly level: LevelName }
  /** Counts the contents of the last history. */
  | { readonly kind: 'count' }
  /** Writes the last history in a format. */
  | { readonly kind: 'convert'; readonly format: string }
  /** Runs all checkers at a level, or at each level. */
  | { readonly kind: 'compare'; readonly given: Given; readonly level: AskedLevel | 'all'; readonly limits: Limits }
  /** Verifies a certificate, given as text. */
  | { readonly kind: 'verify'; readonly given: Given; readonly certificate: string; readonly own: OwnLevel | null }
  /** Searches for histories that distinguish two levels. */
  | { readonly kind: 'compare-levels'; readonly first: AskedLevel; readonly second: AskedLevel };

/** A level by its name, or one that the user wrote. */
export type AskedLevel = LevelName | OwnLevel;

export interface OwnLevel {
  /** Definition in the language of levels. */
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

/** A history and the settings to read it. */
export interface Given {
  /** One file, or those of a directory; a pasted text counts as a file. */
  readonly files: readonly File[];
  /** Name of a format, or `auto`. */
  readonly format: string;
  readonly failedStatements: 'published' | 'rollback';
  readonly initialTransaction: 'stated' | 'first' | 'ordinary';
}

export interface EngineAsked {
  /** Name of a checker, or `auto`. */
  readonly checker: string;
  /** Null for the default. */
  readonly variant: string | null;
  readonly options: Readonly<Record<string, string>>;
}

/** Limits of one run; null for no limit. */
export interface Limits {
  readonly timeMs: number | null;
  readonly steps: number | null;
  readonly allowVacuous: boolean;
  readonly allowCutOff: boolean;
}

/** Final answer to a request; some requests are first answered by `opened`, and any may be refused. */
export type Final = Judged | Told | Counted | Converted | ComparedAll | Verified | LevelsCompared | Refusal;
export type Answer = Progress | Opened | Final;
/** Answer to the start page, which alone requests a brief. */
export type AnswerToStart = Answer | Briefed;

export interface Progress {
  readonly kind: 'progress';
  /** Current work, as text for the user. */
  readonly doing: string;
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
}

export interface Opened {
  readonly kind: 'opened';
  readonly name: string;
  /** Format and contents of the file. */
  readonly content: string;
}

/** Result, as `isolab check --output json` prints it. */
export interface Judged {
  readonly kind: 'judged';
  readonly result: CheckResult;
}

/** Parts of one level's verdict to show and to save. */
export interface Told {
  readonly kind: 'told';
  readonly level: LevelName;
  /** Page of `isolab explain`; null if there is nothing to draw, for the reason in `note`. */
  readonly page: string | null;
  readonly markdown: string | null;
  /** Share of the history in the story, or the reason why there is no story. */
  readonly note: string;
  /** Whether the stories of the smallest part and of the whole history differ. */
  readonly isViolation: boolean;
  /** History of the story: the shrunk one, or the whole. */
  readonly history: SavedFile | null;
  readonly certificate: SavedFile | null;
}

export interface Briefed {
  readonly kind: 'briefed';
  /** Null if there is nothing to draw. */
  readonly brief: Brief | null;
}

export interface Brief {
  readonly title: string;
  readonly summary: string;
  readonly picture: BothWidths;
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

/** Output of `isolab check --checker all --output json`, at one level or at each. */
export interface ComparedAll {
  readonly kind: 'compared';
  readonly comparisons: readonly Comparison[];
}

export interface Verified {
  readonly kind: 'verified';
  readonly isProof: boolean;
  /** Claim that the certificate proves, or the reason for its rejection. */
  readonly text: string;
  /** All checked facts, as text; empty for a rejected certificate. */
  readonly checked: readonly string[];
}

export interface LevelsCompared {
  readonly kind: 'levels-compared';
  readonly ways: readonly [OneWay, OneWay];
  /** Search space in which no history was found; null if there is a history in each direction. */
  readonly searched: string | null;
}

/** Whether one level implies another. */
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

/** No verdict: the input is malformed, or an internal error occurred. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly message: string;
  readonly advice: string;
}
