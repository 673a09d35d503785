import { EMPTY_LIST, type History, NIL, OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';

/** Infers whether each key is a list or a register, from operations other than reads of nil. */
export class KeyUses {
  readonly #uses: number[] = []; // by key: LIST, REGISTER or both

  asList(key: number): void {
    this.#uses[key] |= LIST;
  }

  asRegister(key: number): void {
    this.#uses[key] |= REGISTER;
  }

  /**
   * Returns for every key whether a read of nil reads a list. A key with reads of nil only has the kind of all other
   * keys.
   */
  areLists(keys: number): Uint8Array {
    const uses = this.#uses;
    const all = uses.reduce((known, use) => known | use, 0);
    return Uint8Array.from({ length: keys }, (_, key) => ((uses[key] || all) === LIST ? 1 : 0));
  }
}

/**
 * Turns reads of nil, which are first treated as register reads, into list reads for keys that turn out to be lists.
 */
export function settleNilReads({ opKind, opKey, opValue, keys }: History, uses: KeyUses): void {
  const isList = uses.areLists(keys.type.length);
  if (!isList.includes(1)) return;
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] !== OpKind.Read || isList[opKey[op]] === 0 || opValue[op] > UNKNOWN_VALUE) continue;
    opValue[op] = opValue[op] === NIL ? EMPTY_LIST : UNKNOWN_LIST;
    opKind[op] = OpKind.ListRead;
  }
}

const LIST = 1;
const REGISTER = 2;
