export {
  type Distribution,
  type KeyDistribution,
  KEY_DISTRIBUTIONS,
  addDistribution,
  addedDistribution,
  defineDistribution,
  distinct,
  exponential,
  hotspot,
  jepsenExponential,
  uniform,
  zipfian,
} from './workload/distributions.ts';
export { LIGHTWEIGHT_PARAMETERS, type LightweightOptions, lightweightHistory } from './lightweight.ts';
export { MINI_TRANSACTIONS } from './mini-transactions.ts';
export { Random } from './workload/random.ts';
export { WORKLOADS, findWorkload } from './registry.ts';
export { ParameterError, resolveParameters } from './workload/parameters.ts';
export { FAULTS, FAULT_NAMES, type FaultName, type Faults } from './simulator/faults.ts';
export {
  type FaultyMethods,
  type GivenToFault,
  type InjectedFault,
  type Injection,
  defineFault,
} from './simulator/injected.ts';
export type { Attempt, SimulatedEngine } from './simulator/engine.ts';
export { PLANTED, type PlantedName } from './simulator/planted.ts';
export type { ClockOptions } from './simulator/clocks.ts';
export { type Rules, SERIALIZABLE_BY, SIMULATED_LEVELS, type SimulatedLevel } from './simulator/levels.ts';
export { type SimulationOptions, simulate } from './simulator/simulate.ts';
export { idAsked } from './tables/asking.ts';
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
} from './workload/table.ts';
export {
  type Answer,
  DISTRIBUTION,
  type Key,
  type Lock,
  type Parameter,
  type Program,
  type Request,
  type WorkloadRow,
  type Run,
  type Settings,
  type StatementRequest,
  type Transaction,
  Versions,
  type Workload,
  defineWorkload,
  isStatementRequest,
} from './workload/workload.ts';
