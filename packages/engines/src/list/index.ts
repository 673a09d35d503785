import type { Engine } from '../engine.ts';
import { GO } from './go.ts';
import { JAVA } from './java.ts';
import { POSTGRES } from './postgres.ts';
import { RUST } from './rust.ts';

/** The releases that are known, and where each comes from. To add one, add its line to the file of its database. */
export const ENGINES: readonly Engine[] = [...POSTGRES, ...JAVA, ...GO, ...RUST];

/** What the word `embedded` means. */
export const EMBEDDED: Engine = POSTGRES[0]!;
