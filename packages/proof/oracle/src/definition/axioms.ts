import type { Axiom, BaseRelation, Expression, LevelDefinition, Sort } from '@isolab/levels';
import { typeOfRelation } from '@isolab/levels';
import { type Execution, isFixed } from './execution.ts';
import {
  type Matrix,
  closure,
  composition,
  difference,
  emptyMatrix,
  intersection,
  inverse,
  isEmpty,
  isIn,
  isIrreflexive,
  matrixOf,
  union,
  withIdentity,
} from './matrix.ts';

/** The known part of the chosen relations, for one key or for all keys. */
export type Chosen = (name: ChosenRelation, key: number | null) => Matrix;

export type ChosenRelation = 'wr' | 'seen' | 'ww' | 'rw' | 'missed' | 'co' | 'before';

export interface Judgement {
  /** Relation that the order must contain, if the axiom has this form. */
  readonly contained?: { readonly order: 'co' | 'before'; readonly relation: (chosen: Chosen) => Matrix };
  readonly holds: (chosen: Chosen) => boolean;
  /**
   * Whether a violation remains under any further order. The axiom can then be checked before the order is complete.
   */
  readonly isMonotone: boolean;
}

/** The axioms of a level on an execution with chosen sources. `sources` gives wr and seen. */
export function judgements({ axioms }: LevelDefinition, execution: Execution, sources: Chosen): Judgement[] {
  return axioms.flatMap((axiom) =>
    (axiom.eachKey ? execution.keys : [null]).map((key) => judgement(axiom, new Compiler(execution, sources, key))),
  );
}

function judgement(axiom: Axiom, compiler: Compiler): Judgement {
  const { expression } = axiom;
  const isMonotone = !subtractsChosen(expression, false);
  const { from, to } = sortsOf(expression);
  switch (axiom.kind) {
    case 'contains': {
      const sort = axiom.order === 'co' ? 'transaction' : 'event';
      const relation = compiler.compile(expression, sort, sort);
      // In a total order, a pair outside the order is in its inverse or in the identity.
      return {
        isMonotone,
        ...(isMonotone && { contained: { order: axiom.order, relation } }),
        holds: (chosen) => {
          const rows = relation(chosen);
          return isIrreflexive(rows) && isEmpty(intersection(rows, inverse(chosen(axiom.order, null), rows.length)));
        },
      };
    }
    case 'overwritten': {
      const relation = compiler.compile(expression, 'transaction', axiom.of);
      const against = axiom.of === 'read' ? 'missed' : 'rw';
      return {
        isMonotone,
        holds: (chosen) => isIrreflexive(composition(relation(chosen), chosen(against, compiler.key))),
      };
    }
    default: {
      const [start, end] = [from ?? to ?? 'transaction', to ?? from ?? 'transaction'];
      const relation = compiler.compile(expression, start, end);
      const test = {
        acyclic: (rows: Matrix) => isIrreflexive(closure(rows)),
        irreflexive: isIrreflexive,
        empty: isEmpty,
      };
      return { isMonotone, holds: (chosen) => test[axiom.kind](relation(chosen)) };
    }
  }
}

/** wr and seen are chosen before all orders. */
function subtractsChosen(expression: Expression, isNegative: boolean): boolean {
  if (expression.kind === 'base') return isNegative && isOrdered(expression.name);
  if (expression.kind === 'name') throw new Error(`Got the name ${expression.name} in a level that was resolved.`);
  if ('of' in expression) return subtractsChosen(expression.of, isNegative);
  const right = expression.kind === 'difference' ? !isNegative : isNegative;
  return subtractsChosen(expression.left, isNegative) || subtractsChosen(expression.right, right);
}

const isOrdered = (name: BaseRelation): boolean => ['ww', 'rw', 'missed', 'co', 'before'].includes(name);

interface Sorts {
  readonly from: Sort | null;
  readonly to: Sort | null;
}

/** Null for an expression of the identity alone, which has any sort. */
function sortsOf(expression: Expression): Sorts {
  switch (expression.kind) {
    case 'base':
      return typeOfRelation(expression.name);
    case 'name':
      return { from: null, to: null };
    case 'inverse': {
      const { from, to } = sortsOf(expression.of);
      return { from: to, to: from };
    }
    case 'closure':
    case 'reflexive-closure':
    case 'optional':
      return sortsOf(expression.of);
    case 'composition': {
      const [left, right] = [sortsOf(expression.left), sortsOf(expression.right)];
      return { from: left.from ?? right.from, to: right.to ?? left.to };
    }
    default: {
      const [left, right] = [sortsOf(expression.left), sortsOf(expression.right)];
      return { from: left.from ?? right.from, to: left.to ?? right.to };
    }
  }
}

