import { Visitor, parseSync } from 'rolldown/utils';

/** Removes the indentation of code, which is a fortieth of a tarball. Texts over several lines keep theirs. */
export function withoutIndentation(file: string, code: string): string {
  const texts: { readonly start: number; readonly end: number }[] = [];
  new Visitor({ TemplateLiteral: ({ start, end }) => void texts.push({ start, end }) }).visit(
    parseSync(file, code).program,
  );
  let text = 0;
  return code.replaceAll(/^\t+/gm, (tabs, at: number) => {
    while (text < texts.length && texts[text]!.end <= at) text++;
    return text < texts.length && texts[text]!.start < at ? tabs : '';
  });
}
