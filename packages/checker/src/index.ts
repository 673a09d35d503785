export { type Anomaly, INTERNAL_ANOMALY_NAMES, levelsForbidding } from './anomalies.ts';
export {
  type Level,
  type LevelName,
  LEVELS,
  MISLEADING_NAMES,
  type MisleadingName,
  findLevel,
  implies,
  levelNamed,
} from './levels.ts';
