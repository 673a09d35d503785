/**
 * Bundles compiled packages of the workspace. All files end up in one flat folder, so that a script of a worker or
 * process that is found by its URL beside a module stays there. Static imports go into the bundle, including
 * third-party code. A dynamically imported third-party package stays outside, and users who need it install it.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type OutputChunk, type Plugin, type RolldownBuild, rolldown } from 'rolldown';
import { withoutIndentation } from './indentation.ts';
import { replaceCode } from './replace-code.ts';
import { isOurs, packageAround, packageName } from './workspace.ts';

export interface BundleOptions {
  /** Modules to bundle, by output file name. */
  readonly input: Readonly<Record<string, string>>;
  /** Output folder. */
  readonly folder: string;
  /** Modules that are always loaded together with their static imports: they become one file, `core`. */
  readonly core?: readonly string[];
  /** Modules that are loaded before the core; imports that both share become `start`, which does not load the core. */
  readonly before?: readonly string[];
  /** Modules that are loaded alone, in a process that should load little; their imports become `first`. */
  readonly first?: readonly string[];
  /** Packages that stay outside although they are imported statically. */
  readonly external?: readonly string[];
  /** Replacements of texts in our modules. */
  readonly replace?: Readonly<Record<string, string>>;
}

export interface Bundle {
  /** Folders of the third-party packages in the bundle. */
  readonly included: readonly string[];
  /** Third-party packages that are imported from their installed locations. */
  readonly optional: readonly string[];
}

export async function bundle({
  input,
  folder,
  core = [],
  before = [],
  first = [],
  external = [],
  replace = {},
}: BundleOptions): Promise<Bundle> {
  const optional = new Set<string>();
  const unused = new Set(Object.keys(replace));
  const entries = new Set(Object.values(input));
  const begin = (from: Readonly<Record<string, string>>): Promise<RolldownBuild> =>
    rolldown({
      input: { ...from },
      platform: 'node',
      experimental: { attachDebugInfo: 'none' }, // the names of functions suffice
      plugins: [thirdParty(optional, external), ourTexts(replace, unused)],
      treeshake: { moduleSideEffects: (id) => entries.has(id) || !isOurModule(id) },
      onwarn: (warning) => {
        // Readers and writers of a format load one another lazily; in a bundle they may be one file.
        if (warning.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(warning.message);
      },
    });
  const [ofCore, ofBefore] = [await usedBy(core, begin), await usedBy(before, begin)];
  const ofFirst = await usedBy(first, begin);
  const isIn = (id: string, there: boolean): boolean =>
    ofCore.has(id) && ofBefore.has(id) === there && !entries.has(id);
  const build = await begin(input);
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // A package's own index.js gets the name of the package.
    chunkFileNames: ({ name, facadeModuleId, moduleIds }) => {
      const id = facadeModuleId ?? moduleIds.at(-1);
      return `${name === 'dist' && id !== undefined ? path.basename(packageAround(id)) : name}.js`;
    },
    // Names and line breaks stay, so that error stacks are readable.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        { name: 'first', test: (id) => ofFirst.has(id) && !entries.has(id), priority: SHARED.length + 2 },
        { name: 'start', test: (id) => isIn(id, true), priority: SHARED.length + 1 },
        { name: 'core', test: (id) => isIn(id, false), priority: SHARED.length },
        ...SHARED.map(({ name, folders }, i) => ({
          name: `shared-${name}`,
          test: (id: string) => folders.some((each) => isBelow(id, each)),
          priority: SHARED.length - 1 - i, // a group includes its imports, unless they are in another group
        })),
      ],
    },
  });
  await build.close();
  for (const each of output)
    if (each.type === 'chunk')
      writeFileSync(path.join(folder, each.fileName), withoutIndentation(each.fileName, each.code));
  if (unused.size > 0) throw new Error(`No module contains ${[...unused].join(', ')} any more; see src/packages.ts.`);
  const modules = output.filter((each): each is OutputChunk => each.type === 'chunk').flatMap((each) => each.moduleIds);
  const folders = new Set(modules.filter((id) => !id.startsWith('\0') && !isOurModule(id)).map(packageAround));
  return { included: [...folders].toSorted(), optional: [...optional].toSorted() };
}