type Relation = (chosen: Chosen) => Matrix;

class Compiler {
  readonly key: number | null;
  readonly #execution: Execution;
  readonly #sources: Chosen;
  /** Whether a part of the last compiled expression depends on an order. */
  #depends = false;

  constructor(execution: Execution, sources: Chosen, key: number | null) {
    this.#execution = execution;
    this.#sources = sources;
    this.key = key;
  }

  /** Compiles an expression. If it does not depend on an order, it is evaluated immediately. */
  compile(expression: Expression, from: Sort, to: Sort): Relation {
    const outside = this.#depends;
    this.#depends = false;
    const relation = this.#relation(expression, from, to);
    const depends = this.#depends;
    this.#depends ||= outside;
    if (depends) return relation;
    const fixed = relation(this.#sources);
    return () => fixed;
  }

  #relation(expression: Expression, from: Sort, to: Sort): Relation {
    switch (expression.kind) {
      case 'base':
        return this.#base(expression.name, from);
      case 'name':
        throw new Error(`Got the name ${expression.name} in a level that was resolved.`);
      case 'inverse': {
        const of = this.compile(expression.of, to, from);
        const size = this.#execution.size(from);
        return (chosen) => inverse(of(chosen), size);
      }
      case 'closure':
      case 'reflexive-closure':
      case 'optional': {
        const of = this.compile(expression.of, from, from);
        const [isClosed, isReflexive] = [expression.kind !== 'optional', expression.kind !== 'closure'];
        const identity = this.#identity(from);
        return (chosen) => {
          const closed = isClosed ? closure(of(chosen)) : of(chosen);
          return isReflexive ? union(closed, identity) : closed;
        };
      }
      case 'composition': {
        const middle = sortsOf(expression.left).to ?? sortsOf(expression.right).from ?? from;
        const left = this.compile(expression.left, from, middle);
        const right = this.compile(expression.right, middle, to);
        return (chosen) => composition(left(chosen), right(chosen));
      }
      default: {
        const combine = { union, intersection, difference }[expression.kind];
        const left = this.compile(expression.left, from, to);
        const right = this.compile(expression.right, from, to);
        return (chosen) => combine(left(chosen), right(chosen));
      }
    }
  }

  #base(name: BaseRelation, sort: Sort): Relation {
    const { key } = this;
    if (name === 'id') {
      const identity = this.#identity(sort);
      return () => identity;
    }
    const { from, to } = typeOfRelation(name);
    if (isFixed(name)) {
      const fixed = this.#ofKey(this.#execution.fixed(name, key), from!, to!);
      return () => fixed;
    }
    if (isOrdered(name)) this.#depends = true;
    return (chosen) => this.#ofKey(chosen(name, key), from!, to!);
  }

  #identity(sort: Sort): Matrix {
    return this.#ofKey(withIdentity(emptyMatrix(this.#execution.size(sort))), sort, sort);
  }

  /** An axiom about one key sees only the transactions that use the key and their reads of it. */
  #ofKey(matrix: Matrix, from: Sort, to: Sort): Matrix {
    if (this.key === null) return matrix;
    const targets = this.#things(to);
    return matrix.map((row, i) => (isIn(this.#things(from), i) ? row & targets : 0));
  }

  /** The elements of a sort, as bits. */
  #things(sort: Sort): number {
    const isThere = (thing: number): boolean =>
      sort === 'read'
        ? this.#execution.reads[thing]!.key === this.key
        : this.#execution.uses(sort === 'event' ? thing >> 1 : thing, this.key);
    let things = 0;
    for (let i = 0; i < this.#execution.size(sort); i++) if (isThere(i)) things |= 1 << i;
    return things;
  }
}

/** Derives wr and seen from the source of each read. */
export function sourcesAsRelations(execution: Execution, sources: readonly number[]): Chosen {
  const { reads } = execution;
  return (name, key) => {
    const counts = (r: number): boolean => key === null || reads[r]!.key === key;
    if (name === 'seen')
      return matrixOf(execution.size('transaction'), reads.length, (t, r) => sources[r] === t && counts(r));
    return matrixOf(execution.size('transaction'), execution.size('transaction'), (t, reader) =>
      reads.some((read, r) => read.reader === reader && sources[r] === t && counts(r)),
    );
  };
}
