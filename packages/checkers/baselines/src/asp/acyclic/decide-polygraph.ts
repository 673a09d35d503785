import type { PolygraphAnswer, RunContext } from '@isolab/contract';
import type { PolygraphInput } from '@isolab/history';
import { type Limits, solve } from '../clingo/clingo.ts';
import { orderOf } from '../../polygraph-edges.ts';
import { Text } from '../../text.ts';

/**
 * Decides whether some choice of an edge for each constraint leaves the polygraph acyclic. Throws Stop beyond its limits.
 *
 * Clingo's `#edge` directives: SAT modulo acyclicity. The program is written in aspif, the ground form that clingo's
 * solver reads, since there is nothing to ground:
 *
 *     {e1; e2; …}.    :- not e1, not e2.  (for each constraint)    #edge (a, b).    #edge (a, b) : e1.
 */
export async function decidePolygraph(
  polygraph: PolygraphInput,
  limits: Limits,
  context: RunContext,
): Promise<PolygraphAnswer> {
  context.stage('encode');
  const { program, atoms } = encode(polygraph, context);
  context.count('choices', atoms.size);
  const answer = await solve(program, limits, context);
  if (answer.status !== 'satisfiable') return answer;
  const isThere = new Set(answer.atoms);
  const { nodes } = polygraph;
  const order = orderOf(polygraph, (from, to) => isThere.has(`e${atoms.get(from * nodes + to)}`));
  return { status: 'satisfiable', order };
}

/** Atom e1, e2, … states that an edge of a constraint exists. Constraints with a known edge are left out. */
function encode({ nodes, edges, constraints }: PolygraphInput, context: RunContext) {
  const text = new Text((steps) => context.tick(steps));
  text.add('asp 1 0 0');
  const known = new Set<number>();
  for (let i = 0; i < edges.length; i += 2) {
    const edge = edges[i] * nodes + edges[i + 1];
    if (!known.has(edge)) text.add(`8 ${edges[i]} ${edges[i + 1]} 0`);
    known.add(edge);
  }
  const atoms = new Map<number, number>();
  const atomOf = (from: number, to: number): number => {
    const given = atoms.get(from * nodes + to);
    if (given !== undefined) return given;
    const atom = atoms.size + 1;
    atoms.set(from * nodes + to, atom);
    text.add(`1 1 1 ${atom} 0 0`);
    text.add(`8 ${from} ${to} 1 ${atom}`);
    const name = `e${atom}`;
    text.add(`4 ${name.length} ${name} 1 ${atom}`);
    return atom;
  };
  for (let i = 0; i < constraints.length; i += 4) {
    const [a, b, c, d] = constraints.subarray(i, i + 4) as unknown as [number, number, number, number];
    if (known.has(a * nodes + b) || known.has(c * nodes + d)) continue;
    text.add(`1 0 0 0 2 -${atomOf(a, b)} -${atomOf(c, d)}`);
  }
  text.add('0');
  return { program: text.toString(), atoms };
}
