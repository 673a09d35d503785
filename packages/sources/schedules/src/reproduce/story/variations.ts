import { Random } from '@isolab/workloads';
import { type Variation, missedWrites } from './arrange.ts';
import type { Story } from './story.ts';

/**
 * Yields other interleavings of a story, starting with those closest to the plain interleaving: every choice of late
 * reads, with and without other clients, with and without initial values, with commits one by one or together. Then
 * repeats them in random orders, endlessly.
 */
export function* variations(story: Story, seed: string | number): Generator<Variation, void> {
  const reads = Math.min(MOST_LATE, missedWrites(story).length);
  const choices = Array.from({ length: 2 ** reads }, (_, bits) =>
    Array.from({ length: reads }, (__, i) => i).filter((i) => (bits >> i) & 1),
  ).toSorted((a, b) => a.length - b.length);
  const systematic = choices.flatMap((late) =>
    (late.length === 0 ? BESIDE.slice(0, 1) : BESIDE).flatMap((beside) =>
      FORMS.map((form): Variation => ({ late, beside, ...form, shuffled: null })),
    ),
  );
  const isPlain = ({ late, filled, rushed }: Variation): boolean => late.length === 0 && !filled && !rushed;
  yield* systematic.filter((variation) => !isPlain(variation));
  const random = new Random(seed);
  for (;;) yield { ...random.pick(systematic), shuffled: random.below(2 ** 31) };
}

const FORMS = [
  { filled: false, rushed: false },
  { filled: true, rushed: false },
  { filled: false, rushed: true },
  { filled: true, rushed: true },
] as const;
const BESIDE = ['nothing', 'writes', 'writes-and-waits'] as const;
const MOST_LATE = 6;
