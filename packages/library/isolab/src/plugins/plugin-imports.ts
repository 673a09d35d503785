import type { OwnImports } from '@isolab/runner';

/** Modules that plug-ins import by our name, wherever they are: compiled, or beside the bundle that has this code. */
export function pluginImports(): OwnImports {
  const here = import.meta.url;
  const compiled = here.endsWith('/plugins/plugin-imports.js') ? '../' : './';
  const folder = here.endsWith('.ts') ? '../../dist/' : compiled; // a test runs this uncompiled
  const urlOf = (file: string): string => new URL(`${folder}${file}`, here).href;
  return { isolab: urlOf('index.js'), 'isolab/plugin': urlOf('plugin.js') };
}
