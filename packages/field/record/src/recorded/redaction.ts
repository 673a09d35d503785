import { createHmac, randomBytes } from 'node:crypto';
import type { Predicate } from '@isolab/history';

/** Transforms values before they are recorded. */
export interface Redaction {
  /** Null if values are recorded unchanged. */
  readonly value: ((value: number | string | boolean) => string) | null;
  condition(condition: Predicate): Predicate;
  /** Removes the constants from a statement, and its comments, which may also contain values. */
  shape(shape: string): string;
}

export const NO_REDACTION: Redaction = {
  value: null,
  condition: (condition) => condition,
  shape: (shape) => shape,
};

/** Hashes with a secret that is not kept: equal values stay equal, and values cannot be guessed by trial. */
export function hashing(secret: Buffer = randomBytes(32)): Redaction {
  const hash = (value: number | string | boolean): string =>
    createHmac('sha256', secret).update(String(value)).digest('base64url').slice(0, 16);
  const condition = (given: Predicate): Predicate => {
    if (given === true) return true;
    switch (given[0]) {
      case 'and':
      case 'or':
        return [given[0], ...given.slice(1).map((part) => condition(part as Predicate))];
      case 'not':
        return ['not', condition(given[1])];
      case '=':
      case '<>':
        return [given[0], given[1], hash(given[2])];
      case 'in':
        return ['in', given[1], given[2].map(hash)];
      case 'null':
        return given;
      default:
        // Hashing destroys the order of values.
        return ['sql', 'redacted'];
    }
  };
  return {
    value: hash,
    condition,
    shape: withoutComments,
  };
}

function withoutComments(shape: string): string {
  // Replaces the innermost matches first, because they may be nested.
  for (let [before, text] = ['', shape]; ; before = text) {
    text = text.replaceAll(/\/\*(?:(?!\/\*|\*\/)[^])*\*\/|--[^\n]*/g, '');
    if (text === before) return text.trim();
  }
}
