import type { Chains } from '../../problem/chains.ts';
import type { Tuning } from '../../problem/tuning.ts';
import { type MoveTuning, Moves } from './moves.ts';
import type { Schedule } from './schedule.ts';

export type Cooling = MoveTuning &
  Pick<Tuning, 'annealFrom' | 'annealTo' | 'coolings' | 'spreadEvery' | 'linksPerMove'> & { readonly steps: number };

/**
 * Moves transactions within their sessions until no read misses or the steps are used up (simulated annealing:
 * Kirkpatrick, Gelatt and Vecchi, 1983). Gives up where moves have to cover long distances, such as along the accesses
 * of a hot key.
 */
export function anneal(schedule: Schedule, chains: Chains, cooling: Cooling, tick: (steps: number) => void): void {
  const { steps, annealFrom, annealTo, coolings, spreadEvery, linksPerMove } = cooling;
  const random = randomNumbers();
  schedule.followed = 0;
  const moves = new Moves(schedule, chains, cooling, random);
  for (let epoch = 0; epoch < coolings && schedule.misses > 0; epoch++) {
    const temperature = annealFrom * (annealTo / annealFrom) ** (epoch / coolings);
    const accept = (more: number): boolean => more <= 0 || random() < Math.exp(-more / temperature);
    for (let left = Math.ceil(steps / coolings); left > 0 && schedule.misses > 0; left--) {
      moves.propose();
      make(moves, schedule, accept);
    }
    if (epoch % spreadEvery === 0) schedule.spread();
    tick(steps / coolings);
    if (schedule.followed > (linksPerMove * steps * (epoch + 1)) / coolings) return;
  }
}

/** Makes all of the proposed moves or no move. */
function make({ txns, places }: Moves, schedule: Schedule, accept: (more: number) => boolean): void {
  if (txns.length === 1) {
    const more = schedule.change(txns[0]!, places[0]!);
    if (accept(more)) schedule.move(txns[0]!, places[0]!);
    return;
  }
  let more = 0;
  const before = txns.map((t) => schedule.place[t]);
  for (let i = 0; i < txns.length; i++) {
    more += schedule.change(txns[i]!, places[i]!);
    schedule.move(txns[i]!, places[i]!);
  }
  if (accept(more)) return;
  for (let i = txns.length - 1; i >= 0; i--) {
    schedule.change(txns[i]!, before[i]!);
    schedule.move(txns[i]!, before[i]!);
  }
}

/** Generates numbers in [0, 1) that are equal in every run (xorshift: Marsaglia, 2003). */
function randomNumbers(): () => number {
  let state = 0x9e3779b9 | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
