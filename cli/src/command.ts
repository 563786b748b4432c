/** A command: its description, which determines its help and the parsing of its arguments, and its action. */

export interface Flag {
  readonly about: string;
  /** The placeholder of the flag's value in help, such as FILE. Absent for a switch, which has no value. */
  readonly takes?: string;
}

/** Flags by name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

export interface Description {
  readonly about: string;
  /** The names of the positional arguments. The name of an optional argument ends with a question mark. */
  readonly args?: readonly string[];
  readonly flags?: Flags;
  /** The arguments in the usage line, if it needs to show more than their names. */
  readonly usage?: string;
  /** Text at the end of the help: examples and notes. */
  readonly more?: string;
}

/** The parsed command line. A given switch is 'true', or 'false' with the prefix `--no-`. */
export interface Given {
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

export interface Command {
  /** Gets the raw arguments, because `trackway call` describes the operation that they name. */
  describe(args: readonly string[]): Description;
  /** Returns the exit code. */
  run(given: Given): Promise<number>;
}

/** Commands by name. Each is loaded only when it is called, to keep the start fast. */
export type Commands = Readonly<Record<string, { readonly summary: string } & (Leaf | Branch)>>;
interface Leaf {
  load(): Promise<Command>;
}
interface Branch {
  readonly commands: Commands;
  /** The command to run if none is named. */
  readonly defaultCommand?: string;
}

/** The command line is invalid. The exit code is 2. */
export class UsageError extends Error {}

/** The command failed. The message is a whole sentence for the operator. The exit code is 1. */
export class Failure extends Error {}
