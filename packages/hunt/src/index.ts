export { DRAWINGS, type DrawingName } from './draws/drawing.ts';
export type { Finding } from './finding.ts';
export { hunt, resume } from './hunt.ts';
export type { HuntEvent, HuntOptions, HuntSettings, TrialRecord } from './options.ts';
export { type Draw, HUNTED } from './draws/space.ts';
export type { Summary } from './summary.ts';
