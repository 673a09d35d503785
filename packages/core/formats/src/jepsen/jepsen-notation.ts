import { type Atom, type Atoms, atomIdentity, atomOf, countAtoms } from '@isolab/history';
import type { AtomRange } from '../format/capabilities.ts';

/** Spelling of events in EDN or in JSON. */
export interface Notation {
  /** Text before the first event, between events and after the last event. */
  readonly begin: string;
  readonly between: string;
  readonly end: string;
  readonly nil: string;
  event(fields: readonly (readonly [name: string, text: string])[]): string;
  sequence(items: readonly string[]): string;
  /** A word of the format itself, such as `append`. */
  word(name: string): string;
  atom(atom: Atom): string;
  /** Returns the range of atoms that can be written and remain distinct. */
  range(atoms: Atoms): AtomRange;
  /** Returns whether an atom is read back as another kind of atom with the same name. */
  renames(atom: Atom): boolean;
}

export const EDN: Notation = {
  begin: '',
  between: '\n',
  end: '\n',
  nil: 'nil',
  event: (fields) => `{${fields.map(([name, text]) => `:${name} ${text}`).join(', ')}}`,
  sequence: (items) => `[${items.join(' ')}]`,
  word: (name) => `:${name}`,
  atom: (atom) => {
    if (atom === null) return 'nil';
    if (typeof atom === 'bigint') return BigInt.asIntN(64, atom) === atom ? atom.toString() : `${atom}N`;
    if (typeof atom === 'string') return JSON.stringify(atom);
    return atom.type === 'keyword' ? `:${atom.text}` : atom.text;
  },
  range: () => (atom) => {
    if (atom === null || typeof atom === 'bigint' || typeof atom === 'string') return atom !== null;
    if (atom.type === 'keyword') return KEYWORD.test(atom.text);
    return atom.type === 'literal' && atom.text !== 'nil' && SYMBOL.test(atom.text);
  },
  renames: () => false,
};

export const JSON_NOTATION: Notation = {
  begin: '[',
  between: ',\n',
  end: ']\n',
  nil: 'null',
  event: (fields) => `{${fields.map(([name, text]) => `"${name}":${text}`).join(',')}}`,
  sequence: (items) => `[${items.join(',')}]`,
  word: (name) => `"${name}"`,
  atom: (atom) => {
    if (atom === null) return 'null';
    if (typeof atom === 'bigint') return atom.toString();
    if (typeof atom === 'string') return JSON.stringify(atom);
    return atom.type === 'keyword' ? JSON.stringify(atom.text) : atom.text;
  },
  range: (atoms) => {
    const takesKeywords = !hasKeywordLikeString(atoms);
    return (atom) => {
      if (atom === null || typeof atom === 'bigint' || typeof atom === 'string') return atom !== null;
      return atom.type === 'keyword' ? takesKeywords : atom.type === 'literal' && BOOLEAN.test(atom.text);
    };
  },
  renames: (atom) => typeof atom === 'object' && atom !== null && atom.type === 'keyword',
};

/** Returns whether a keyword and a string have the same name. */
function hasKeywordLikeString(atoms: Atoms): boolean {
  const strings = new Set<string>();
  const keywords: string[] = [];
  for (let id = 0; id < countAtoms(atoms); id++) {
    const atom = atomOf(atoms, id);
    if (typeof atom === 'string') strings.add(atom);
    else if (JSON_NOTATION.renames(atom)) keywords.push(atomIdentity(atom).slice(1));
  }
  return keywords.some((text) => strings.has(text));
}

// Narrower than EDN, but every match is read back unchanged.
const KEYWORD = /^[\w*+!?$%&=<>.-][\w*+!?$%&=<>.:/#'-]*$/;
const SYMBOL = /^[A-Za-z*!?$%&=<>_][\w*+!?$%&=<>.:/#'-]*$/;
const BOOLEAN = /^(true|false)$/;
