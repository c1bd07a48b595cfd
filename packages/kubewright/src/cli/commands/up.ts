import { startControllers } from '@kubewright/cluster';
import type { Transport } from '@kubewright/kube';
import { playDemo } from '../../demo/play-demo.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { serveApi, untilStopped } from '../../run/serve-api.ts';
import type { UpOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright up`: the embedded API, its controllers, the operators on it and the demo, until a signal. */
export async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  // Before anything is started: a name that does not exist must not leave a server behind.
  chooseOperators(options.operators);
  const { server, url, kubeconfig, caCert } = await serveApi(options, terminal);
  try {
    const { signal } = terminal;
    const controllers = startControllers({
      connect: (user) => server.transport(user),
      signal,
      rootCa: caCert,
    });
    const transport = server.transport();
    const { ended } = await runOperators(
      { names: options.operators, bare: transport, healthPort: options.healthPort },
      terminal,
    );
    if (options.demo && options.operators.includes('ownership')) await demo(transport, terminal);
    if (!terminal.signal.aborted) terminal.out(summary(url, kubeconfig, options));
    await untilStopped(terminal);
    await Promise.all([ended, controllers.ended]);
  } finally {
    await server.close();
  }
}

/** A demo that fails must not take the cluster with it. */
async function demo(transport: Transport, terminal: Terminal): Promise<void> {
  try {
    await playDemo(transport, terminal);
  } catch (error) {
    if (terminal.signal.aborted) return;
    terminal.err(`kubewright: the demo stopped: ${error instanceof Error ? error.message : String(error)}\n`);
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
    '  kubectl get deployments,compositions,resourceslices -A',
    '  npx kubewright owners deployment/web -n demo',
    'Ctrl-C stops everything; nothing is kept.',
    '',
    'ready',
    '',
  ].join('\n');
}
