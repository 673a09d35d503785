import type { Axiom, Expression, LevelFile, Position, Sort } from './ast.ts';
import { LevelError } from './error.ts';
import { typeOfRelation } from './relations.ts';

/** Sort of one side of a relation. The relation `id` leaves its sides open until they are fixed for all equal sides. */
class Side {
  #sort: Sort | null;
  #same: Side | null = null;

  constructor(sort: Sort | null) {
    this.#sort = sort;
  }

  get root(): Side {
    return this.#same?.root ?? this;
  }

  get sort(): Sort | null {
    return this.root.#sort;
  }

  /** Unifies both sides if they can have one sort, and returns whether they can. */
  joins(other: Side): boolean {
    const [a, b] = [this.root, other.root];
    if (a === b) return true;
    if (a.#sort !== null && b.#sort !== null) return a.#sort === b.#sort;
    const [open, fixed] = a.#sort === null ? [a, b] : [b, a];
    open.#same = fixed;
    return true;
  }
}

interface Type {
  readonly from: Side;
  readonly to: Side;
}

const shown = ({ from, to }: Type): string => `${from.sort ?? 'any'} → ${to.sort ?? 'any'}`;

/** Throws a LevelError where the sort of a relation does not fit its place. */
export function checkTypes({ definitions, axioms }: LevelFile): void {
  const types = new Map<string, Type>();
  for (const { name, expression } of definitions) types.set(name, typeOf(expression, types));
  for (const axiom of axioms) checkAxiom(axiom, typeOf(axiom.expression, types));
}

function checkAxiom(axiom: Axiom, type: Type): void {
  const insist = (from: Side, to: Side, wanted: string): void => {
    if (!type.from.joins(from) || !type.to.joins(to))
      throw new LevelError(axiom.expression.position, `Found ${shown(type)}, expected ${wanted}.${hint(type)}`);
  };
  const transaction = new Side('transaction');
  switch (axiom.kind) {
    case 'acyclic':
    case 'irreflexive':
      insist(type.from, type.from, `a relation that leads back to its own sort after ${axiom.kind}`);
      break;
    case 'empty':
      break;
    case 'contains': {
      const side = new Side(axiom.order === 'co' ? 'transaction' : 'event');
      insist(side, side, `${side.sort} → ${side.sort} after ${axiom.order} contains`);
      break;
    }
    default:
      insist(
        transaction,
        new Side(axiom.of),
        axiom.of === 'transaction' ? 'transaction → transaction before t3' : 'transaction → read before r',
      );
  }
}

function typeOf(expression: Expression, types: ReadonlyMap<string, Type>): Type {
  switch (expression.kind) {
    case 'base': {
      const { from, to } = typeOfRelation(expression.name);
      const start = new Side(from);
      return { from: start, to: expression.name === 'id' ? start : new Side(to) };
    }
    case 'name':
      return types.get(expression.name)!;
    case 'inverse': {
      const { from, to } = typeOf(expression.of, types);
      return { from: to, to: from };
    }
    case 'closure':
    case 'reflexive-closure':
    case 'optional': {
      const type = typeOf(expression.of, types);
      if (!type.from.joins(type.to))
        fail(expression.position, `Found ${shown(type)}, expected a relation that leads back to its own sort.`, type);
      return type;
    }
    case 'composition': {
      const [left, right] = [typeOf(expression.left, types), typeOf(expression.right, types)];
      if (!left.to.joins(right.from))
        fail(expression.position, `Found ${shown(left)} before ; and ${shown(right)} after it.`, left, right);
      return { from: left.from, to: right.to };
    }
    default: {
      const [left, right] = [typeOf(expression.left, types), typeOf(expression.right, types)];
      if (!left.from.joins(right.from) || !left.to.joins(right.to))
        fail(
          expression.position,
          `Found ${shown(left)} on the left and ${shown(right)} on the right, expected the same on both sides.`,
          left,
          right,
        );
      return left;
    }
  }
}

function fail(position: Position, message: string, ...types: readonly Type[]): never {
  throw new LevelError(position, message + hint(...types));
}

/** Returns a hint about the relations that lead to a sort other than transactions. */
function hint(...types: readonly Type[]): string {
  const sorts = types.flatMap(({ from, to }) => [from.sort, to.sort]);
  if (sorts.includes('read'))
    return ' The relations reads and seen lead to a read, missed and the inverses lead from a read.';
  if (sorts.includes('event'))
    return ' The relations begin and commit lead to an event, and their inverses lead from an event.';
  return '';
}
