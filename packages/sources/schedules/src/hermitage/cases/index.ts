import type { Case } from './case.ts';
import { APPLICATIONS } from './applications.ts';
import { DIRTY } from './dirty.ts';
import { SKEW } from './skew.ts';
import { WRITE_SKEW } from './write-skew.ts';

/** All cases in the order of the table. */
export const CASES: readonly Case[] = [...DIRTY, ...SKEW, ...WRITE_SKEW, ...APPLICATIONS];
