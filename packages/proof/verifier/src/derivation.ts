import { isObject, listOf, located, nameTxn, objectOf, refuse } from './verdict/flaw.ts';
import type { Ground } from './ground.ts';
import { justify } from './reasons.ts';
import { ordersEvents } from './facts/rules.ts';
import type { EdgeStep } from './step.ts';

/** Refuses unless the edges form a cycle, which no order of the level can contain. */
export function verifyCycle(ground: Ground, data: unknown, depth: number): void {
  const { from, to, leaves, arrives } = verifyPath(ground, data, 'edge', depth);
  if (from !== to) refuse(`the cycle does not close: it begins at ${nameTxn(from)} and ends at ${nameTxn(to)}`);
  if (ordersEvents(ground.rules) && arrives === 'commit' && leaves === 'begin')
    refuseChain('the last', 'the first', to);
}

/** Verifies a path of edges and returns their composition. */
function verifyPath(ground: Ground, data: unknown, name: string, depth: number): EdgeStep {
  ground.enter(depth);
  const edges = listOf(data, `the list of each ${name}`);
  if (edges.length === 0) refuse(`there is no ${name}`);
  let first: EdgeStep | null = null;
  let last: EdgeStep | null = null;
  for (let i = 0; i < edges.length; i++) {
    const step = verifyEdge(ground, edges[i], name, i, depth);
    if (last !== null) {
      if (last.to !== step.from)
        refuse(`${name} ${i + 1} begins at ${nameTxn(step.from)}, but ${name} ${i} ends at ${nameTxn(last.to)}`);
      if (ordersEvents(ground.rules) && last.arrives === 'commit' && step.leaves === 'begin')
        refuseChain(`${name} ${i}`, `${name} ${i + 1}`, step.from);
    }
    first ??= step;
    last = step;
  }
  return { from: first!.from, leaves: first!.leaves, to: last!.to, arrives: last!.arrives };
}

function verifyEdge(ground: Ground, data: unknown, name: string, i: number, depth: number): EdgeStep {
  ground.enter(depth);
  // Names are built only when needed, because there may be very many edges.
  const edge = isObject(data) ? data : objectOf(data, `${name} ${i + 1}`);
  const from = ground.isNode(edge['from'])
    ? edge['from']
    : ground.node(edge['from'], `the field from of ${name} ${i + 1}`);
  const to = ground.isNode(edge['to']) ? edge['to'] : ground.node(edge['to'], `the field to of ${name} ${i + 1}`);
  try {
    const reason = objectOf(edge['reason'], 'the reason');
    if (from === to) refuse('an edge needs two different transactions');
    const path = (edges: unknown, what: string): EdgeStep => verifyPath(ground, edges, what, depth + 1);
    const { leaves, arrives } = justify(ground, { from, to, reason }, path);
    // If two writers of a key exclude each other, one commits before the other begins. If any event of `from` precedes
    // any event of `to`, then `from` is the first writer.
    const isWeaker = from >= 0 && to >= 0 && (leaves === 'begin' || arrives === 'commit');
    if (isWeaker && ground.rules.axiom === 'snapshot' && ground.writeOneKey(from, to))
      return { from, to, leaves: 'commit', arrives: 'begin' };
    return { from, to, leaves, arrives };
  } catch (error) {
    throw located(error, `${name} ${i + 1}, from ${nameTxn(from)} to ${nameTxn(to)}`);
  }
}

const refuseChain = (edge: string, next: string, t: number): never =>
  refuse(`${edge} leads only to the commit of transaction ${t}, but ${next} starts from its begin`);
