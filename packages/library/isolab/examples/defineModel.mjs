import { checkOperations, defineModel, makeHistory } from 'isolab/objects';

const light = defineModel({
  name: 'light',
  initial: 'off',
  functions: ['press', 'look'],
  step: (state, { f, result }) => {
    if (f === 'press') return state === 'on' ? 'off' : 'on';
    return result === state ? state : undefined; // impossible
  },
});
const history = makeHistory([
  { process: 0, f: 'press', argument: null, result: null, call: 0, return: 1 },
  { process: 1, f: 'look', argument: null, result: 'off', call: 2, return: 3 },
]);
console.log((await checkOperations(history, light, { level: 'linearizable' })).verdict); // violated
console.log((await checkOperations(history, light, { level: 'sequential' })).verdict); // satisfied
