import type { OwnImports } from '@isolab/runner';

/**
 * Resolves the modules that plug-ins import from isolab to compiled files or, in a bundle, to files beside the bundle.
 */
export function pluginImports(): OwnImports {
  const here = import.meta.url;
  const compiled = here.endsWith('/plugins/plugin-imports.js') ? '../' : './';
  const folder = here.endsWith('.ts') ? '../../dist/' : compiled; // tests run this file uncompiled
  const urlOf = (file: string): string => new URL(`${folder}${file}`, here).href;
  return { isolab: urlOf('index.js'), 'isolab/plugin': urlOf('plugin.js') };
}
