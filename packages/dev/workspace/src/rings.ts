/**
 * The rings: the folders of packages/, from the innermost outward. A package belongs to the ring of its folder, and a
 * ring imports no ring outside it.
 */
export const rings = ['core', 'checkers', 'proof', 'sources', 'library', 'field', 'lab', 'apps', 'dev'] as const;

export type Ring = (typeof rings)[number];

const OF_CHECKS = ['core', 'checkers', 'proof', 'sources', 'library'] as const;

/** Rings that the sources of a ring may import from. */
export const allowedFromSources: Readonly<Record<Ring, readonly Ring[]>> = {
  core: ['core'],
  // No checker imports another one: hosts load them by name.
  checkers: ['core'],
  // Shares nothing with the verified code.
  proof: ['core', 'proof'],
  sources: ['core', 'sources'],
  library: OF_CHECKS,
  field: [...OF_CHECKS, 'field'],
  lab: [...OF_CHECKS, 'field', 'lab'],
  apps: [...OF_CHECKS, 'field', 'lab', 'apps'],
  // Its scripts may read everything, for example to generate a table in a README; no other ring imports them.
  dev: rings,
};

/**
 * Modules that a skin may import in addition to the library, from its ring and those inside it: sources of histories,
 * suites for plug-ins, and checkers that have a command of their own. Everything else reaches a skin through `isolab`.
 */
const BESIDE_LIBRARY: Readonly<Record<string, readonly string[]>> = {
  '@isolab/cli': [
    '@isolab/collector',
    '@isolab/elle',
    '@isolab/engines',
    '@isolab/formats/conformance',
    '@isolab/objects/jepsen',
    '@isolab/schedules',
    '@isolab/testkit/checks',
    '@isolab/workloads',
    '@isolab/workloads/conformance',
  ],
  '@isolab/playground': [],
};

/** Returns whether the sources of a package may use a module of a ring only through the library. */
export function isBehindLibrary(skin: string, specifier: string, ring: Ring): boolean {
  const beside = BESIDE_LIBRARY[skin];
  const isInside = (OF_CHECKS as readonly Ring[]).includes(ring) && specifier.split('/')[0] !== 'isolab';
  return beside !== undefined && isInside && !beside.includes(specifier);
}

/**
 * Rings that a package may import from outside its `src/`, mainly in tests: also the code that makes and checks
 * histories.
 */
export function allowedFromTests(ring: Ring): readonly Ring[] {
  return [...new Set<Ring>([...allowedFromSources[ring], 'proof', 'sources', 'dev'])];
}

/** Returns whether the sources of a package run anywhere: no `node:*`, and `"types": []` in its tsconfig. */
export function isPure(folder: string): boolean {
  const [, ring = '', name = ''] = folder.split('/');
  return PURE_RINGS.includes(ring) ? !IMPURE.includes(name) : PURE.includes(name);
}

const PURE_RINGS: readonly string[] = ['core', 'checkers', 'proof'] satisfies readonly Ring[];
/** Packages that read and write files, or run the code under test. */
const IMPURE: readonly string[] = ['formats', 'testkit', 'lattice', 'oracle'];
const PURE: readonly string[] = ['explain', 'story', 'figures'];

/** Ring of a package, from its folder: benchmarks belong to development. */
export function ringOf(folder: string): Ring | undefined {
  const [top, ring] = folder.split('/');
  return top === 'benchmarks' ? 'dev' : rings.find((each) => each === ring);
}

/** The table in docs/architecture.md. */
export function ringsAsMarkdown(): string {
  const rows = rings.map((ring) => {
    const allowed = allowedFromSources[ring];
    return `| ${ring} | ${allowed.length === rings.length ? 'everything' : allowed.join(', ')} |`;
  });
  return ['| ring | its sources may import |', '| --- | --- |', ...rows].join('\n');
}
