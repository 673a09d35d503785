import type { PluginKind } from './kind.ts';

export const workload: PluginKind = {
  name: 'workload',
  title: 'a workload',
  template: 'my-workload.mjs',
  taken: async () => (await import('@isolab/workloads')).WORKLOADS.map(({ name }) => name),
  steps: (file) => [
    `isolab test-plugin ${file}`,
    `isolab generate ${file} history.jsonl --set keys=5`,
    `isolab run history.jsonl --workload ${file}`,
  ],
};
