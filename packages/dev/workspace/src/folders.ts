import path from 'node:path';
import type { Violation } from './violation.ts';
import { circlesOf, importsOfFolders } from './circles.ts';
import type { SourceFile } from './imports.ts';

/** Reports each circle of folders once, at the first import between them in its first folder. */
export function checkFolders(files: readonly SourceFile[]): Violation[] {
  const targetsOf = ({ path: file, imports }: SourceFile): { target: string; line: number }[] =>
    imports
      .filter(({ kind, specifier }) => kind === 'import' && specifier.startsWith('.'))
      .map(({ specifier, line }) => ({ target: path.posix.join(path.posix.dirname(file), specifier), line }));
  const sources = files.filter(({ inSources }) => inSources);
  const imports = new Map(sources.map((file) => [file.path, targetsOf(file).map(({ target }) => target)]));
  return circlesOf(importsOfFolders(imports)).flatMap((circle) => {
    const isInCircle = (file: string): boolean => circle.includes(path.posix.dirname(file));
    const closing = sources
      .filter(({ path: file }) => path.posix.dirname(file) === circle[0])
      .flatMap((file) => targetsOf(file).map(({ target, line }) => ({ file: file.path, target, line })))
      .find(({ target }) => isInCircle(target) && path.posix.dirname(target) !== circle[0]);
    const found = `folders import each other in a circle: ${circle.join(', ')}`;
    const expected = 'move what the others need into a folder that imports none of them';
    return closing === undefined ? [] : [{ file: closing.file, line: closing.line, found, expected }];
  });
}
