/** Meanings of the three verdicts and of each reason for `unknown`, each with a remedy. Plain data. */
import type { UnknownReason, VerdictStatus } from '@isolab/contract';

/** The meaning of a word in a verdict, and the remedy. */
interface Meaning {
  readonly title: string;
  readonly remedy: string;
}

export const VERDICT_WORDS: Readonly<Record<VerdictStatus | UnknownReason, Meaning>> = {
  satisfied: {
    title: 'some order of the transactions explains all reads as the level requires; the verdict counts its evidence.',
    remedy: '--certificate writes the order to a file, and isolab verify checks it without the checker.',
  },
  violated: {
    title: 'no order of the transactions explains the reads as the level requires.',
    remedy: 'isolab explain FILE page.html shows the smallest violation, and isolab explain NAME how to prevent it.',
  },
  unknown: {
    title: 'neither verdict was reached, or none would be worth anything; the verdict states a reason. Never a pass.',
    remedy: 'isolab explain REASON explains a reason, such as needs-times.',
  },
  timeout: {
    title: 'the check took longer than --time allows.',
    remedy: 'Allow more time, or check a part: fewer sessions, or a weaker level first.',
  },
  memory: {
    title: 'the check needed more memory than --memory allows.',
    remedy: 'Allow more memory, or divide the history (docs/scale.md).',
  },
  steps: {
    title: 'the check took more steps than --steps allows.',
    remedy: 'Allow more steps, or leave the limit out.',
  },
  aborted: {
    title: 'the check was interrupted before its end.',
    remedy: 'Run it again.',
  },
  incomplete: {
    title: 'the checker does not decide every history, and neither this one; the verdict names the undecided part.',
    remedy: 'Try another checker: isolab list checkers. Unique values and times make most histories decidable.',
  },
  unsupported: {
    title: 'no checker of this level supports such a history.',
    remedy: 'The verdict names what each checker needs. isolab list checkers shows their levels.',
  },
  crashed: {
    title: 'the checker ended without an answer: it has a bug, or its process was killed.',
    remedy: 'Report it, with the history. Another checker may decide the level.',
  },
  'certificate-refused': {
    title: 'the verifier refuses the certificate of a plug-in, so its verdict is not used.',
    remedy: 'Ask another checker; the plug-in or its certificate has a fault.',
  },
  'nothing-to-judge': {
    title:
      'no transaction that happened has a read with a known result of a key that the history writes (at cut isolation: reads a key twice), so nothing could have shown a violation. One such read is enough.',
    remedy:
      'Collect more operations on fewer keys, with their results. --allow-vacuous accepts the verdict all the same.',
  },
  'needs-times': {
    title:
      'the level compares the end of one transaction with the begin of another, and no two transactions have such times.',
    remedy: 'Record when each transaction began and ended, or check serializable instead of strict-serializable.',
  },
  'needs-single-keys': {
    title: 'linearizability concerns transactions with one key each, and this history has others.',
    remedy: 'Check strict-serializable, which is linearizability for transactions of several keys.',
  },
  'cut-off': {
    title: 'the collection of the history did not end, and the missing part may violate the level.',
    remedy: 'Collect again. --allow-cut-off accepts the level for the recorded part.',
  },
  contradiction: {
    title: 'two runs contradict each other, so at least one checker is wrong. The exit code is 3.',
    remedy: 'Report it, with the history.',
  },
};
