import { type LevelDefinition, LevelError, readLevel } from '@isolab/levels';

/** Numbers that look random and are the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  below(end: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) % end;
  }

  oneOf<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

type Order = LevelDefinition['order'];
type SortLetter = 'T' | 'R' | 'E';

/** Relations from a sort to another one: any relation, and those that take no choice, which may be denied. */
const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  TT: [
    'so',
    'rt',
    'wr',
    'ww',
    'rw',
    'co',
    'conflict',
    'so',
    'wr',
    'ww',
    'rw',
    'id',
    '[initial]',
    '[writer]',
    '[level causal]',
  ],
  TR: ['seen', 'reads'],
  RT: ['missed', 'missed', 'reads^-1', 'seen^-1'],
  RR: ['po', 'same-key', 'same-value', 'id', '[reader causal]'],
  TE: ['begin', 'commit'],
  ET: ['begin^-1', 'commit^-1'],
  EE: ['before', 'time', '[begin]', '[commit]', 'before'],
};
const FIXED: Readonly<Record<string, readonly string[]>> = {
  TT: ['so', 'rt', 'wr', 'conflict', 'id', '[initial]', '[writer]'],
  TR: ['seen', 'reads'],
  RT: ['reads^-1'],
  RR: ['po', 'same-key', 'same-value', 'id'],
  TE: ['begin', 'commit'],
  ET: ['begin^-1'],
  EE: ['time', '[begin]', '[commit]'],
};

/** Levels that type-check and deny no choice, of a few axioms each: half of them in shapes that papers have. */
export function randomLevel(dice: Dice): { readonly text: string; readonly level: LevelDefinition } {
  for (;;) {
    const order = dice.oneOf<Order>(['versions', 'commits', 'commits', 'events', 'versions']);
    const axioms = Array.from({ length: 1 + dice.below(3) }, () => randomAxiom(dice, order));
    const text = `level mine\ntitle "mine"\nsummary "mine"\n${axioms.join('\n')}\n`;
    try {
      return { text, level: readLevel(text, 'mine.lvl') };
    } catch (error) {
      if (!(error instanceof LevelError)) throw error; // such as a union of the identity alone
    }
  }
}

function randomAxiom(dice: Dice, order: Order): string {
  const make = (from: SortLetter, to: SortLetter, depth: number): string => expression(dice, order, from, to, depth);
  const each = dice.below(6) === 0 && order === 'versions' ? 'for each key ' : '';
  switch (dice.below(8)) {
    case 0:
      if (order === 'events') return `acyclic ${make('E', 'E', 2)}`;
      return `${each}acyclic ${dice.oneOf(['ww | wr', 'so | wr | ww', 'so | ww', make('T', 'T', 2)])}`;
    case 1:
    case 2:
      return `${each}irreflexive ${make('T', 'T', 3)}`;
    case 3: {
      const sort = order === 'events' ? 'T' : dice.oneOf<SortLetter>(['T', 'R']);
      return `empty ${make(sort, sort, 3)}`;
    }
    case 4:
      return `${each}if t2 ${make('T', 'T', 2)} t3 then t2 before t1`;
    case 5:
      return `${each}if t2 ${make('T', 'R', 2)} r then t2 before t1`;
    case 6:
      if (order === 'commits') return `co contains ${make('T', 'T', 2)}`;
      return order === 'events' ? `before contains ${make('E', 'E', 2)}` : `irreflexive ${make('R', 'R', 2)}`;
    default:
      return dice.oneOf(USUAL[order]);
  }
}

const USUAL: Readonly<Record<Order, readonly string[]>> = {
  events: [
    'before contains commit^-1 ; (so | wr) ; begin',
    'before contains commit^-1 ; ww ; begin',
    'before contains begin^-1 ; rw ; commit',
    'if t2 commit ; before ; begin^-1 t3 then t2 before t1',
  ],
  commits: ['co contains so | wr', 'if t2 co* ; (so | wr) t3 then t2 before t1', 'if t2 co t3 then t2 before t1'],
  versions: ['if t2 (so | wr | ww)+ t3 then t2 before t1', 'acyclic so | wr | ww'],
};

function expression(
  dice: Dice,
  order: Order,
  from: SortLetter,
  to: SortLetter,
  depth: number,
  isFixed = false,
): string {
  const make = (a: SortLetter, b: SortLetter, d: number): string => expression(dice, order, a, b, d, isFixed);
  const usable = ((isFixed ? FIXED : RELATIONS)[from + to] ?? []).filter(
    (name) => (name !== 'co' || order === 'commits') && (name !== 'before' || order === 'events'),
  );
  if (depth <= 0 || dice.below(4) === 0)
    return usable.length > 0 ? dice.oneOf(usable) : `(${make(from, 'T', 0)} ; ${make('T', to, 0)})`;
  switch (dice.below(from === to ? 10 : 7)) {
    case 0:
    case 1:
      return `(${make(from, to, depth - 1)} | ${make(from, to, depth - 1)})`;
    case 2:
    case 3:
    case 4: {
      const middle = dice.oneOf(middles(order, from, to));
      return `(${make(from, middle, depth - 1)} ; ${make(middle, to, depth - 1)})`;
    }
    case 5:
      return `(${make(from, to, depth - 1)} & ${make(from, to, depth - 1)})`;
    case 6:
      return `(${make(from, to, depth - 1)} \\ ${denied(dice, order, from, to, depth, isFixed)})`;
    case 7:
      return `${make(from, to, depth - 1)}+`;
    case 8:
      return `${make(from, to, depth - 1)}${dice.oneOf(['^-1', '^-1', '*'])}`;
    default:
      return `${make(from, to, depth - 1)}?`;
  }
}

/** Sorts by way by which walks can go; reads and events are related through transactions only. */
function middles(order: Order, from: SortLetter, to: SortLetter): readonly SortLetter[] {
  const other: SortLetter = order === 'events' ? 'E' : 'R';
  const isApart = [from, to].some((sort) => sort !== 'T' && sort !== other);
  return isApart ? ['T'] : ['T', 'T', other];
}

function denied(dice: Dice, order: Order, from: SortLetter, to: SortLetter, depth: number, isFixed: boolean): string {
  if (!isFixed && dice.below(2) === 0) {
    if (order === 'commits' && from + to === 'TT') return 'co';
    if (order === 'events' && from + to === 'EE') return 'before';
  }
  return expression(dice, order, from, to, depth - 2, true);
}
