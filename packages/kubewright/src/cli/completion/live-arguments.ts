import { OPERATORS, type OperatorCommand } from '@kubewright/operators/list';
import { takesAnyKind, typesOf } from '../object-arguments.ts';

/** What the first argument of a verb names: objects of these types, or `TYPE/NAME` of any. */
export type LiveArguments = { readonly types: readonly string[]; readonly anyKind: boolean };

/** Of the verb of these words; undefined where no cluster knows what its arguments may be. */
export function liveArguments(words: readonly string[]): LiveArguments | undefined {
  const name = words.join(' ');
  const declared: OperatorCommand | undefined = OPERATORS.flatMap(({ commands = [] }) => commands).find(
    (command) => command.name === name,
  );
  if (declared === undefined) return undefined;
  const arguments_ = { types: typesOf(declared.names), anyKind: takesAnyKind(declared) };
  return arguments_.anyKind || arguments_.types.length > 0 ? arguments_ : undefined;
}

/** Flags whose values a cluster, or the kubeconfig, knows. */
export const LIVE_FLAGS: ReadonlyMap<string, 'namespaces' | 'contexts'> = new Map([
  ['-n', 'namespaces'],
  ['--namespace', 'namespaces'],
  ['--context', 'contexts'],
]);
