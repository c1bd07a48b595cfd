import type { OperatorCommand, ResourceNames } from '@kubewright/operators/list';
import type { Command } from 'commander';

/** Adds what a verb declares. Where an argument names an object, `TYPE NAME` is accepted as well, in two words. */
export function addObjectArguments(command: Command, declared: OperatorCommand): void {
  for (const [syntax, help] of Object.entries(declared.arguments ?? {})) command.argument(syntax, help);
  if (namesObject(declared)) command.allowExcessArguments();
}

/** The arguments of a command line: an object of any kind as `TYPE/NAME`, one of the verb's own kind as its name. */
export function objectArguments(command: Command, declared: OperatorCommand): readonly string[] {
  const args = declared.names === undefined ? joined(command.args, declared) : named(command.args, declared);
  const most = command.registeredArguments.length;
  if (args.length <= most) return args;
  const expected = `${most} argument${most === 1 ? '' : 's'}`;
  return command.error(
    `error: too many arguments for '${command.name()}'. Expected ${expected} but got ${args.length}.`,
    { code: 'commander.excessArguments' },
  );
}

function namesObject(declared: OperatorCommand): boolean {
  return declared.names !== undefined || takesAnyKind(declared);
}

export function takesAnyKind({ arguments: parameters = {} }: OperatorCommand): boolean {
  return Object.keys(parameters)[0]?.includes('kind/name') ?? false;
}

/** `deployment web` is `deployment/web`. */
function joined(args: readonly string[], declared: OperatorCommand): readonly string[] {
  const [type = '', name, ...rest] = args;
  if (!takesAnyKind(declared) || name === undefined || type.includes('/')) return args;
  return [`${type}/${name}`, ...rest];
}

/** `pod/web` and `pod web` are `web`. */
function named(
  args: readonly string[],
  { names, arguments: parameters = {} }: OperatorCommand,
): readonly string[] {
  const [first = '', ...rest] = args;
  const types = typesOf(names);
  if (types.includes(first) && args.length > Object.keys(parameters).length) return rest;
  const [type = '', ...name] = first.split('/');
  return name.length > 0 && types.includes(type) ? [name.join('/'), ...rest] : args;
}

export function typesOf(names: ResourceNames | undefined): readonly string[] {
  if (names === undefined) return [];
  const { plural, singular, group, shortName } = names;
  const words = [plural, singular];
  const qualified = group === undefined ? [] : words.map((word) => `${word}.${group}`);
  return [...words, ...qualified, ...(shortName === undefined ? [] : [shortName])];
}
