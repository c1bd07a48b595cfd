import { type Client, discoverResources } from '@kubewright/client';
import type { Transport } from '@kubewright/kube';
import type { CommandStage, Operator } from '../operator.ts';
import { paintFor } from '../paint.ts';

/** As whom a command runs, and where. */
export type CommandPlace = {
  readonly client: Client;
  readonly namespace: string;
  readonly transport: Transport;
  /** Default: nobody interrupts it. */
  readonly signal?: AbortSignal;
  /** Gets what is printed, as it is printed. */
  readonly out?: (text: string) => void;
  readonly progress?: (line: string) => void;
};

/** Runs a command of an operator, `['class show', 'cart']`, and resolves with what it printed. */
export async function runCommand(
  { commands = [] }: Operator,
  { client, namespace, transport, ...terminal }: CommandPlace,
  [name, ...args]: readonly string[],
  options: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) throw new TypeError(`there is no command ${name}`);
  let printed = '';
  const stage: CommandStage = {
    client,
    namespace,
    out: (text) => {
      printed += text;
      terminal.out?.(text);
    },
    progress: terminal.progress ?? (() => undefined),
    print: ({ text }) => void (printed += text()),
    paint: paintFor(false),
    signal: terminal.signal ?? new AbortController().signal,
    discover: () => discoverResources(transport),
    findResource: () => Promise.reject(new TypeError('no kind is named')),
    findSchema: () => Promise.resolve(undefined),
    getText: () => Promise.reject(new TypeError('no path is named')),
  };
  await command.run({ args, options, terminal: stage }, async () => stage);
  return printed;
}
