export { type Question, answerTo } from './answers.ts';
export { type CollectOptions, type Counts, DEFAULT_CONNECT_MS, DEFAULT_STALL_MS, collect } from './collect.ts';
export {
  Aborted,
  CollectorError,
  type Connection,
  ConnectionLost,
  type DataKind,
  type Database,
  type Driver,
  type Isolation,
  type Limits,
  TooManyConnections,
  isolationNamed,
} from './database.ts';
export { driverFor } from './drivers.ts';
export { type Reply, parseReply } from './drivers/exec-reply.ts';
export { type EmbeddedServer, startEmbedded } from './drivers/embedded-postgres.ts';
export { type Lock, lock } from './lock.ts';
export { withoutSecrets } from './secrets.ts';
export { Interrupted } from './time.ts';
