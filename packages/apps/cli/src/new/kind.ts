/** A kind of plug-in that `isolab new KIND NAME` begins: one commented file that works, and how to test it at once. */
export interface PluginKind {
  /** Kind of plug-in for `isolab new`. */
  readonly name: string;
  /** Noun for the file in the help: a workload. */
  readonly title: string;
  /** Its file in the folder template/KIND/; `my-KIND` in it becomes the name. */
  readonly template: string;
  /** Names that come with isolab, which the new file must not have: a word of the command line would mean those. */
  readonly taken: () => Promise<readonly string[]>;
  /** Next command lines; the first one tests the file. */
  readonly steps: (file: string, name: string) => readonly string[];
}
