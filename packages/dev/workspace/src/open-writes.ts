import { parseSync } from 'oxc-parser';
import { type Node, namesImported, nameOf, visit } from './imports.ts';

const WRITES = ['writeFile', 'writeFileSync', 'appendFile', 'appendFileSync', 'createWriteStream'];
const OPENS = ['open', 'openSync'];

/**
 * Offsets of calls that may create a file without stating who may read it: with an option `mode`, or the third argument
 * of `open`.
 */
export function openWritesOf(file: string, text: string): number[] {
  const { program } = parseSync(file, text);
  const [writers, openers] = [WRITES, OPENS].map((names) =>
    namesImported(program, { 'node:fs': names, 'node:fs/promises': names }),
  );
  const found: number[] = [];
  visit(program, (node) => {
    if (node.type !== 'CallExpression') return;
    const called = nameOf(node['callee']);
    const given = node['arguments'] as Node[];
    if (writers!.has(called) ? !given.some(saysMode) : openers!.has(called) && !isOfExisting(given))
      found.push(node.start);
  });
  return found;
}

const saysMode = ({ type, properties }: Node): boolean =>
  type === 'ObjectExpression' && (properties as Node[]).some(({ key }) => nameOf(key) === 'mode');

/** Returns whether `open` creates no file, or states its mode. */
const isOfExisting = ([, flags, mode]: readonly Node[]): boolean =>
  mode !== undefined || flags === undefined || /^r\+?$/.test(String(flags['value']));
