export { Engine, type EngineOptions, type Horizon, type Judged } from './engine.ts';
export { type WatchFolder, watchFolder } from './folder.ts';
export { Lines } from './lines.ts';
export type { Alarm, Standing, WatchStatus } from './status.ts';
export { type Checkpoint, Watcher, type WatchLog, type WatchOptions } from './watcher.ts';
export type { Log } from './violation.ts';
