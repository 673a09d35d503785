import type { PluginKind } from './kind.ts';

export const driver: PluginKind = {
  name: 'driver',
  title: 'a driver of a database',
  template: 'my-driver.mjs',
  taken: async () => [],
  steps: (file) => [`isolab test-plugin ${file}`, `isolab run history.jsonl --db module:${file} --isolation snapshot`],
};
