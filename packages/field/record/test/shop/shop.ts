/** A shop and a ward on call, with the three mistakes that applications make most, or without. */
export interface Shop {
  /** Makes the tables again. */
  prepare(): Promise<void>;
  /** Takes one of an item. Carelessly: reads how many there are, and writes one less. */
  buy(item: number, meet: Meet): Promise<void>;
  /** A doctor goes off call if another one stays. Carelessly: in a snapshot that others change. */
  goOffCall(name: string, meet: Meet): Promise<boolean>;
  /** Reads the stock of an item twice. Carelessly: each time as it is then. */
  report(item: number, meet: Meet): Promise<readonly [number, number]>;
  /** Final rows of all tables. */
  everything(): Promise<unknown>;
  close(): Promise<void>;
}

/** Waits between a transaction's reads and its writes. */
export type Meet = () => Promise<void>;

export type OpenShop = (url: string, isCareful: boolean) => Shop;

/** Lets transactions wait for one another; not longer than `patience`, where the database may hold one of them up. */
function meeting(parties: number, patience: number): Meet {
  let arrived = 0;
  let open = (): void => {};
  const all = new Promise<void>((resolve) => (open = resolve));
  return async () => {
    if (++arrived === parties) open();
    await Promise.race([all, wait(patience)]);
  };
}

const UNTIL_THE_TEST_ENDS = 60_000;
const A_MOMENT = 150;

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Tries a transaction again that the database could not serialize. */
export async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await attempt();
    } catch (error) {
      if (!isSerializationFailure(error)) throw error;
    }
}

/** An ORM may wrap the driver's error. */
function isSerializationFailure(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, sqlState } = at as { code?: string; sqlState?: string };
    if (code === '40001' || sqlState === '40001') return true;
  }
  return false;
}

/** Two customers, two doctors and a report meet. Customers who are careful wait for each other in the database. */
export async function busyDay(shop: Shop, isCareful: boolean, rounds = 2): Promise<void> {
  await shop.prepare();
  for (let round = 0; round < rounds; round++) {
    const atShelf = meeting(2, isCareful ? A_MOMENT : UNTIL_THE_TEST_ENDS);
    await Promise.all([shop.buy(1, atShelf), shop.buy(1, atShelf)]);
    await shop.report(2, () => shop.buy(2, async () => {}));
  }
  const onWard = meeting(2, isCareful ? A_MOMENT : UNTIL_THE_TEST_ENDS);
  await Promise.all([shop.goOffCall('alice', onWard), shop.goOffCall('bob', onWard)]);
}

/** Observations of one customer after the other. */
export async function quietDay(shop: Shop): Promise<unknown> {
  const alone = async (): Promise<void> => {};
  await shop.prepare();
  const seen: unknown[] = [];
  for (const item of [1, 2, 1]) {
    await shop.buy(item, alone);
    seen.push(await shop.report(item, alone));
  }
  seen.push(await shop.goOffCall('alice', alone), await shop.goOffCall('bob', alone));
  seen.push(await shop.everything());
  return seen;
}
