/** The conformance suites of workloads, distributions and faults. */
export { distributionDemands } from './distribution.ts';
export { faultDemands } from './fault.ts';
export { type Judge, workloadDemands } from './workload.ts';
