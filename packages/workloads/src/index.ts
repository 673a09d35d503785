export {
  type Distribution,
  KEY_DISTRIBUTIONS,
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
export { FAULTS, FAULT_NAMES, type Fault, type FaultName, type Faults } from './simulator/faults.ts';
export { SIMULATED_LEVELS, type SimulatedLevel } from './simulator/levels.ts';
export { type Outcome, Recorder } from './simulator/recorder.ts';
export { type Simulation, type SimulationOptions, simulate } from './simulator/simulate.ts';
export type {
  Answer,
  Key,
  Parameter,
  Program,
  Request,
  Row,
  Run,
  Setting,
  Settings,
  Transaction,
  Workload,
} from './workload.ts';
