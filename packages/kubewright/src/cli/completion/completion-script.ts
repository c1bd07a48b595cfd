import type { Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import { fishCompletion } from './fish-completion.ts';
import { type Verb, verbOf } from './verb.ts';
import { zshCompletion } from './zsh-completion.ts';

const SHELLS: ReadonlyMap<string, (program: Verb) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

/** The completion script of a shell, made of the program's commands and options. */
export function completionScript(program: Command, shell: string): string {
  return SHELLS.get(shell)?.(verbOf(program)) ?? '';
}
