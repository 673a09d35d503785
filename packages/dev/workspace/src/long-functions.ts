import { parseSync } from 'oxc-parser';
import { visit } from './imports.ts';

/** Offsets of functions with more lines than `longest`, without blank lines and comments, as lint counts them. */
export function longFunctionsOf(file: string, text: string, longest: number): number[] {
  const { program, comments } = parseSync(file, text);
  let bare = text;
  for (const { start, end } of comments) bare = bare.slice(0, start) + blank(bare.slice(start, end)) + bare.slice(end);
  const found: number[] = [];
  visit(program, (node) => {
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const lines = bare.slice(node.start, node.end as number).split('\n');
    if (lines.filter((line) => line.trim() !== '').length > longest) found.push(node.start);
  });
  return found;
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
