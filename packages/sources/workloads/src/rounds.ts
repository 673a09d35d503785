import type { Random } from './workload/random.ts';
import type { Request } from './workload/workload.ts';

/**
 * Transactions whose statements have a given order. Each statement waits until the previous statements are answered, or
 * for a limited time, because the database may block them.
 */
export class Round {
  /** Positions of each role's statements, and of its end, in the order. */
  readonly #places: readonly (readonly number[])[];
  readonly #isDone: boolean[];
  readonly #patience: number;
  readonly #waiting = new Set<() => void>();
  /** Position before which all statements are done. */
  #at = 0;

  constructor(statements: readonly number[], patience: number, random: Random) {
    const left = statements.map((count) => count + 1);
    const order = random.chance(INTERRUPTED_SHARE) ? fewInterruptions(left, random) : anyOrder(left, random);
    const places: number[][] = statements.map(() => []);
    for (const [place, role] of order.entries()) places[role]!.push(place);
    const total = order.length;
    this.#places = places;
    this.#isDone = Array.from({ length: total }, () => false);
    this.#patience = patience;
  }

  /**
   * Returns the request of a client before a statement of its role. The number after the last statement means the end.
   */
  turn(role: number, statement: number): Request {
    const place = this.#places[role]![statement]!;
    let looks = 0;
    return {
      kind: 'wait',
      isOver: () => this.#at >= place || ++looks > MOST_LOOKS,
      over: () => this.#reached(place),
    };
  }

  /** Records that the statement was answered. */
  done(role: number, statement: number): void {
    this.#isDone[this.#places[role]![statement]!] = true;
    this.#advance();
  }

  /** Ends all waits for the role, with any outcome. */
  leave(role: number): void {
    for (const place of this.#places[role]!) this.#isDone[place] = true;
    this.#advance();
  }

  #advance(): void {
    while (this.#isDone[this.#at]) this.#at++;
    for (const look of this.#waiting) look();
  }

  #reached(place: number): Promise<void> {
    if (this.#at >= place) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve();
      };
      const look = (): void => void (this.#at >= place && end());
      const timer = setTimeout(end, this.#patience);
      this.#waiting.add(look);
    });
  }
}

/** Returns a uniformly random order that keeps the statement order of each role. */
function anyOrder(counts: readonly number[], random: Random): number[] {
  const left = counts.map((count, role) => ({ role, count }));
  const order: number[] = [];
  for (let place = counts.reduce((sum, count) => sum + count, 0); place > 0; place--) {
    const drawn = random.weighted(left.map((one) => [one.count, one] as const));
    drawn.count--;
    order.push(drawn.role);
  }
  return order;
}

/**
 * Returns the roles one after another, except that one or two are interrupted and finish at the end. Most anomalies
 * need this shape, and a uniformly random order hardly ever has it (Burckhardt et al., ASPLOS 2010).
 */
function fewInterruptions(counts: readonly number[], random: Random): number[] {
  const left = [...counts];
  const queue = shuffled(counts.length, random);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const interruptions = new Set(Array.from({ length: random.between(1, 2) }, () => random.between(1, total - 1)));
  const order: number[] = [];
  while (queue.length > 0) {
    const role = queue[0]!;
    order.push(role);
    if (--left[role]! === 0) queue.shift();
    else if (interruptions.has(order.length)) queue.push(queue.shift()!);
  }
  return order;
}

/** Returns the numbers below `count` in random order. */
export function shuffled(count: number, random: Random): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.between(0, i);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

const INTERRUPTED_SHARE = 0.7;
/** Number of its own steps after which a simulated client gives up waiting. */
const MOST_LOOKS = 50;
