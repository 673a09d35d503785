import type { OwnImports } from '@isolab/runner';

/** Modules that plug-ins import by our name, wherever they are: compiled, and beside this file. */
export function pluginImports(): OwnImports {
  const here = import.meta.url;
  const folder = here.endsWith('.ts') ? '../../dist/' : '../'; // a test runs this uncompiled
  const urlOf = (file: string): string => new URL(`${folder}${file}`, here).href;
  return { isolab: urlOf('index.js'), 'isolab/plugin': urlOf('plugin.js') };
}
