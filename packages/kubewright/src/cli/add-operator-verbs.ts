import type { CommandCall, Operator, OperatorCommand } from '@kubewright/operators/list';
import { type Command, CommanderError } from 'commander';
import { examplesText } from './examples-help.ts';
import { errorExitCode } from './exit-codes.ts';
import { addObjectArguments, objectArguments } from './object-arguments.ts';
import { dryRunOption, type OutputOf, outputOption } from './output/output-option.ts';
import type { Terminal } from '../terminal.ts';
import { helpWidth } from './wrap-text.ts';

const CLUSTER = 'the cluster; default $KUBECONFIG, .kubewright/kubeconfig, the pod, ~/.kube/config';

/** Gives a command the options that say which cluster it works on. */
export function chooseCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', CLUSTER)
    .option('--context <name>', 'a context of the kubeconfig; default its current one');
}

/** The verbs that an operator declares. */
export function addOperatorVerbs(
  program: Command,
  { summary, commands = [] }: Operator,
  terminal: Terminal,
): void {
  for (const declared of commands) addVerb(program, summary, declared, terminal);
}

/** A verb that works on a cluster; `groupSummary` is that of the command of which it is one. */
export function addVerb(
  program: Command,
  groupSummary: string,
  declared: OperatorCommand,
  terminal: Terminal,
): void {
  const { summary, namespaceDefault = "default that of the kubeconfig's context" } = declared;
  const command = commandNamed(program, declared, groupSummary).description(summary);
  addObjectArguments(command, declared);
  command.option('-n, --namespace <name>', `the namespace; ${namespaceDefault}`);
  chooseCluster(command);
  addOptions(command, declared);
  exitWith(command, declared);
  addExamples(command, declared, terminal);
  command.action(async () => {
    const call = { args: objectArguments(command, declared), options: textOf(command.optsWithGlobals()) };
    await (await import('./commands/operator-command.ts')).operatorCommand(declared, call, terminal);
  });
}

function addOptions(command: Command, declared: OperatorCommand): void {
  const { options = {}, writes, finds, isList = false } = declared;
  // Before `--no-dry-run`, which would make it the default.
  if (writes !== undefined) command.addOption(dryRunOption());
  for (const [flags, { help, default: value }] of Object.entries(options)) command.option(flags, help, value);
  if (isList) addListOptions(command);
  if (finds !== undefined) command.option('--exit-code', `exit with 1 where there is ${finds}, 2 on errors`);
  const output = outputOf(declared);
  if (output !== undefined) command.addOption(outputOption(output));
}

function outputOf({ isList, writes, hasOutput }: OperatorCommand): OutputOf | undefined {
  if (isList === true) return 'list';
  if (writes === 'objects') return 'objects';
  return hasOutput === true ? 'result' : undefined;
}

function addExamples(command: Command, { examples = [] }: OperatorCommand, terminal: Terminal): void {
  if (examples.length === 0) return;
  command.addHelpText('after', () => `\nExamples:\n${examplesText(examples, helpWidth(terminal))}`);
}

function addListOptions(command: Command): void {
  command
    .option('-A, --all-namespaces', 'of all namespaces; -n counts for nothing then')
    .option('-w, --watch', 'then print what changes, until it is interrupted')
    .option('--no-headers', 'print no titles of columns');
}

/** Errors of usage are errors, too. */
function exitWith(command: Command, declared: OperatorCommand): void {
  if (declared.errorExitCode === undefined && declared.finds === undefined) return;
  command.exitOverride((error) => {
    const exitCode = errorExitCode(declared, command.opts());
    throw error.exitCode === 0 ? error : new CommanderError(exitCode ?? 1, error.code, error.message);
  });
}

/** `drift list` is the verb `list` of the group `drift`. */
function commandNamed(
  program: Command,
  { name, isDefault = false }: OperatorCommand,
  groupSummary: string,
): Command {
  const [first = '', second] = name.split(' ');
  if (second === undefined) return program.command(first);
  const group =
    program.commands.find((one) => one.name() === first) ?? program.command(first).description(groupSummary);
  // `owners scan -n shop`: what follows the verb is the verb's.
  return group.enablePositionalOptions().command(second, { isDefault });
}

/** A flag without a value is `true`, as text. */
function textOf(options: Readonly<Record<string, unknown>>): CommandCall['options'] {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, String(value)]));
}
