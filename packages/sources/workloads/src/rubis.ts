import { distinct, uniform, zipfian } from './workload/distributions.ts';
import { type Key, type Program, type Request, defineWorkload, loadOf, read } from './workload/workload.ts';

/** C-RUBiS: an auction site on keys and values, as in CobraBench. */
export const rubis = defineWorkload({
  name: 'rubis',
  title: 'an auction site: registrations, purchases, comments, browsing',
  source: 'Cobra, PolySI, Plume (C-RUBiS)',
  data: 'registers',
  parameters: {
    users: { default: 20_000, help: 'number of users at the start', range: [3, 1e7] },
    regions: { default: 62, help: 'number of regions', range: [1, 100_000] },
    'items-per-user': { default: 4, help: 'items of each user at the start', range: [1, 1_000] },
  },
  prepare({ users, regions, 'items-per-user': itemsPerUser }) {
    let values = 0;
    let people = users;
    let items = users * itemsPerUser;
    let comments = 0;
    let purchases = 0;
    const popular = zipfian(users, 0.99);
    const write = (key: Key) => ({ kind: 'write', key, value: ++values }) as const;

    return {
      load: loadOf(rows({ users, regions, items }), 100, write),
      session: (_, random) => () => {
        const kind = random.weighted([
          [10, 'register-user'],
          [15, 'register-item'],
          [15, 'buy-now'],
          [20, 'comment'],
          [40, 'browse'],
        ] as const);
        switch (kind) {
          case 'register-user': {
            const region = random.below(regions);
            return function* (): Program {
              yield* registration(people++, region, write);
            };
          }
          case 'register-item': {
            const seller = random.below(users);
            return function* (): Program {
              yield read(`User:${seller}`);
              yield write(`Item:${items++}`);
            };
          }
          case 'buy-now': {
            const item = random.below(users * itemsPerUser);
            return function* (): Program {
              yield read(`Item:${item}`);
              yield write(`Item:${item}`);
              yield write(`BuyNow:${purchases++}`);
            };
          }
          case 'comment': {
            const user = popular(random);
            return function* (): Program {
              yield write(`Comment:${comments++}`);
              yield read(`User:${user}`);
              yield write(`Rating:${user}`);
            };
          }
          case 'browse': {
            const seen = distinct(uniform(users * itemsPerUser), users * itemsPerUser, 5, random);
            const rated = distinct(popular, users, 3, random);
            return function* (): Program {
              for (const item of seen) yield read(`Item:${item}`);
              for (const user of rated) yield read(`Rating:${user}`);
            };
          }
        }
      },
    };
  },
});

function* registration(user: number, region: number, write: (key: Key) => Request): Program {
  yield read(`RegionName2Id:${region}`);
  yield read(`UserNickName:${user}`);
  yield read(`User:${user}`);
  yield write(`User:${user}`);
  yield write(`UserNickName:${user}`);
  yield write(`Rating:${user}`);
}

interface Site {
  readonly users: number;
  readonly regions: number;
  readonly items: number;
}

/** Yields the keys that exist at the start. */
function* rows({ users, regions, items }: Site): Generator<Key> {
  for (let r = 0; r < regions; r++) {
    yield `Region:${r}`;
    yield `RegionName2Id:${r}`;
  }
  for (let u = 0; u < users; u++) {
    yield `User:${u}`;
    yield `UserNickName:${u}`;
    yield `Rating:${u}`;
    yield `Comment:initial:${2 * u}`;
    yield `Comment:initial:${2 * u + 1}`;
  }
  for (let i = 0; i < items; i++) yield `Item:${i}`;
}
