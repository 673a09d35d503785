import { createHmac, randomBytes } from 'node:crypto';
import type { Predicate } from '@isolab/history';

/** Changes of values before they are kept. */
export interface Redaction {
  /** Null where they stay as they are. */
  readonly value: ((value: number | string | boolean) => string) | null;
  condition(condition: Predicate): Predicate;
  /** A statement without its constants; comments may hold values as well. */
  shape(shape: string): string;
}

export const NO_REDACTION: Redaction = {
  value: null,
  condition: (condition) => condition,
  shape: (shape) => shape,
};

/** Hashes with a secret that is forgotten: equal values stay equal, and values cannot be found by trial. */
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
        // The order of values is lost.
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
  // The innermost ones first: they may be nested.
  for (let [before, text] = ['', shape]; ; before = text) {
    text = text.replaceAll(/\/\*(?:(?!\/\*|\*\/)[^])*\*\/|--[^\n]*/g, '');
    if (text === before) return text.trim();
  }
}
