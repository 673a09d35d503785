import { Refusal, check, open } from 'isolab';

// A bank transfer in Jepsen's words: an operation of which isolab has no model.
const text =
  '{:type :invoke, :process 0, :f :transfer, :value {:from 0, :to 1, :amount 5}}\n{:type :ok, :process 0, :f :transfer, :value {:from 0, :to 1, :amount 5}}\n';
try {
  await check(await open({ text }, { format: 'jepsen-edn' }), { level: 'serializable' });
} catch (error) {
  console.log(error instanceof Refusal); // true
}
