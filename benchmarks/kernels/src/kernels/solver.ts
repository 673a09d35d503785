import * as sat from '@isolab/solver';
import { mulberry32 } from './generate.ts';
import type { Kernel } from './kernel.ts';

const clausesOfThree = (numVariables: number, random: () => number): number[][] =>
  Array.from({ length: Math.floor(numVariables * 4.1) }, () =>
    Array.from({ length: 3 }, () => {
      const variable = Math.floor(random() * numVariables);
      return random() < 0.5 ? sat.positive(variable) : sat.negative(variable);
    }),
  );

const kernels: readonly Kernel[] = [
  {
    // Random clauses of three literals, three and a half per variable: satisfiable, with some thousand conflicts.
    name: 'solver, propagation',
    setUp: (quick) => {
      const random = mulberry32(7);
      const numVariables = quick ? 150 : 220;
      const clauses = clausesOfThree(numVariables, random);
      return {
        run: () => {
          const solver = new sat.Solver();
          for (let v = 0; v < numVariables; v++) solver.newVariable();
          for (const clause of clauses) solver.addClause(clause);
          return solver.solve();
        },
      };
    },
  },
  {
    // Decisions of another search, which starts again after each conflict, as the replay of weave does.
    name: 'solver, propagation for a search',
    setUp: (quick) => {
      const random = mulberry32(5);
      const numVariables = quick ? 1000 : 10_000;
      const clauses = clausesOfThree(numVariables, random);
      const decisions = Array.from({ length: 100 * numVariables }, () => Math.floor(2 * numVariables * random()));
      return {
        run: () => {
          const propagator = new sat.Propagator();
          for (let v = 0; v < numVariables; v++) propagator.newVariable();
          for (const clause of clauses) propagator.addClause(clause, 0);
          let conflicts = 0;
          for (const decision of decisions) {
            if (propagator.isSet(decision >> 1)) continue;
            propagator.assign(decision);
            if (propagator.propagate(() => {}) === 0) continue;
            conflicts++;
            for (let v = 0; v < numVariables; v++) propagator.unassign(v);
          }
          return conflicts;
        },
      };
    },
  },
  {
    // Each variable is the direction of an edge, as in a polygraph; a hidden order satisfies the binary clauses.
    name: 'solver, acyclicity',
    setUp: (quick) => {
      const random = mulberry32(3);
      const numNodes = quick ? 400 : 1500;
      const choices = Array.from({ length: numNodes * 6 }, () => [
        Math.floor(random() * numNodes),
        Math.floor(random() * numNodes),
      ]).filter(([one, other]) => one !== other);
      const implied = choices.map(() => Math.floor(random() * choices.length));
      return {
        run: () => {
          const solver = new sat.Solver();
          const nodes = solver.addGraph(numNodes);
          const forward = choices.map(([one, other]) => {
            const variable = solver.newVariable();
            solver.addEdge(nodes, one!, other!, sat.positive(variable));
            solver.addEdge(nodes, other!, one!, sat.negative(variable));
            return one! < other! ? sat.positive(variable) : sat.negative(variable);
          });
          for (const [index, literal] of forward.entries()) {
            const other = forward[implied[index]!]!;
            solver.addClause([literal, other]);
            solver.addClause([literal, sat.negate(other)].toReversed());
          }
          return solver.solve();
        },
      };
    },
  },
];
export default kernels;
