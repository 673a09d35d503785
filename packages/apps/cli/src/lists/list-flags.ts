import { type CommandFlags, ROOT, SCALE, TOOLS } from '../terminal/options.ts';

export const OPTIONS = [ROOT, SCALE, TOOLS] as const;
export type ListFlags = CommandFlags<typeof OPTIONS>;
