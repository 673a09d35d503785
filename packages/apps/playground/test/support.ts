import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { parseHistory } from '@isolab/testkit';
import type { Check, EngineAsked, Given, Limits } from '../src/worker/protocol.ts';

/** Default request of the page. */
export const NO_LIMITS: Limits = { timeMs: null, steps: null, allowVacuous: false, allowCutOff: false };

export const givenOf = (files: readonly File[], format = 'auto'): Given => ({
  files,
  format,
  failedStatements: 'published',
  initialTransaction: 'stated',
});

export const checkOf = (
  given: Given,
  {
    level,
    limits = {},
    findAll = false,
    ...engine
  }: Partial<EngineAsked> & {
    readonly level: Check['level'];
    readonly limits?: Partial<Limits>;
    readonly findAll?: boolean;
  },
): Check => ({
  kind: 'check',
  given,
  level,
  engine: { checker: 'auto', variant: null, options: {}, ...engine },
  limits: { ...NO_LIMITS, ...limits },
  findAll,
});

/** A history that every format can express: a lost update of integers, each key initially 0. */
export const LOST_UPDATE = 'w(1,1)\nr(1,1) w(1,2)\nr(1,1) w(1,3)';

/** The files of a history in a format, by name; a format of one file has the name `history`. */
export async function filesIn(format: string, text: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === format)!.writer!();
  await writer.write(parseHistory(text), outputToMemory(files));
  const whole = files.get('');
  return whole === undefined ? files : new Map([['history', whole]]);
}
