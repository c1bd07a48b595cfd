import { discoverResources } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { paintFor } from '../../kit/paint.ts';
import { operator as capture } from '../operator.ts';
import type { Requester } from './make-requests.ts';

/** Runs a verb of the command line, and resolves with what it printed. */
export async function runCommand(
  { admin, namespace }: Requester,
  transport: Transport,
  line: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  let printed = '';
  const stage: CommandStage = {
    client: admin,
    out: (text) => void (printed += text),
    progress: () => undefined,
    print: ({ text }) => void (printed += text()),
    paint: paintFor(false),
    signal: new AbortController().signal,
    discover: () => discoverResources(transport),
    namespace,
    findResource: () => Promise.reject(new TypeError('no kind is named')),
    findSchema: () => Promise.resolve(undefined),
  };
  const [name, ...args] = line;
  const command = capture.commands?.find((one) => one.name === `capture ${name}`);
  await command?.run({ args, options }, async () => stage);
  return printed;
}
