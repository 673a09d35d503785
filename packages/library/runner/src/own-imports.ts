import module from 'node:module';

/** Maps the names of our modules that plug-ins may import to the modules' URLs. */
export type OwnImports = Readonly<Record<string, string>>;

/**
 * From now on, resolves these names to our modules where they are not installed, so that a single-file plug-in needs no
 * package.
 */
export function provideImports(imports: OwnImports): void {
  const names = JSON.stringify(imports);
  if (provided.has(names)) return;
  provided.add(names);
  const { registerHooks } = module as { readonly registerHooks?: (hooks: { readonly resolve: Resolve }) => void };
  if (registerHooks) {
    registerHooks({
      resolve(specifier, context, next) {
        try {
          return next(specifier, context);
        } catch (error) {
          const url = Object.hasOwn(imports, specifier) ? imports[specifier] : undefined;
          if (url === undefined) throw error;
          return { url, shortCircuit: true };
        }
      },
    });
    return;
  }
  module.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: imports });
}

type Resolve = (specifier: string, context: object, next: (specifier: string, context: object) => object) => object;

const provided = new Set<string>();

/** Hooks for Node versions that run module hooks in a separate thread. */
const HOOKS = `
let imports = {};
export const initialize = (given) => void (imports = given);
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!Object.hasOwn(imports, specifier)) throw error;
    return { url: imports[specifier], shortCircuit: true };
  }
}`;
