import { WORKLOADS, type Workload, findWorkload } from '@isolab/workloads';
import { unknownWord } from './words.ts';

export function workloadNamed(name: string): Workload {
  const workload = findWorkload(name);
  if (!workload) throw unknownWord('workload', name, [...WORKLOADS.map((each) => each.name), 'lightweight']);
  return workload;
}
