let [latest, askedAt] = [0, -Infinity];

/** The memory of the process, which is looked up now and then: that takes longer than the rest of a status. */
export function residentMemory(): number {
  const now = performance.now();
  if (now >= askedAt + 250) [latest, askedAt] = [process.memoryUsage.rss(), now];
  return latest;
}
