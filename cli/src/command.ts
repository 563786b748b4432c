/** What a command is: its description, from which help and the reading of its words follow, and what it does. */

export interface Flag {
  readonly about: string;
  /** What follows the flag, as help names it: FILE. A flag that nothing follows is a switch. */
  readonly takes?: string;
}

/** By name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

export interface Description {
  readonly about: string;
  /** The words it needs besides flags, as help names them; one that may be left out ends with a question mark. */
  readonly words?: readonly string[];
  readonly flags?: Flags;
  /** The words as help shows them, where that is more than their names. */
  readonly usage?: string;
  /** What help says at its end. */
  readonly more?: string;
}

/** What was typed after the command. A switch that was given is 'true', with `--no-` before its name 'false'. */
export interface Given {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

export interface Command {
  /** Most describe themselves the same whatever was typed. */
  describe(words: readonly string[]): Description;
  /** Answers the exit code. */
  run(given: Given): Promise<number>;
}

/** Commands by name. Each is loaded when it is called, since most starts need one only. */
export type Commands = Readonly<Record<string, { readonly summary: string } & (Leaf | Branch)>>;
interface Leaf {
  load(): Promise<Command>;
}
interface Branch {
  readonly commands: Commands;
  /** Which of them is meant where none is named. */
  readonly alone?: string;
}

/** What was typed makes no sense: exit 2. */
export class UsageError extends Error {}

/** It makes sense and can not be done; the message is a whole sentence for the operator: exit 1. */
export class Failure extends Error {}
