import { defined, type Transport } from '@kubewright/kube';
import {
  createManager,
  type Logger,
  type Manager,
  type ManagerOptions,
  type WebhookServerOptions,
} from '@kubewright/runtime';
import { samples } from './sample.ts';
import { addSampleController } from './sample-controller.ts';
import { samplesWebhook, webhookConfiguration, webhookPath } from './sample-webhook.ts';

/** `kubewright generate manifests` reads this. */
export const operator = {
  name: 'sample',
  definitions: [samples.definition],
  webhooks: [webhookConfiguration],
};

export type OperatorOptions = {
  /** Where its Lease and the certificates of its webhooks are. */
  readonly namespace: string;
  /** Default: what kubectl takes; in a pod its service account. */
  readonly kubeconfig?: string | undefined;
  readonly transport?: Transport;
  /** Of `/healthz`, `/readyz` and `/metrics`. */
  readonly health?: ManagerOptions['health'];
  /** Default: port 9443 on all addresses. */
  readonly webhooks?: Omit<WebhookServerOptions, 'certificates'>;
  readonly log?: Logger;
};

/** The manager with all that this operator consists of. */
export function createOperator({ namespace, webhooks, ...options }: OperatorOptions): Manager {
  const { name, definitions } = operator;
  const manager = createManager({
    ...defined(options),
    name,
    definitions,
    election: { namespace },
    webhooks: {
      ...webhooks,
      certificates: {
        secret: { namespace, name: `${name}-webhook-certificates` },
        configurations: [{ kind: 'ValidatingWebhookConfiguration', name }],
        hosts: [webhooks?.host ?? `${name}.${namespace}.svc`],
      },
    },
    // With probes, as in a pod: until no API server calls its webhooks any more.
    shutdownDelayMs: options.health === undefined ? 0 : 5000,
  });
  addSampleController(manager);
  manager.webhookServer().register(webhookPath, samplesWebhook);
  return manager;
}
