import {
  type AllowedRead,
  BASE_RELATIONS,
  LEVEL_RECORDS,
  type BaseRelation,
  type LevelDefinition,
  type Sort,
  typeOfRelation,
} from '@isolab/levels';
import type { Random } from '@isolab/workloads';

/**
 * Draws the text of a random level: axioms of all kinds, over relations that fit, with names for parts, possibly
 * including other levels and allowing reads. Sometimes the definition is invalid, for example if it includes a level
 * that forbids its allowed reads.
 */
export function drawLevelText(random: Random): string {
  const draft = new Draft(random, random.pick(['versions', 'versions', 'commits', 'commits', 'events']));
  const includes = random.chance(0.15) ? [`includes ${drawName(random)}`] : [];
  const eachKey = random.chance(0.05) ? [`for each key satisfies ${drawName(random)}`] : [];
  const allows = random.chance(0.15) ? [`allows ${ALLOWED.filter(() => random.chance(0.5)).join(', ')}`] : [];
  const axioms = Array.from({ length: random.between(includes.length + eachKey.length > 0 ? 0 : 1, 3) }, () =>
    draft.axiom(),
  );
  return [
    'level mine',
    ...(random.chance(0.2) ? ['title "A level, \\"mine\\""', 'summary "# no comment"', 'also mine-2, "mine+"'] : []),
    ...(random.chance(0.2) ? [`implies ${drawName(random)}`] : []),
    ...includes,
    ...allows.filter((text) => text !== 'allows '),
    ...eachKey,
    ...draft.definitions.map(({ name, text }) => `let ${name} = ${text}`),
    ...axioms.map((text) => (random.chance(0.1) ? `${text} # why` : text)),
    '',
  ].join('\n');
}

function drawName(random: Random): string {
  const { name, aliases } = random.pick(LEVEL_RECORDS);
  return random.pick([name, name, ...aliases.filter((alias) => /^[a-z0-9.-]+$/.test(alias))]);
}

const ALLOWED: readonly AllowedRead[] = [
  'aborted-reads',
  'intermediate-reads',
  'future-reads',
  'thin-air-reads',
  'blind-reads',
];

const RELATIONS = [
  ...Object.keys(BASE_RELATIONS),
  ...['level', 'reader'].flatMap((of) => [`[${of} serializable]`, `[${of} read-committed]`]),
] as BaseRelation[];

/**
 * Relations that depend on the orders and the sources of reads. If they must not hold, checkers refuse all but total
 * orders.
 */
const CHOSEN: readonly BaseRelation[] = ['ww', 'rw', 'missed', 'co', 'before', 'wr', 'seen'];

/** Relations that papers use, more often than others. */
const USUAL = ['so', 'wr', 'ww', 'rw', 'so', 'wr', 'ww'] as const;

class Draft {
  readonly definitions: { readonly name: string; readonly text: string; readonly from: Sort; readonly to: Sort }[] = [];
  readonly #random: Random;
  readonly #order: LevelDefinition['order'];

  constructor(random: Random, order: LevelDefinition['order']) {
    this.#random = random;
    this.#order = order;
    for (let count = random.below(3); count > 0; count--) this.#define();
  }

  #define(): void {
    const [from, to] = [this.#sort(), this.#sort()];
    const text = this.#expression(from, to, 2, false);
    this.definitions.push({ name: `part-${this.definitions.length + 1}`, text, from, to });
  }

