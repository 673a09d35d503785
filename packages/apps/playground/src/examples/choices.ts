/** Options for each checker that runs in a page. */

import { loadCheckers } from 'isolab/check';

export interface CheckerChoice {
  readonly name: string;
  readonly title: string;
  readonly variants: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly { readonly name: string; readonly standard: string; readonly help: string }[];
}

export async function checkerChoices(): Promise<CheckerChoice[]> {
  return (await loadCheckers(false)).map(({ checker: { info } }) => ({
    name: info.name,
    title: info.title,
    variants: Object.entries(info.variants).map(([name, { help }]) => ({ name, help })),
    options: Object.entries(info.options as Record<string, { default: unknown; help: string }>).map(
      ([name, { default: standard, help }]) => ({ name, standard: String(standard), help }),
    ),
  }));
}
