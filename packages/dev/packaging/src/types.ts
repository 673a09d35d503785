/**
 * Copies the declarations that those of a package refer to, also in other workspace packages, and replaces package
 * names by paths.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folderOf, isOurs, packageName } from './workspace.ts';

/** Writes `<folder>/<package>/….d.ts`; `names` are not replaced, because these packages are installed with this one. */
export function copyTypes(packages: readonly string[], folder: string, names: readonly string[] = []): void {
  const done = new Set<string>();
  const open = packages.map((name) => declarationsOf(name));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const from = file;
    const target = targetOf(from, folder);
    const text = readFileSync(from, 'utf8')
      .replaceAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm, (found, ...[a, b, c]) => {
        const specifier = String(a ?? b ?? c);
        const declared = declarationOf(specifier, from, names);
        if (declared === null) return found;
        open.push(declared);
        const relative = path.posix.relative(path.posix.dirname(target), targetOf(declared, folder));
        const local = (relative.startsWith('.') ? relative : `./${relative}`).replace(/\.d\.ts$/, '.js');
        return found.replace(specifier, local);
      })
      .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
}

/** Declarations of a package, or of one of its other entries, such as isolab/plugin. */
function declarationsOf(entry: string): string {
  const name = packageName(entry)!;
  const file = entry === name ? 'index' : entry.slice(name.length + 1);
  return path.join(folderOf(name), 'dist', `${file}.d.ts`);
}

/** Location of a specifier's declarations; null if it stays unchanged. */
function declarationOf(specifier: string, from: string, names: readonly string[]): string | null {
  if (specifier.startsWith('.')) return path.join(path.dirname(from), specifier.replace(/\.(ts|js)$/, '.d.ts'));
  const name = packageName(specifier);
  if (name !== null && isOurs(name)) return path.join(folderOf(name), 'dist/index.d.ts');
  if (names.includes(name ?? specifier)) return null;
  throw new Error(`${from} imports types from ${specifier}, which a user of the package may not have installed.`);
}

function targetOf(file: string, folder: string): string {
  const [, around, inside] = /^(.*)[/\\]dist[/\\](.*)$/.exec(file) ?? [];
  if (around === undefined || inside === undefined) throw new Error(`${file} is not in a dist/ folder.`);
  return path.join(folder, path.basename(around), inside);
}
