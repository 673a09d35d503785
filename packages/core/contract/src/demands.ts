/** A demand of a conformance suite on a plug-in. The caller prints the findings. */
export interface Demand {
  readonly name: string;
  /** Expected behaviour, for the message that reports its absence. */
  readonly expected: string;
  readonly show: () => Shown | Promise<Shown>;
  /** Whether later demands are pointless if this demand does not hold. */
  readonly isBasic?: true;
}

export interface Shown {
  /** Null if the behaviour cannot be shown, or is for the author to judge. */
  readonly holds: boolean | null;
  /** Observed behaviour; empty if there is nothing to report. */
  readonly found: string;
}

export interface DemandFinding extends Shown {
  readonly check: string;
  readonly expected: string;
}

/** Tries all demands. If a demand throws, its error is the finding and the demand does not hold. */
export async function findingsOf(
  demands: readonly Demand[],
  onFinding: (finding: DemandFinding) => void,
  signal?: { readonly aborted: boolean },
): Promise<DemandFinding[]> {
  const findings: DemandFinding[] = [];
  for (const { name, expected, show, isBasic } of demands) {
    if (signal?.aborted) break;
    const finding = { check: name, expected, ...(await shownBy(show)) };
    findings.push(finding);
    onFinding(finding);
    if (isBasic && finding.holds === false) break;
  }
  return findings;
}

async function shownBy(show: Demand['show']): Promise<Shown> {
  try {
    return await show();
  } catch (error) {
    return { holds: false, found: error instanceof Error ? error.message : String(error) };
  }
}