  axiom(): string {
    const random = this.#random;
    const usual = this.#usual();
    if (random.chance(0.35)) return random.pick(usual);
    const each = random.chance(0.15) ? 'for each key ' : '';
    const own = this.#sort();
    switch (random.below(7)) {
      case 0:
        return `${each}acyclic ${random.chance(0.4) ? this.#usualUnion() : this.#expression(own, own, 2, false)}`;
      case 1:
      case 2:
        return `${each}irreflexive ${this.#expression(own, own, 3, false)}`;
      case 3:
        return `${each}empty ${this.#expression(this.#sort(), this.#sort(), 3, false)}`;
      case 4:
        return `${each}if t2 ${this.#expression('transaction', 'transaction', 2, false)} t3 then t2 before t1`;
      case 5:
        return `${each}if t2 ${this.#expression('transaction', 'read', 2, false)} r then t2 before t1`;
      default:
        if (this.#order === 'commits') return `co contains ${this.#expression('transaction', 'transaction', 2, false)}`;
        if (this.#order === 'events') return `before contains ${this.#expression('event', 'event', 2, false)}`;
        return random.pick(usual);
    }
  }

  #usual(): readonly string[] {
    switch (this.#order) {
      case 'events':
        return [
          'before contains commit^-1 ; (so | wr) ; begin',
          'before contains commit^-1 ; ww ; begin',
          'before contains begin^-1 ; rw ; commit',
          'before contains time',
          'if t2 commit ; before ; begin^-1 t3 then t2 before t1',
        ];
      case 'commits':
        return [
          'co contains so | wr',
          'co contains rt',
          'if t2 co* ; (so | wr) t3 then t2 before t1',
          'if t2 co* ; (co & conflict) t3 then t2 before t1',
          'if t2 seen ; po r then t2 before t1',
          'if t2 co t3 then t2 before t1',
        ];
      default:
        return [
          'acyclic so | wr | ww',
          'acyclic so | wr | ww | rw',
          'irreflexive (so | wr | ww)+ ; rw',
          'for each key acyclic so | wr | ww | rw',
          'if t2 (so | wr)+ t3 then t2 before t1',
          'empty po & same-key \\ same-value',
        ];
    }
  }

  #usualUnion(): string {
    return Array.from({ length: this.#random.between(1, 4) }, () => this.#random.pick(USUAL)).join(' | ');
  }

  #sort(): Sort {
    return this.#random.pick(
      this.#order === 'events' ? ['transaction', 'event', 'read'] : ['transaction', 'transaction', 'read'],
    );
  }

  /** `isDenied`: to the right of an odd number of differences; most relations there must be decidable. */
  #expression(from: Sort, to: Sort, depth: number, isDenied: boolean): string {
    const random = this.#random;
    const make = (a: Sort, b: Sort): string => this.#expression(a, b, depth - 1, isDenied);
    if (depth <= 0 || random.chance(0.25)) return this.#letter(from, to, isDenied);
    switch (random.below(from === to ? 9 : 6)) {
      case 0:
      case 1:
        return `(${make(from, to)} | ${make(from, to)})`;
      case 2:
      case 3: {
        const middle = this.#sort();
        return `(${make(from, middle)} ; ${make(middle, to)})`;
      }
      case 4:
        return `(${make(from, to)} & ${make(from, to)})`;
      case 5:
        return `(${make(from, to)} \\ ${this.#denied(from, to, depth)})`;
      default:
        return `${bracketed(make(from, to))}${random.pick(['+', '+', '*', '?', '^-1'])}`;
    }
  }

  #denied(from: Sort, to: Sort, depth: number): string {
    const isTotal = from === to && this.#random.chance(0.3);
    if (isTotal && from === 'transaction' && this.#order === 'commits') return 'co';
    if (isTotal && from === 'event' && this.#order === 'events') return 'before';
    return this.#expression(from, to, depth - 2, this.#random.chance(0.95));
  }

  #letter(from: Sort, to: Sort, isDenied: boolean): string {
    const fitting = RELATIONS.filter((name) => this.#isUsable(name, isDenied)).flatMap((name) => {
      const type = typeOfRelation(name);
      if (type.from === null || type.to === null) return from === to ? [name] : [];
      return [
        ...(type.from === from && type.to === to ? [name, name] : []),
        ...(type.to === from && type.from === to ? [`${name}^-1`] : []),
      ];
    });
    const parts = isDenied ? [] : this.definitions.filter((part) => part.from === from && part.to === to);
    if (parts.length > 0 && this.#random.chance(0.3)) return this.#random.pick(parts).name;
    if (from === 'transaction' && to === 'transaction' && !isDenied && this.#random.chance(0.4))
      return this.#random.pick(USUAL);
    if (fitting.length > 0) return this.#random.pick(fitting);
    return `(${this.#letter(from, 'transaction', isDenied)} ; ${this.#letter('transaction', to, isDenied)})`;
  }

  #isUsable(name: BaseRelation, isDenied: boolean): boolean {
    if (isDenied && CHOSEN.includes(name)) return false;
    if (name === 'co') return this.#order !== 'versions';
    return name !== 'before' || this.#order === 'events';
  }
}

const bracketed = (text: string): string => (/^[a-z-]+$/.test(text) ? text : `(${text})`);
