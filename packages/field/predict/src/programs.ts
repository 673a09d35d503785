/** Programs of transactions without statements: the kinds of operations on kinds of keys, without repetitions. */
import { nameAtom } from '@isolab/history';
import type { Model } from './model.ts';

/** Returns the program of each transaction of a model, in the form `r(items/#) w(items/#)`. */
export function programsByShape(model: Model): string[] {
  const { history, start, isWrite, key } = model;
  const kindOf = Array.from({ length: history.keyInitial.length }, (_, each) =>
    nameAtom(history.keys, each).replaceAll(/\d+/g, '#'),
  );
  return Array.from(model.session, (_, t) => {
    const words: string[] = [];
    for (let op = start[t]; op < start[t + 1]; op++) {
      const word = `${isWrite[op] === 1 ? 'w' : 'r'}(${kindOf[key[op]]})`;
      if (words.at(-1) !== word) words.push(word);
    }
    return words.join(' ');
  });
}
