import type { Story } from 'isolab';

/** Addition of `--shrink --output json`: the story of the smallest part. */
export const shrunkOf = ({ anomaly, summary, isPart = false, ruledOut, leftStanding, prose, copies }: Story) => ({
  name: anomaly?.name ?? null,
  aliases: anomaly?.aliases ?? [],
  summary,
  isPart,
  ruledOut,
  leftStanding: leftStanding ?? null,
  explanation: prose.map(({ text }) => text),
  history: copies?.notation ?? null,
});
