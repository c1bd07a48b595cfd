import { OPERATORS } from '@kubewright/operators/list';
import type { Command } from 'commander';
import { wrapCommand, wrapText } from './wrap-text.ts';

type Example = readonly [line: string, does: string];

/** Of each operator: the rest is in the help of its commands. */
const MOST_EXAMPLES = 2;

/** What follows the commands in `kubewright --help`. */
export function examplesHelp(width: number): string {
  const ofOperators = OPERATORS.flatMap(({ commands = [] }) =>
    commands.flatMap(({ examples = [] }) => examples).slice(0, MOST_EXAMPLES),
  );
  const examples: readonly Example[] = [
    ['up', 'a cluster, the operators and a demo, in this terminal; then use kubectl as always'],
    ...ofOperators,
    ['manager --kubeconfig ~/.kube/config', 'the operators, on a cluster of yours'],
    ['install --apply', 'the same, in that cluster'],
  ];
  const next = wrapText('"kubewright COMMAND --help" has the flags of a command, and more examples.', width);
  return `\nExamples:\n${examplesText(examples, width)}\n\n${next.join('\n')}`;
}

/** Command lines, each below a comment that says what it does. */
export function examplesText(examples: readonly Example[], width: number): string {
  return examples
    .map(([line, does]) => {
      const comment = wrapText(does, width - 4).map((part) => `  # ${part}`);
      const command = wrapCommand(`kubewright ${line}`, width - 6);
      return [...comment, ...command.map((part, index) => `${index === 0 ? '  ' : '      '}${part}`)].join(
        '\n',
      );
    })
    .join('\n\n');
}

/** A command in the list of commands; a group takes one of its verbs. */
export function verbTerm(command: Command): string {
  if (command.commands.length > 0 && command.registeredArguments.length === 0)
    return `${command.name()} <verb>`;
  const parameters = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}>` : `[${one.name()}]`,
  );
  return [command.name(), ...(command.options.length === 0 ? [] : ['[options]']), ...parameters].join(' ');
}

/** What a command does; of a group, its verbs too. */
export function verbSummary(command: Command): string {
  const verbs = command.commands.map((verb) => verb.name()).join(', ');
  return verbs === '' ? command.description() : `${command.description()}\nverbs: ${verbs}`;
}
