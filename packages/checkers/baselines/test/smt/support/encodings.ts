import type { LevelName } from '@isolab/contract';
import { EVENT_ENCODINGS } from '../../../src/smt/events/decide-events.ts';
import { POLYGRAPH_ENCODINGS } from '../../../src/smt/polygraph/decide-polygraph.ts';

export const encodingsFor = (level: LevelName): readonly string[] =>
  level.endsWith('snapshot-isolation') ? EVENT_ENCODINGS : POLYGRAPH_ENCODINGS;
