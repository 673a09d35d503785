import type { Demand, Shown } from '@isolab/contract';
import { type History, type PlainHistory, countOperations, fromPlain, sameHistory, toPlain } from '@isolab/history';
import fc from 'fast-check';
import type { HistoryFormat, Loss } from '../format/format.ts';
import { damageDemands } from './damage.ts';
import { detectionDemands } from './detection.ts';
import { type Files, isFormatError, readOrRefused, shown, wordsOf, writeFiles } from './files.ts';
import { ANYTHING, SHAPES } from './shapes.ts';

export interface FormatHistories {
  /** Histories that the format expresses in full. If absent, the suite finds them itself. */
  readonly expressible?: fc.Arbitrary<PlainHistory>;
  /** Arbitrary histories, to show that losses are reported and that writing never fails. */
  readonly anything?: fc.Arbitrary<PlainHistory>;
}

export async function formatDemands(format: HistoryFormat, histories: FormatHistories = {}): Promise<Demand[]> {
  const samples = await samplesOf(format, histories);
  const demands = [...(format.writer ? writingDemands(format, histories) : []), ...detectionDemands(format, samples)];
  if (samples.length > 0) return [...demands, ...damageDemands(format, samples)];
  const none: Demand = {
    name: 'it has files to try',
    expected: 'a writer, or examples: a list of texts of this format',
    show: () => ({ holds: false, found: 'neither examples nor a writer that writes plain histories without loss' }),
  };
  return [none, ...demands];
}

function writingDemands(format: HistoryFormat, { expressible, anything = ANYTHING }: FormatHistories): Demand[] {
  return [
    {
      name: 'it reads back the history that it wrote',
      expected: 'an equal history where losses() lists nothing',
      show: () => (expressible ? readsBack(format, expressible) : findsOut(format)),
      isBasic: true,
    },
    {
      name: 'it writes any history to a readable file, and lists the losses',
      expected: 'losses() with a name, a count above 0 and a fate, and a file that is read or refused with a message',
      show: async () => await onRandom(anything, 300, (history) => writesAnything(format, history)),
    },
  ];
}

async function readsBack(format: HistoryFormat, expressible: fc.Arbitrary<PlainHistory>): Promise<Shown> {
  return onRandom(expressible, 300, async (history) => {
    const losses = await lossesOf(format, history);
    if (losses.length > 0) throw new Error(`it loses ${losses.map(({ name }) => name).join(', ')}`);
    await insistOnSame(format, history);
  });
}

/** Finds the kinds of histories that the format expresses in full. */
async function findsOut(format: HistoryFormat): Promise<Shown> {
  const whole: string[] = [];
  const lost: string[] = [];
  for (const [name, histories] of Object.entries(SHAPES)) {
    let isWhole = true;
    const { holds, found } = await onRandom(histories, 60, async (history) => {
      if ((await lossesOf(format, history)).length > 0) isWhole = false;
      else await insistOnSame(format, history);
    });
    if (holds !== true) return { holds, found };
    (isWhole ? whole : lost).push(name);
  }
  if (whole.length === 0) return { holds: false, found: `it loses parts of ${lost.join('; of ')}` };
  return {
    holds: true,
    found: `expresses ${whole.join('; ')}${lost.length > 0 ? `. Loses parts of ${lost.join('; ')}` : ''}`,
  };
}

async function insistOnSame(format: HistoryFormat, history: History): Promise<void> {
  const files = await writeFiles(format, history);
  const back = await readOrRefused(format, files);
  if (back === null) throw new Error(`it refuses the file that it wrote: ${shown(files)}`);
  if (!sameHistory(back, history)) throw new Error(`it reads ${asText(back)} from ${shown(files)}`);
}

async function writesAnything(format: HistoryFormat, history: History): Promise<void> {
  const losses = await lossesOf(format, history);
  const wrong = losses.find(({ name, count, fate }) => !name || !(count > 0) || !fate);
  if (wrong) throw new Error(`it lists the malformed loss ${JSON.stringify(wrong)}`);
  const back = await readOrRefused(format, await writeFiles(format, history));
  if (losses.length > 0) return; // the rest may be empty
  if (back === null || !sameHistory(back, history))
    throw new Error('it lists no loss, but reads back a different history');
}

const lossesOf = async (format: HistoryFormat, history: History): Promise<readonly Loss[]> =>
  (await format.writer!()).losses(history);

/** Tries random histories, and shows the smallest failing history. */
async function onRandom(
  histories: fc.Arbitrary<PlainHistory>,
  numRuns: number,
  tried: (history: History) => Promise<void>,
): Promise<Shown> {
  const property = fc.asyncProperty(histories, async (plain) => tried(fromPlain(plain)));
  const { failed, errorInstance, counterexample } = await fc.check(property, { numRuns, seed: SEED });
  if (!failed) return { holds: true, found: '' };
  const why = isFormatError(errorInstance) ? errorInstance.message : wordsOf(errorInstance).replace(/^Error: /, '');
  return { holds: false, found: `${why}; the history is ${plainText(counterexample![0])}` };
}

const SEED = 1;

const asText = (history: History): string => plainText(toPlain(history));

const plainText = (plain: PlainHistory): string =>
  JSON.stringify(plain.sessions, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));

/** Returns files of this format to damage: its own examples, or a history that it writes without loss. */
async function samplesOf(format: HistoryFormat, { expressible }: FormatHistories): Promise<Files[]> {
  const given = (format.examples ?? []).map(
    (example) => new Map([['', typeof example === 'string' ? new TextEncoder().encode(example) : example]]),
  );
  if (!format.writer) return given;
  for (const histories of expressible ? [expressible] : Object.values(SHAPES)) {
    for (const plain of fc.sample(histories, { numRuns: 20, seed: 7 })) {
      const history = fromPlain(plain);
      if (countOperations(history) < 4 && !expressible) continue;
      try {
        if ((await lossesOf(format, history)).length === 0) return [...given, await writeFiles(format, history)];
      } catch {
        break; // reported by the demands on writing
      }
    }
  }
  return given;
}
