/** Skips tests of engines that are not on this machine. What was not fetched before is not fetched by a test. */
import { availability, findEngine, isFetched } from '@isolab/engines';
import { type NeedName, type Skipping, unless } from '@isolab/needs';

export async function unlessFetched(name: NeedName & `${string}@${string}`): Promise<Skipping> {
  const engine = findEngine(name);
  const why = availability(engine);
  return unless(name, why === null && (await isFetched(engine)), why === null ? undefined : `${name} ${why}`);
}
