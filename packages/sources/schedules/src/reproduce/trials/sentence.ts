import type { Reproduction } from './reproduce.ts';

/**
 * States how often a violation was reproduced, in a sentence or two: `17 of 20 trials violated serializability; 3
 * aborted.`
 */
export function sentence({ tally, how, tried, load }: Reproduction, level: string): string {
  if (how === 'once')
    return `1 of ${count(tried, 'interleaving', 'interleavings')} violated ${level.toLowerCase()}, but not again in the counted trials.`;
  const { trials, violated, aborted, held, undecided } = tally;
  const parts = [
    `${violated} of ${count(trials, 'trial', 'trials')} violated ${level.toLowerCase()}`,
    ...(aborted > 0 ? [`${aborted} aborted`] : []),
    ...(held > 0 ? [`${held} kept it with all transactions committed`] : []),
    ...(undecided > 0 ? [`${undecided} had no verdict`] : []),
  ];
  const tries = count(tried, 'other interleaving was', 'other interleavings were');
  const ways = {
    plain: '',
    interleaving: tried === 0 ? '' : ` The plain schedule never did; ${tries} tried.`,
    load: ` This needed ${load} more clients beside the schedule${tried === 0 ? '' : `; ${tries} tried`}.`,
    none: tried === 0 ? '' : ` No other schedule did; ${tries} tried.`,
  };
  return `${parts.join('; ')}.${ways[how ?? 'none']}`;
}

const count = (n: number, one: string, several: string): string => `${n} ${n === 1 ? one : several}`;
