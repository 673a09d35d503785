import { KEY_DISTRIBUTIONS } from '@isolab/workloads';
import type { PluginKind } from './kind.ts';

export const distribution: PluginKind = {
  name: 'distribution',
  title: 'a distribution of keys',
  template: 'my-distribution.mjs',
  taken: async () => KEY_DISTRIBUTIONS.map(({ name }) => name),
  steps: (file) => [
    `isolab test-plugin ${file}`,
    `isolab generate general history.jsonl --set keys=20 --set distribution=${file}`,
  ],
};
