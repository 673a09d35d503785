export { type KeyQuestion, type Question, answerTo } from './database/answers.ts';
export { collect } from './collection/collect.ts';
export type { CollectorOptions, Counts } from './collection/options.ts';
export { DEFAULT_CONNECT_MS } from './collection/connect.ts';
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
  isolationToCollect,
  optionalPackage,
} from './database/database.ts';
export { mixedOf } from './database/mixed.ts';
export { type DriverFinding, testDriver } from './driver-test/index.ts';
export { Proxies } from './database/proxies.ts';
export { parseFaultSchedule, scheduleOfHistory } from './faults/schedule-file.ts';
export { FAULT_KINDS, type FaultKind, type FaultOptions, isFaultKind, isOfNetwork } from './faults/schedule.ts';
export {
  Aborted,
  CollectorError,
  ConnectionLost,
  LastingFault,
  SilentDatabase,
  SpoiltTables,
  TooManyConnections,
} from './database/errors.ts';
export { withoutSecrets } from './database/secrets.ts';
export { driverFor, startEmbedded } from './drivers/drivers.ts';
export { Answered, operationsOf } from './collection/recorded.ts';
export type { Queue } from './collection/queue.ts';
export { parseReply } from './drivers/exec-reply.ts';
export type { EmbeddedServer } from './drivers/engine.ts';
export { parseLayout } from './database/layout.ts';
export { lock } from './collection/lock.ts';
export { OUTCOMES } from './drivers/all-outcomes.ts';
export { Interrupted } from '@isolab/engines';
