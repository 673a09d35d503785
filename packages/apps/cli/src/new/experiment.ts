import type { PluginKind } from './kind.ts';

export const experiment: PluginKind = {
  name: 'experiment',
  title: 'an experiment',
  template: 'my-experiment.json',
  taken: async () => [],
  steps: (file) => [`isolab test-plugin ${file}`, `isolab bench ${file}`],
};
