import path from 'node:path';

/** Converts imports between files to imports between their folders. */
export function importsOfFolders(imports: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const folder = path.posix.dirname(file);
    const others = targets.map((target) => path.posix.dirname(target)).filter((other) => other !== folder);
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...others]));
  }
  return new Map([...folders].map(([folder, others]) => [folder, [...others]]));
}

/** Cycles of an import graph: strongly connected sets of at least two files or folders. */
export function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const reachable = new Map([...imports.keys()].map((file) => [file, reachedFrom(file, imports)]));
  const circles = new Map<string, string[]>();
  for (const [file, reached] of reachable) {
    if (!reached.has(file)) continue;
    const circle = [...reached].filter((other) => reachable.get(other)?.has(file)).toSorted();
    circles.set(circle[0]!, circle);
  }
  return [...circles.values()];
}

function reachedFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const left = [...(imports.get(file) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    left.push(...(imports.get(next) ?? []));
  }
  return reached;
}
