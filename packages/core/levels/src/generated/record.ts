/** Properties of a level without its axioms. */
export interface LevelRecord<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  readonly summary: string;
  readonly aliases: readonly string[];
  /** The strongest levels that this one implies; the rest follows. */
  readonly implies: readonly Name[];
}
