import { type Distribution, uniform, zipfian } from './distributions.ts';
import { type Answer, type Key, type Program, type Transaction, defineWorkload } from './workload.ts';

const ACTORS = ['zipfian', 'uniform'] as const;

/** C-Twitter: tweets, follows and timelines on keys and values, as in CobraBench. */
export const twitter = defineWorkload<{ users: number; actors: (typeof ACTORS)[number] }>({
  name: 'twitter',
  title: 'tweets, follows and timelines',
  source: 'Cobra, PolySI, Plume (C-Twitter)',
  data: 'registers',
  parameters: {
    users: { default: 1_000, help: 'number of users', range: [1, 1e7] },
    actors: { default: 'zipfian', help: 'who acts and is followed (in ViperBench: uniform)', choices: ACTORS },
  },
  prepare({ users, actors }) {
    let values = 0;
    const lastTweet = new Map<number, number>(); // by value of ltweet:user
    const following = new Map<number, readonly number[]>(); // by value of followlist:user
    const actor: Distribution = actors === 'uniform' ? uniform(users) : zipfian(users, 0.5);
    const followee: Distribution = actors === 'uniform' ? uniform(users) : zipfian(users, 0.99);
    const read = (key: Key) => ({ kind: 'read', key }) as const;
    const write = (key: Key) => ({ kind: 'write', key, value: ++values }) as const;
    const tweetIds = Array.from({ length: users }, () => INITIAL_TWEETS);
    const last = (answer: Answer): number => lastTweet.get(answer as number) ?? -1;

    function* tweet(user: number, id: number): Program {
      yield write(`tweet:${user}:${id}`);
      const pointer = write(`ltweet:${user}`);
      lastTweet.set(pointer.value, id);
      yield pointer;
    }
    function* follow(user: number, other: number): Program {
      yield write(`followers:${other}:${user}`);
      yield write(`following:${user}:${other}`);
      const before = following.get((yield read(`followlist:${user}`)) as number) ?? [];
      const list = write(`followlist:${user}`);
      following.set(list.value, before.includes(other) ? before : [...before, other]);
      yield list;
    }
    function* timeline(user: number): Program {
      const followed = following.get((yield read(`followlist:${user}`)) as number) ?? [];
      for (const other of followed.slice(0, 20)) {
        const id = last(yield read(`ltweet:${other}`));
        if (id >= 0) yield read(`tweet:${other}:${id}`);
      }
    }
    function* showTweets(user: number): Program {
      const newest = last(yield read(`ltweet:${user}`));
      for (let id = newest; id >= Math.max(0, newest - 10); id--) yield read(`tweet:${user}:${id}`);
    }
    function* joining(user: number): Program {
      for (let id = 0; id < INITIAL_TWEETS; id++) yield write(`tweet:${user}:${id}`);
      const pointer = write(`ltweet:${user}`);
      lastTweet.set(pointer.value, INITIAL_TWEETS - 1);
      yield pointer;
      yield* follow(user, user);
    }
    function* load(): Generator<Transaction> {
      for (let user = 0; user < users; user++) yield () => joining(user);
    }

    return {
      load: load(),
      session: (_, random) => () => {
        const user = actor(random);
        const kind = random.weighted([
          [20, 'tweet'],
          [40, 'follow'],
          [10, 'timeline'],
          [10, 'show-follow'],
          [20, 'show-tweets'],
        ] as const);
        switch (kind) {
          case 'tweet':
            return () => tweet(user, tweetIds[user]!++);
          case 'follow': {
            const other = followee(random);
            return () => follow(user, other);
          }
          case 'timeline':
            return () => timeline(user);
          case 'show-follow':
            return function* (): Program {
              yield read(`followlist:${user}`);
            };
          case 'show-tweets':
            return () => showTweets(user);
        }
      },
    };
  },
});

const INITIAL_TWEETS = 10;
