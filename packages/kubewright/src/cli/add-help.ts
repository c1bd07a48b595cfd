import type { Command } from 'commander';

/** `help drift list` is `drift list --help`. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('display help for a command')
    .argument('[command...]', 'its words')
    .action((words: readonly string[]) => commandNamed(program, words).outputHelp());
}

function commandNamed(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) =>
      command.commands.find((one) => one.name() === word) ??
      program.error(`error: unknown command '${words.join(' ')}'`, { code: 'commander.unknownCommand' }),
    program,
  );
}
