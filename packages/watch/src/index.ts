export { Engine, type EngineOptions, type Horizon, type Judged, type Log, type Violation } from './engine.ts';
export { Lines } from './lines.ts';
