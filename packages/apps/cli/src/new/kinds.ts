import { checker } from './checker.ts';
import { distribution } from './distribution.ts';
import { driver } from './driver.ts';
import { experiment } from './experiment.ts';
import { fault } from './fault.ts';
import { format } from './format.ts';
import type { PluginKind } from './kind.ts';
import { level } from './level.ts';
import { model } from './model.ts';
import { workload } from './workload.ts';

/** Kinds that `isolab new` begins as one file. To add a kind, write its file here and its template, and name it. */
export const KINDS: readonly PluginKind[] = [
  checker,
  workload,
  distribution,
  fault,
  format,
  driver,
  experiment,
  level,
  model,
];
