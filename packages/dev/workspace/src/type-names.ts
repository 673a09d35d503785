import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Violation } from './violation.ts';
import { readPackages } from './packages.ts';

/** Reports type names that the entry points of two packages export with separate declarations. */
export function checkTypeNames(root: string): Violation[] {
  const declared = new Map<string, string>();
  return readPackages(root).flatMap(({ folder }) => {
    const types = [...typesOf(root, `${folder}/src/index.ts`)];
    const twice = types.filter(([name]) => declared.has(name));
    const violations = twice.map(([name, file]) => ({
      file,
      line: 1,
      found: `the exported type ${name}, which ${declared.get(name)} also exports as another type`,
      expected: 'one name for one type',
    }));
    for (const [name, file] of types) declared.set(name, file);
    return violations;
  });
}

/** Exported types of a file, by name, with the files of the same package that declare them. */
function typesOf(root: string, file: string): Map<string, string> {
  const types = new Map<string, string>();
  if (!existsSync(path.join(root, file))) return types;
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const [, name] of text.matchAll(/^export (?:interface|type|(?:abstract )?class) (\w+)/gm))
    types.set(name!, file);
  for (const [, names, from] of text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from '(\.[^']*)';/gm)) {
    for (const [name, declaring] of typesOf(root, path.posix.join(path.posix.dirname(file), from!)))
      if (names === '*' || new RegExp(`\\b${name}\\b(?! as)`).test(names!)) types.set(name, declaring);
  }
  return types;
}
