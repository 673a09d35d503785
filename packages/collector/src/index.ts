export { type Question, answerTo } from './answers.ts';
export { type CollectOptions, type Counts, DEFAULT_CONNECT_MS, DEFAULT_STALL_MS, collect } from './collect.ts';
export {
  Aborted,
  CollectorError,
  type Connection,
  ConnectionLost,
  type Database,
  type Isolation,
  TooManyConnections,
  isolationNamed,
} from './database.ts';
export { driverFor } from './drivers.ts';
export { parseReply } from './drivers/exec-reply.ts';
export { type EmbeddedServer, startEmbedded } from './drivers/embedded-postgres.ts';
export { lock } from './lock.ts';
export { Interrupted } from './time.ts';