const isOurModule = (id: string): boolean => !id.includes('node_modules');

/**
 * Packages whose modules are used together; in other packages, such as commands and drivers, each module is its own
 * file.
 */
const SHARED = [
  { name: 'history', folders: ['core/history/dist'] },
  { name: 'contract', folders: ['core/contract/dist', 'proof/verifier/dist'] },
  { name: 'graph', folders: ['core/graph/dist'] },
  { name: 'solver', folders: ['core/polygraph/dist', 'core/solver/dist'] },
  { name: 'formats', folders: ['core/formats/dist'] },
  { name: 'workloads', folders: ['sources/workloads/dist'] },
  { name: 'markup', folders: ['library/story/dist/markup'] },
  { name: 'story', folders: ['library/story/dist'] },
  { name: 'figures', folders: ['lab/figures/dist'] },
  { name: 'explain', folders: ['library/explain/dist'] },
  { name: 'experiments', folders: ['lab/experiments/dist'] },
];

const isBelow = (id: string, folder: string): boolean =>
  isOurModule(id) && id.split(path.sep).join('/').includes(`/packages/${folder}/`);

/** Static imports of these modules after the removal of unused code, found by a trial. */
async function usedBy(
  modules: readonly string[],
  begin: (input: Readonly<Record<string, string>>) => Promise<RolldownBuild>,
): Promise<ReadonlySet<string>> {
  if (modules.length === 0) return new Set();
  const build = await begin(Object.fromEntries(modules.map((id, i) => [`part-${i}`, id])));
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  const chunks = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each]] : [])));
  const found = new Set<OutputChunk>();
  const visit = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return;
    found.add(chunk);
    for (const each of chunk.imports) visit(chunks.get(each));
  };
  for (const chunk of chunks.values()) if (chunk.isEntry) visit(chunk);
  return new Set([...found].flatMap(({ moduleIds }) => moduleIds));
}

function thirdParty(optional: Set<string>, external: readonly string[]): Plugin {
  return {
    name: 'third-party',
    resolveId(specifier, importer, { kind }) {
      if (specifier === MISSING) return MISSING;
      const name = packageName(specifier);
      if (name === null || isOurs(name) || importer === undefined) return null;
      if (external.includes(name)) return { id: specifier, external: true };
      // Bundled packages import these only as optional extras, such as pg its native version.
      if (!isOurModule(importer)) return ABSENT.has(name) ? { id: specifier, external: true } : null;
      if (kind !== 'dynamic-import') return null;
      optional.add(name);
      return { id: specifier, external: true };
    },
    load: (id) => (id === MISSING ? MISSING_SOURCE : null),
    transform(code, id) {
      if (!isOurModule(id) || id === MISSING) return null;
      const guarded = replaceCode(code, id, /\bimport\('[^']+'\)/g, (found) => {
        const name = packageName(found.slice("import('".length, -"')".length));
        return name === null || isOurs(name) ? found : `${found}.catch(missingPackage('${name}'))`;
      });
      return guarded === code ? null : `import { missingPackage } from '${MISSING}';\n${guarded}`;
    },
  };
}

const ABSENT: ReadonlySet<string> = new Set(['pg-native']);

/** The workspace always has these packages; a tarball installs them only on request. */
const MISSING = '\0missing-package';
const MISSING_SOURCE = `
export const missingPackage = (name) => (error) => {
  if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'" + name + "'")) throw error;
  const missing = new Error('This needs the package ' + name + ', which is not installed: npm install ' + name, { cause: error });
  missing.name = 'MissingPackageError';
  missing.code = error.code;
  throw missing;
};
`;

function ourTexts(replace: Readonly<Record<string, string>>, unused: Set<string>): Plugin {
  return {
    name: 'our-texts',
    transform(code, id) {
      if (!isOurModule(id)) return null;
      let changed = code;
      for (const [text, by] of Object.entries(replace)) {
        const replaced = replaceCode(changed, id, new RegExp(literally(text), 'g'), () => by);
        if (replaced !== changed) unused.delete(text);
        changed = replaced;
      }
      return changed === code ? null : changed;
    },
  };
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
