export {
  type Distribution,
  distinct,
  exponential,
  hotspot,
  jepsenExponential,
  uniform,
  zipfian,
} from './distributions.ts';
export { LIGHTWEIGHT_PARAMETERS, type LightweightOptions, lightweightHistory } from './lightweight.ts';
export { MINI_TRANSACTIONS } from './mini-transactions.ts';
export { Random } from './random.ts';
export { ParameterError, WORKLOADS, findWorkload, resolveParameters } from './registry.ts';
export { FAULTS, FAULT_NAMES, type FaultName } from './simulator/faults.ts';
export { PLANTED, type PlantedName } from './simulator/planted.ts';
export { SIMULATED_LEVELS, type SimulatedLevel } from './simulator/levels.ts';
export { type SimulationOptions, simulate } from './simulator/simulate.ts';
export {
  type ChangedRow,
  type DeletedRow,
  type JoinedRow,
  type Setting,
  type Table,
  type TableAnswer,
  type TableRequest,
  type TableRow,
  isTableRequest,
} from './tables/table.ts';
export type { Answer, Key, Parameter, Program, Request, Row, Settings, Workload } from './workload.ts';
