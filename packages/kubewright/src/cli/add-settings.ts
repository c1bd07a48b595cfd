import { OPERATORS } from '@kubewright/operators/list';
import { type Command, CommanderError, Option } from 'commander';
import type { Terminal } from '../terminal.ts';
import { settingsHelp } from './settings-help.ts';
import { helpWidth } from './wrap-text.ts';

/** The environment variables of the operators, with their help. */
const SETTINGS: readonly (readonly [name: string, help: string])[] = OPERATORS.flatMap(({ settings = {} }) =>
  Object.entries(settings),
);

/** `--request-ttl` sets `REQUEST_TTL`. Only `--help-settings` lists these options, because there are many. */
export function addSettings(command: Command, terminal: Terminal): Command {
  for (const [name, help] of SETTINGS) command.addOption(optionOf(name, help));
  return command
    .option('--help-settings', 'list the settings of operators, which are options too')
    .on('option:help-settings', () => {
      terminal.out(settingsHelp(SETTINGS, helpWidth(terminal)));
      throw new CommanderError(0, 'commander.helpDisplayed', '(settings)');
    });
}

function optionOf(name: string, help: string): Option {
  return new Option(`--${name.toLowerCase().replaceAll('_', '-')} <value>`, help).hideHelp();
}

/** The terminal with the command's options as environment variables; they override those already set. */
export function withSettings(terminal: Terminal, command: Command): Terminal {
  return { ...terminal, env: { ...terminal.env, ...givenSettings(command) } };
}

/** The settings that the command's options give, by environment variable. */
export function givenSettings(command: Command): Readonly<Record<string, string>> {
  const options = command.opts<Readonly<Record<string, unknown>>>();
  const given = SETTINGS.map(([name, help]) => [name, options[optionOf(name, help).attributeName()]]);
  return Object.fromEntries(given.filter(([, value]) => typeof value === 'string'));
}
