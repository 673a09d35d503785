import { parseSync } from 'oxc-parser';
import { type Node, namesImported, nameOf, visit } from './imports.ts';

/** Calls that start a process or a thread and report failures as events, by module of Node. */
const STARTS = { 'node:child_process': ['spawn', 'fork'], 'node:worker_threads': ['Worker'] };

/**
 * Offsets of calls that start a process or a thread without passing it to `started` of @isolab/history: its `error`
 * event could end the program with exit code 1, which stands for a violation.
 */
export function unheardStartsOf(file: string, text: string): number[] {
  const { program } = parseSync(file, text);
  const starters = namesImported(program, STARTS);
  const starts: Node[] = [];
  /** Nodes, and names of variables, that are passed to `started`. */
  const heard = new Set<unknown>();
  const variables = new Map<unknown, string>();
  visit(program, (node) => {
    if (node.type === 'VariableDeclarator') variables.set(node['init'], nameOf(node['id']));
    else if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const [first] = node['arguments'] as Node[];
      const called = nameOf(node['callee']);
      if (called === 'started' && first) heard.add(first).add(nameOf(first));
      else if (starters.has(called)) starts.push(node);
    }
  });
  return starts.filter((node) => !heard.has(node) && !heard.has(variables.get(node) ?? null)).map(({ start }) => start);
}
