let [latest, askedAt] = [0, -Infinity];

/**
 * The memory use of the process, which is read only from time to time because that takes longer than the rest of a
 * status.
 */
export function residentMemory(): number {
  const now = performance.now();
  if (now >= askedAt + 250) [latest, askedAt] = [process.memoryUsage.rss(), now];
  return latest;
}
