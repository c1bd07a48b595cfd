import { OPERATORS } from '@kubewright/operators/list';
import type { Command } from 'commander';
import { SETTINGS } from './add-settings.ts';

type Example = readonly [line: string, does: string];

const EXPLAINED_AT = 51;

/** What follows the commands in `kubewright --help`. */
export function examplesHelp(): string {
  const operators = OPERATORS.map(({ name, summary }) => `  ${name.padEnd(16)} ${summary}`);
  const examples = OPERATORS.flatMap(({ commands = [] }) => commands).flatMap((one) => one.examples ?? []);
  return `
Operators:
${operators.join('\n')}

Examples:
  kubewright up                                    a cluster API, the operators and a demo, in this terminal
  export KUBECONFIG=.kubewright/kubeconfig         then use kubectl as always:
  kubectl get deployments -A

${examplesText(examples)}
  kubewright manager --kubeconfig ~/.kube/config   the operators, on a cluster of yours
  kubewright install | kubectl apply -f -          the same, in that cluster
`;
}

/** Command lines with what they do, one below the other. */
export function examplesText(examples: readonly Example[]): string {
  return examples.map(([line, does]) => example(line, does)).join('\n');
}

function example(line: string, does: string): string {
  const text = `  kubewright ${line}`;
  const isLong = text.length >= EXPLAINED_AT;
  return isLong ? `${text}\n${' '.repeat(EXPLAINED_AT)}${does}` : `${text.padEnd(EXPLAINED_AT)}${does}`;
}

/** The settings of operators. */
export function settingsHelp(): string {
  const width = Math.max(0, ...SETTINGS.map(([name]) => name.length));
  return [
    '',
    'Settings of operators, as environment variables or options (--request-ttl 1h for REQUEST_TTL):',
    ...SETTINGS.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
  ].join('\n');
}

/** A command in the list of commands; of a group, its verbs: `drift list|approve`. */
export function verbTerm(command: Command): string {
  const verbs = command.commands.map((verb) => verb.name()).join('|');
  if (verbs !== '' && command.registeredArguments.length === 0) return `${command.name()} ${verbs}`;
  const parameters = command.registeredArguments.map((one) =>
    one.required ? `<${one.name()}>` : `[${one.name()}]`,
  );
  return [command.name(), ...(command.options.length === 0 ? [] : ['[options]']), ...parameters].join(' ');
}
