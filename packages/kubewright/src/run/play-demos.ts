import { createClient, discoverResources, withImpersonation } from '@kubewright/client';
import { errorText, type Transport } from '@kubewright/kube';
import { type DemoStage, type Operator, paintFor } from '@kubewright/operators';
import type { Terminal } from '../terminal.ts';
import { KubewrightError } from '../kubewright-error.ts';

/** Plays the use case of an operator on a cluster where it runs. Rejects with `Failed` when it does not go well. */
export async function playDemo(
  { name, demo }: Operator,
  transport: Transport,
  { out, colour, signal }: Terminal,
): Promise<void> {
  if (demo === undefined) throw new KubewrightError('Usage', `operator ${name} has no demo`);
  const paint = paintFor(colour);
  out(`\n${paint('bold', `${name}: ${demo.title}`)}\n`);
  try {
    const as: DemoStage['as'] = ({ username: user, groups }) =>
      createClient(withImpersonation(transport, { user, groups }));
    const client = createClient(transport);
    const discover = () => discoverResources(transport, signal);
    await demo.play({ client, as, discover, log: logOf(transport), out, paint, signal });
  } catch (error) {
    if (!signal.aborted)
      throw new KubewrightError('Failed', `the demo of ${name} failed: ${errorText(error)}`, {
        cause: error,
      });
  }
  if (signal.aborted)
    throw new KubewrightError('Interrupted', `the demo of ${name} was interrupted`, { exitCode: 130 });
}

function logOf(transport: Transport): DemoStage['log'] {
  return async ({ namespace = '', name }, { tailLines }) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/log?tailLines=${tailLines}`;
    const response = await transport.request({ method: 'GET', path, headers: {} });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
}

/** Plays all demos of operators, one after the other. One that fails is reported, and the others go on. */
export async function playDemos(
  operators: readonly Operator[],
  transport: Transport,
  terminal: Terminal,
): Promise<void> {
  for (const operator of operators.filter(({ demo }) => demo !== undefined)) {
    await playDemo(operator, transport, terminal).catch((error: unknown) => {
      if (!terminal.signal.aborted) terminal.err(`kubewright: ${errorText(error)}\n`);
    });
    if (terminal.signal.aborted) return;
  }
}
