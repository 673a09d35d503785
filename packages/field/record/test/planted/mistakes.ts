import { retrying } from '../shop/shop.ts';
import type { Application, Level } from './orms.ts';

/** A mistake of an application, and the same work without the mistake. */
export interface Mistake {
  readonly title: string;
  /** Runs the mistake, and returns the number of anomalies that it causes. */
  readonly careless: (application: Application) => Promise<number>;
  readonly careful: (application: Application) => Promise<void>;
}

/** Lets concurrent transactions wait for each other between their reads and their writes. */
function meeting(parties: number): () => Promise<void> {
  let open = (): void => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  let arrived = 0;
  return async () => {
    if (++arrived === parties) open();
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 2_000))]);
  };
}

const together = (parties: number, work: (i: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: parties }, (_, i) => work(i)));

/** Buyers of one item read its amount, and write one less. */
export const lostUpdate = (buyers: number): Mistake => ({
  title: 'Lost update',
  async careless({ run }) {
    const meet = meeting(buyers);
    await together(buyers, () =>
      run('read committed', async (tx) => {
        const { amount } = await tx.get(1);
        await meet();
        await tx.set(1, amount - 1);
      }),
    );
    return buyers - 1;
  },
  async careful({ run }) {
    await together(buyers, () =>
      run('read committed', async (tx) => {
        const { amount } = await tx.get(1, true);
        await tx.set(1, amount - 1);
      }),
    );
    await together(buyers, () => run('read committed', (tx) => tx.decrement(1)));
  },
});

/** Two guards read both rows, and each changes its own. */
const guarding = async ({ run }: Application, level: Level, meet: () => Promise<void>): Promise<void> =>
  void (await together(2, (i) =>
    retrying(() =>
      run(level, async (tx) => {
        const [mine, other] = [await tx.get(2 + i), await tx.get(3 - i)];
        await meet();
        if (mine.amount + other.amount > 0) await tx.set(2 + i, mine.amount - 1);
      }),
    ),
  ));

export const writeSkew: Mistake = {
  title: 'Write skew',
  async careless(application) {
    await guarding(application, 'repeatable read', meeting(2));
    return 1;
  },
  careful: (application) => guarding(application, 'serializable', meeting(2)),
};

/** A report reads two rows, and another transaction changes both in between. */
async function report({ run }: Application, level: Level): Promise<void> {
  await run(level, async (reader) => {
    await reader.get(4);
    await run('read committed', async (writer) => {
      await writer.decrement(4);
      await writer.decrement(5);
    });
    await reader.get(5);
  });
}

export const readSkew: Mistake = {
  title: 'Read skew',
  async careless(application) {
    await report(application, 'read committed');
    return 1;
  },
  careful: (application) => report(application, 'repeatable read'),
};

/** A list is read twice, and another transaction adds a row in between. */
async function listing({ run }: Application, level: Level, id: number): Promise<void> {
  await run(level, async (reader) => {
    await reader.having(7);
    await run('read committed', (writer) => writer.insert({ id, amount: 1, part: 7 }));
    await reader.having(7);
  });
}

export const phantom: Mistake = {
  title: 'Phantom',
  async careless(application) {
    await listing(application, 'read committed', 70);
    return 1;
  },
  careful: (application) => listing(application, 'repeatable read', 71),
};
