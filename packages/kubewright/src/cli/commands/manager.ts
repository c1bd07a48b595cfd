import { isInCluster } from '@kubewright/client';
import { atUrl, behindService, type WebhookPlace } from '@kubewright/operators';
import { defined } from '@kubewright/kube';
import { measureRequests, Registry, RuntimeError, tuneHeap } from '@kubewright/runtime';
import { KubewrightError } from '../../kubewright-error.ts';
import { closeInTime } from '../../run/close-in-time.ts';
import { chooseOperators, runOperators } from '../../run/run-operators.ts';
import { explainPort } from '../../run/serve-api.ts';
import { connect, explainApiError } from '../connect.ts';
import type { ManagerOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright manager`: the operators on a cluster that runs elsewhere, until a signal. */
export async function manager(options: ManagerOptions, terminal: Terminal): Promise<void> {
  const { operators: names, healthPort, shutdownDelaySeconds } = options;
  tuneHeap();
  const operators = chooseOperators(names);
  const { transport, url } = await connect(options, terminal);
  const registry = new Registry();
  const bare = measureRequests(transport, registry, new URL(url).host);
  const shutdownDelayMs = shutdownDelaySeconds * 1000;
  closeInTime(bare, terminal, shutdownDelayMs);
  try {
    const { leaderElect, leaderElectNamespace } = options;
    const lease = leaderElect ? { leaseNamespace: leaderElectNamespace } : {};
    const { webhookUrl, webhookCertDir: certificates, crds } = options;
    const called = {
      webhooks: placeOf(options),
      isOutside: !isInCluster(terminal.env),
      hasDefinitions: !crds,
      ...defined({ webhookUrl, certificates }),
    };
    const running = await runOperators(
      { operators, bare, registry, healthPort, shutdownDelayMs, ...called, ...lease },
      terminal,
    );
    terminal.out(`operators: ${names.join(', ')} on ${url}\nready\n`);
    await running.ended;
  } catch (error) {
    throw explain(error, url);
  } finally {
    await bare.close();
  }
}

function placeOf({
  namespace,
  webhookHost: host,
  webhookPort: port,
  webhookUrl: url,
}: ManagerOptions): WebhookPlace {
  // A certificate has the address without brackets.
  const place =
    url === undefined
      ? behindService(namespace, port)
      : atUrl(url.hostname.replace(/^\[|\]$/g, ''), { namespace, port });
  return { ...place, ...defined({ host }) };
}

const OTHER_PORT = 'choose another with --webhook-port or --health-port';

function explain(error: unknown, url: string): unknown {
  const ofPort = explainPort(error, OTHER_PORT);
  if (ofPort !== undefined) return ofPort;
  if (!(error instanceof RuntimeError) || error.code !== 'LeaseLost') return explainApiError(error, url);
  const message = `${error.message}; another manager may lead now. Start this one again to stand by`;
  return new KubewrightError('Refused', message, { cause: error });
}
