export { type KeyQuestion, type Question, answerTo } from './answers.ts';
export { collect } from './collect.ts';
export type { CollectOptions, Counts } from './options.ts';
export { DEFAULT_STALL_MS } from './stop.ts';
export { DEFAULT_CONNECT_MS } from './connect.ts';
export type { DriverModule, ModuleDatabase, ModuleSession } from './drivers/module-shape.ts';
export {
  type Connection,
  type DataKind,
  type Database,
  type Driver,
  type Isolation,
  type KeyData,
  type PlainSql,
  type SpokenSql,
  isolationNamed,
} from './database.ts';
export { type Finding, testDriver } from './driver-test/index.ts';
export { Proxies } from './faults/proxies.ts';
export { parseFaultSchedule, scheduleOfHistory } from './faults/schedule-file.ts';
export { FAULT_KINDS, type FaultKind, type FaultOptions, isFaultKind, isOfNetwork } from './faults/schedule.ts';
export { Aborted, CollectorError, ConnectionLost, TooManyConnections } from './errors.ts';
export { driverFor, startEmbedded } from './drivers.ts';
export { Answered, operationsOf } from './recorded.ts';
export type { Queue } from './queue.ts';
export { parseReply } from './drivers/exec-reply.ts';
export type { EmbeddedServer } from './drivers/engine.ts';
export { parseLayout } from './layout.ts';
export { lock } from './lock.ts';
export { OUTCOMES } from './drivers/all-outcomes.ts';
export { Interrupted } from '@isolab/engines';
