export { BitMatrix, closure } from './closure.ts';
export { type Components, components, cyclicComponents } from './components.ts';
export { type Digraph, EdgeColumns, digraphOf, reversed } from './digraph.ts';
export { positions, topologicalOrder } from './order.ts';
export { PathFinder, shortCycles } from './paths.ts';
