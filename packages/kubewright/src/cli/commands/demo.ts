import type { UserInfo } from '@kubewright/apiserver';
import { onAbort } from '@kubewright/client';
import { Cluster, servePrometheus } from '@kubewright/cluster';
import type { Operator } from '@kubewright/operators';
import { demoImages } from '../../run/demo-images.ts';
import { playDemo } from '../../run/play-demos.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { withDemoSettings } from '../../run/with-demo-settings.ts';
import { withPrometheus } from '../../run/with-prometheus.ts';
import { workerImages } from '../../run/worker-images.ts';
import type { DemoOptions } from '../../command-options.ts';
import { connect, explainApiError } from '../connect.ts';
import { interruptible } from '../interruptible.ts';
import { untilInterrupted } from '../until-interrupted.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright demo NAME`: an operator's use case on a cluster of its own, or on one where the operator runs. */
export async function demo(name: string, options: DemoOptions, terminal: Terminal): Promise<void> {
  const isElsewhere = (options.kubeconfig ?? options.context) !== undefined;
  for (const operator of chooseOperators([name]))
    await (isElsewhere ? playElsewhere(operator, options, terminal) : playHere(operator, terminal));
}

async function playElsewhere(operator: Operator, options: DemoOptions, terminal: Terminal): Promise<void> {
  const { transport: bare, url } = await connect(options, terminal);
  const transport = interruptible(bare, terminal.signal);
  // What a demo serves, as a broker, ends with it.
  const stop = new AbortController();
  const forget = onAbort(terminal.signal, () => stop.abort());
  const run = (): Promise<void> => playDemo(operator, transport, { ...terminal, signal: stop.signal });
  const end = (): void => void transport.close();
  const leaves = `what the demo has made stays in the cluster; "kubewright demo ${operator.name}" plays it again`;
  try {
    await untilInterrupted(terminal.signal, { run, end, leaves });
  } catch (error) {
    throw explainApiError(error, url);
  } finally {
    forget();
    stop.abort();
    await transport.close();
  }
}

/** On a cluster in this process, which stops when the demo is over. */
async function playHere(operator: Operator, terminal: Terminal): Promise<void> {
  const stop = new AbortController();
  const forget = onAbort(terminal.signal, () => stop.abort());
  const here = { ...terminal, signal: stop.signal };
  // Before the cluster, and so closed after it: its kubelets start again what ends.
  await using workers = workerImages(demoImages([operator]), terminal.cwd);
  await using cluster = await Cluster.start({ nodes: { nodes: 2, runtimes: [workers] } });
  const connectAs = (user: UserInfo) => cluster.transport(user);
  const bare = cluster.transport();
  const running = { operators: [operator], bare, connect: connectAs, logLevel: 'warn' } as const;
  await using prometheus = await servePrometheus(bare);
  const around = withDemoSettings(here, [operator]);
  const { ended } = await runOperators(running, withPrometheus(around, prometheus.url));
  const played = playDemo(operator, bare, here);
  try {
    await Promise.race([played, ended, cluster.ended]);
    // A signal ends the operators first: how the demo went is still to come.
    await played;
  } finally {
    played.catch(() => undefined);
    stop.abort();
    forget();
    await ended;
  }
}
