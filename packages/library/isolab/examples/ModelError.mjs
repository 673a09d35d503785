import { ModelError, checkOperations, makeHistory } from 'isolab';

try {
  await checkOperations(makeHistory([]), 'regster', { level: 'linearizable' });
} catch (error) {
  console.log(error instanceof ModelError); // true
}
