import { writeFileSync } from 'node:fs';
import { checkOperations, readOperationsAt } from 'isolab/objects';

writeFileSync(
  'jepsen.edn',
  `{:process 0, :type :invoke, :f :write, :value 1}
   {:process 0, :type :ok, :f :write, :value 1}
   {:process 1, :type :invoke, :f :read, :value nil}
   {:process 1, :type :ok, :f :read, :value 2}`,
);
const { history, format } = await readOperationsAt('jepsen.edn');
console.log(format); // jepsen-edn
console.log((await checkOperations(history, 'register', { level: 'linearizable' })).verdict); // violated
