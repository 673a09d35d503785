import { parseSync } from 'oxc-parser';
import { visit } from './imports.ts';

type Node = Parameters<Parameters<typeof visit>[1]>[0];

/** What starts a process or a thread whose failure comes as an event, by the module of Node that has it. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  'node:child_process': ['spawn', 'fork'],
  'node:worker_threads': ['Worker'],
};

/**
 * The places of a file that start a process or a thread and do not hand it to `started` of @isolab/history: its `error`
 * event could end the program with exit code 1, which stands for a violation.
 */
export function unheardStartsOf(file: string, text: string): number[] {
  const { program } = parseSync(file, text);
  const starters = new Set<string>();
  const starts: Node[] = [];
  /** Nodes, and names of variables, that are handed to `started`. */
  const heard = new Set<unknown>();
  const variables = new Map<unknown, string>();
  visit(program, (node) => {
    if (node.type === 'ImportDeclaration') for (const name of startersIn(node)) starters.add(name);
    else if (node.type === 'VariableDeclarator') variables.set(node['init'], nameOf(node['id'] as Node));
    else if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const [first] = node['arguments'] as Node[];
      const called = nameOf(node['callee'] as Node);
      if (called === 'started' && first) heard.add(first).add(nameOf(first));
      else if (starters.has(called)) starts.push(node);
    }
  });
  return starts.filter((node) => !heard.has(node) && !heard.has(variables.get(node) ?? null)).map(({ start }) => start);
}

const nameOf = (node: Node): string => (node.type === 'Identifier' ? String(node['name']) : '');

function startersIn(node: Node): string[] {
  const names = STARTS[(node['source'] as { value: string }).value] ?? [];
  return (node['specifiers'] as Node[])
    .filter(({ imported }) => imported !== undefined && names.includes(nameOf(imported as Node)))
    .map(({ local }) => nameOf(local as Node));
}
