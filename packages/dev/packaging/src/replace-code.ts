import { Visitor, parseSync } from 'rolldown/utils';

/**
 * Replaces a pattern in the code of a module. A match inside a string, a template or a comment is text, and stays. The
 * pattern must have the flag g.
 */
export function replaceCode(code: string, file: string, pattern: RegExp, by: (match: string) => string): string {
  if (code.search(pattern) < 0) return code;
  const { program, comments, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const texts: { readonly start: number; readonly end: number }[] = [...comments];
  const add = (node: { readonly start: number; readonly end: number }): void => void texts.push(node);
  new Visitor({ Literal: add, TemplateElement: add }).visit(program);
  return code.replaceAll(pattern, (match, ...rest) => {
    const at = rest.find((each): each is number => typeof each === 'number')!;
    return texts.some(({ start, end }) => start <= at && at < end) ? match : by(match);
  });
}
