import { FAULT_NAMES } from '@isolab/workloads';
import type { PluginKind } from './kind.ts';

export const fault: PluginKind = {
  name: 'fault',
  title: 'a fault of the simulated database',
  template: 'my-fault.mjs',
  taken: async () => FAULT_NAMES,
  steps: (file) => [
    `isolab test-plugin ${file}`,
    `isolab generate contention history.jsonl --level serializable --fault ${file}=0.1`,
    `isolab check history.jsonl --level serializable`,
  ],
};
