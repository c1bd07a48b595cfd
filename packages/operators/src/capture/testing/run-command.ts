import type { Transport } from '@kubewright/kube';
import { type CommandPlace, runCommand as run } from '../../kit/testing/run-command.ts';
import { operator as capture } from '../operator.ts';
import type { Requester } from './make-requests.ts';

/** Runs a verb of the command line, and resolves with what it printed. */
export async function runCommand(
  { admin: client, namespace, ...terminal }: Requester & Pick<CommandPlace, 'signal' | 'out' | 'progress'>,
  transport: Transport,
  [name = '', ...args]: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  return run(capture, { client, namespace, transport, ...terminal }, [`capture ${name}`, ...args], options);
}
