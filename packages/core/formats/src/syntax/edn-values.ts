import type { VerbatimNumber } from './byte-window.ts';

/** A form as a tree. Integers are numbers below 2⁵³ in magnitude and bigints otherwise; nil is null. */
export type EdnValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | VerbatimNumber // floats and ratios
  | EdnWord
  | EdnSequence
  | EdnMap
  | EdnTagged;

/** `:append` is the keyword `append`; the characters `\a` and `\newline` are named by their meaning. */
export interface EdnWord {
  readonly kind: 'keyword' | 'symbol' | 'character';
  readonly name: string;
}

export interface EdnSequence {
  readonly kind: 'vector' | 'list' | 'set';
  readonly items: EdnValue[];
}

/** Entries in the order of the text, including equal keys: only the format knows when two keys are equal. */
export interface EdnMap {
  readonly kind: 'map';
  readonly entries: [key: EdnValue, value: EdnValue][];
}

/** For `#inst "2025-06-13"`: the tag `inst`, and the whole text. */
export interface EdnTagged {
  readonly kind: 'tagged';
  readonly tag: string;
  readonly text: string;
}
