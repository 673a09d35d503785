export { closure } from './closure.ts';
export { components, cyclicComponents } from './components.ts';
export { type Adjacency, type Digraph, EdgeColumns, digraphOf, reversed } from './digraph.ts';
export { IntList, grown } from './int-list.ts';
export { Memo } from './memo.ts';
export { positions, renumbered, topologicalOrder } from './order.ts';
export { PathFinder, shortCycles } from './paths.ts';
export { lowerBound, placeIn } from './search.ts';
export { type Rows, addTo, prefixSums, rowStarts, rowsBy } from './rows.ts';
