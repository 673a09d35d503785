import { expect, test } from 'vitest';
import { Propagator } from '../src/propagator.ts';

function chain(): Propagator {
  const propagator = new Propagator();
  for (let i = 0; i < 4; i++) propagator.newVariable();
  propagator.addClause([1, 2], 7); // 0 implies 2
  propagator.addClause([3, 4, 1], 8); // 0 and 2 imply 4
  return propagator;
}

function implied(propagator: Propagator): { readonly literals: number[]; readonly conflict: number } {
  const literals: number[] = [];
  const conflict = propagator.propagate((literal) => literals.push(literal));
  return { literals, conflict };
}

test('propagation reports each implied literal with the step of its reason', () => {
  const propagator = chain();
  propagator.assign(0);
  expect(implied(propagator)).toEqual({ literals: [2, 4], conflict: 0 });
  expect([2, 4].map((literal) => propagator.stepOf(propagator.reasonOf(literal)))).toEqual([7, 8]);
  expect([0, 1, 2, 3].map((variable) => propagator.trueLiteral(variable))).toEqual([0, 2, 4, -1]);
});

test('propagation stops at a false clause, and works again after its literals are taken back', () => {
  const propagator = chain();
  propagator.assign(5);
  propagator.assign(0);
  const { conflict } = implied(propagator);
  expect(propagator.literalsOf(conflict).every((literal) => propagator.isFalse(literal))).toBe(true);
  for (const variable of [0, 1, 2]) propagator.unassign(variable);
  propagator.assign(0);
  expect(implied(propagator)).toEqual({ literals: [2, 4], conflict: 0 });
});

test('an entered literal is true and implies nothing by itself', () => {
  const propagator = chain();
  propagator.enter(6);
  expect(implied(propagator)).toEqual({ literals: [], conflict: 0 });
  expect(propagator.isTrue(6) && propagator.isSet(3)).toBe(true);
});
