/** What isolab and the process of a module say to each other. */

export type ToModule = Asked & { readonly id: number };

export type Asked =
  | { readonly to: 'load'; readonly url: string }
  | { readonly to: 'open'; readonly given: object }
  | {
      readonly to: 'prepare';
      readonly data: string;
      readonly keep: boolean;
      /** What makes the tables of a workload's own. */
      readonly statements: readonly string[];
    }
  | { readonly to: 'connect'; readonly session: number; readonly isolation: string }
  | {
      readonly to: 'ask';
      readonly session: number;
      readonly method: string;
      readonly given: readonly unknown[];
    }
  | { readonly to: 'close'; readonly session: number | null };

export type FromModule =
  | { readonly id: number; readonly value: unknown }
  /** `lacking`: it is no driver, or does not do what was asked. */
  | { readonly id: number; readonly failed: 'aborted' | 'lost' | 'error' | 'lacking'; readonly why: string }
  /** It failed where nobody waits for it. */
  | { readonly id: null; readonly why: string };
