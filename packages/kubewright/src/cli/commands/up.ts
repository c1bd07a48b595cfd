import type { UserInfo } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { errorText, type Transport } from '@kubewright/kube';
import { paintFor } from '@kubewright/operators';
import { createWorkloads } from '../../demo/workloads.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { serveCluster } from '../../run/serve-cluster.ts';
import type { UpOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright up`: the embedded cluster, the operators on it and the demo, until a signal. */
export async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  const { healthPort } = options;
  // Before anything is started: a name that does not exist must not leave a server behind.
  const operators = chooseOperators(options.operators);
  await serveCluster(options, terminal, async ({ cluster, url, kubeconfig }) => {
    const bare = cluster.transport();
    // Between the lines of the demo, only what is wrong.
    const running = { operators, bare, healthPort, connect: (user: UserInfo) => cluster.transport(user) };
    const { ended } = await runOperators({ ...running, logLevel: 'warn' }, terminal);
    if (options.demo) await demo(bare, options, terminal);
    if (!terminal.signal.aborted) terminal.out(summary(url, kubeconfig, options));
    await ended;
  });
}

/** A demo that fails must not take the cluster with it. */
async function demo(
  transport: Transport,
  { operators, nodes }: UpOptions,
  terminal: Terminal,
): Promise<void> {
  const { out, colour, signal } = terminal;
  try {
    if (nodes > 0) await createWorkloads(transport);
    const stage = { client: createClient(transport), out, paint: paintFor(colour), signal };
    for (const operator of chooseOperators(operators)) await operator.demo?.(stage);
  } catch (error) {
    if (signal.aborted) return;
    terminal.err(`kubewright: the demo stopped: ${errorText(error)}\n`);
  }
}

function summary(url: string, kubeconfig: string, { operators }: UpOptions): string {
  return [
    '',
    `API         ${url}`,
    `kubeconfig  ${kubeconfig}`,
    `operators   ${operators.join(', ')}`,
    '',
    'Try, in another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get pods -A -w',
    '  kubectl get deployments,compositions,resourceslices -A',
    '  npx kubewright owners deployment/web -n demo',
    'Ctrl-C stops everything; nothing is kept.',
    '',
    'ready',
    '',
  ].join('\n');
}
