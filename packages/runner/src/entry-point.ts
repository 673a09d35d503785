/** The compiled script of a worker or process; beside this file, unless this file runs uncompiled in a test. */
export function entryPoint(name: 'worker-main' | 'process-main'): URL {
  const folder = import.meta.url.endsWith('.ts') ? '../dist/' : './';
  return new URL(`${folder}${name}.js`, import.meta.url);
}
