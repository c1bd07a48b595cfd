import { errorText, type Transport } from '@kubewright/kube';
import { playDemo } from '../../demo/play-demo.ts';
import { createWorkloads } from '../../demo/workloads.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { serveCluster } from '../../run/serve-cluster.ts';
import type { UpOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright up`: the embedded cluster, the operators on it and the demo, until a signal. */
export async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  // Before anything is started: a name that does not exist must not leave a server behind.
  chooseOperators(options.operators);
  await serveCluster(options, terminal, async ({ cluster, url, kubeconfig }) => {
    const transport = cluster.transport();
    const { operators: names, healthPort } = options;
    // The demo's lines are what people read here.
    const quiet = { names, bare: transport, healthPort, logLevel: 'warn' } as const;
    const { ended } = await runOperators(quiet, terminal);
    if (options.demo) await demo(transport, options, terminal);
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
  try {
    if (nodes > 0) await createWorkloads(transport);
    if (operators.includes('ownership')) await playDemo(transport, terminal);
  } catch (error) {
    if (terminal.signal.aborted) return;
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
