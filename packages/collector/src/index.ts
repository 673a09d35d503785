export { type CollectOptions, type Counts, collect } from './collect.ts';
export {
  Aborted,
  CollectorError,
  type Connection,
  ConnectionLost,
  type DataKind,
  type Database,
  type Driver,
  type Isolation,
  isolationNamed,
} from './database.ts';
export { driverFor } from './drivers.ts';
export { type EmbeddedServer, startEmbedded } from './drivers/embedded-postgres.ts';
