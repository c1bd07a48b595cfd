import type { UserInfo } from '@kubewright/apiserver';
import { errorText, type Transport } from '@kubewright/kube';
import type { Operator } from '@kubewright/operators';
import { createWorkloads } from '../../demo/create-workloads.ts';
import { demoImages } from '../../run/demo-images.ts';
import { playDemos } from '../../run/play-demos.ts';
import { withDemoSettings } from '../../run/with-demo-settings.ts';
import { withPrometheus } from '../../run/with-prometheus.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { serveCluster } from '../../run/serve-cluster.ts';
import type { UpOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright up`: the embedded cluster, the operators on it and their demos, until a signal. */
export async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  const { healthPort } = options;
  // Before anything is started: an unknown name must not leave a server running.
  const operators = chooseOperators(options.operators);
  const image = [...demoImages(operators), ...(options.image ?? [])];
  await serveCluster({ ...options, image }, terminal, async ({ cluster, url, kubeconfig, prometheus }) => {
    const bare = cluster.transport();
    // Between the lines of the demos, only what is wrong.
    const running = { operators, bare, healthPort, connect: (user: UserInfo) => cluster.transport(user) };
    const around = options.demo ? withDemoSettings(terminal, operators) : terminal;
    const { ended } = await runOperators(
      { ...running, logLevel: 'warn' },
      withPrometheus(around, prometheus),
    );
    if (options.demo) {
      if (options.nodes > 0) await showLife(bare, terminal);
      await playDemos(operators, bare, terminal);
    }
    if (!terminal.signal.aborted) terminal.out(summary({ url, kubeconfig, prometheus }, operators, options));
    await ended;
  });
}

/** Sample workloads on the nodes. A failure to create them does not stop the cluster. */
async function showLife(transport: Transport, { err, signal }: Terminal): Promise<void> {
  await createWorkloads(transport).catch((error: unknown) => {
    if (!signal.aborted) err(`kubewright: the workloads were not created: ${errorText(error)}\n`);
  });
}

type Served = { readonly url: string; readonly kubeconfig: string; readonly prometheus: string };

function summary(
  { url, kubeconfig, prometheus }: Served,
  operators: readonly Operator[],
  { demo }: UpOptions,
): string {
  const next = demo ? operators.flatMap((operator) => operator.demo?.next ?? []) : [];
  return [
    '',
    `API         ${url}`,
    `kubeconfig  ${kubeconfig}`,
    `Prometheus  ${prometheus}`,
    `operators   ${operators.map(({ name }) => name).join(', ')}`,
    '',
    'Try, in another terminal:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl get pods -A -w',
    ...next.map((line) => `  ${line}`),
    'Ctrl-C stops everything; nothing is kept.',
    '',
    'ready',
    '',
  ].join('\n');
}
