import type { Scale } from '@isolab/experiments';
import { type CommandFlags, Flag, ROOT, SCALE, TOOLS } from '../terminal/options.ts';

const ONE_SCALE = new Flag<{ readonly scale?: Scale }>(
  '--scale <scale>',
  'choose the scale: ci, laptop, paper; if absent, ci for experiments, and for a claim the largest that measured it',
).choices(SCALE.argChoices!);

export const OPTIONS = [ROOT, ONE_SCALE, TOOLS] as const;
export type ListFlags = CommandFlags<typeof OPTIONS>;
