import type { Command, Option } from 'commander';
import { LIVE_FLAGS, liveArguments } from './live-arguments.ts';

/** What can follow a command on the command line. */
export type Verb = {
  /** Its words: none for the program itself, `['schema', 'import']`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly verbs: readonly Verb[];
  readonly flags: readonly Flag[];
  /** Words that its arguments may be, where these are known. */
  readonly choices: readonly string[];
  /** Its argument is what `kubewright __complete` prints. */
  readonly isLive: boolean;
};

export type Flag = {
  /** `-o`, `--output`. */
  readonly names: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  /** Its value is what `kubewright __complete` prints. */
  readonly isLive: boolean;
};

/** A command and all below it. */
export function verbOf(command: Command, words: readonly string[] = []): Verb {
  return {
    words,
    summary: command.description(),
    verbs: command.commands.map((one) => verbOf(one, [...words, one.name()])),
    flags: optionsOf(command).map(flagOf),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    isLive: liveArguments(words) !== undefined,
  };
}

/** Those that help leaves out, too, and help itself. */
function optionsOf(command: Command): readonly Option[] {
  return [...new Set([...command.options, ...command.createHelp().visibleOptions(command)])];
}

function flagOf({ short, long, description, required, optional, argChoices }: Option): Flag {
  const names = [short, long].flatMap((name) => name ?? []);
  const isLive = names.some((name) => LIVE_FLAGS.has(name));
  return { names, summary: description, takesValue: required || optional, choices: argChoices ?? [], isLive };
}

/** A verb and all below it, each before its own. */
export function allVerbs(verb: Verb): readonly Verb[] {
  return [verb, ...verb.verbs.flatMap(allVerbs)];
}

/** Text in single quotes, as bash and zsh read it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** ` schema import`: what bash and zsh scripts collect of the words before the cursor. */
export function pathOf({ words }: Verb): string {
  return words.map((word) => ` ${word}`).join('');
}

/** The line of a `case` by which bash and zsh scripts recognise a verb. */
export function recognised(verb: Verb): string {
  const path = quoted(pathOf(verb));
  return `      ${path}) verb=${path} ;;`;
}
