import type { ManagerWebhookOptions } from '@kubewright/runtime';
import { MANAGER, NAMESPACE } from './install-objects.ts';
import { CERTIFICATES } from './manager-roles.ts';
import type { OperatorParts } from './operator.ts';
import { webhookConfigurationRefs } from './webhook-configurations.ts';

/** Where a manager serves webhooks, and the names under which an API server calls it. */
export type WebhookPlace = {
  /** Namespace of the Secret that holds the certificates. */
  readonly namespace: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Address to listen on. Default: all. */
  readonly host?: string;
  /** DNS names and addresses of the certificate. */
  readonly hosts: readonly [string, ...string[]];
};

/** For an API server on this machine, by URL. */
export const LOOPBACK: WebhookPlace = {
  namespace: NAMESPACE,
  port: 0,
  host: '127.0.0.1',
  // The name by which APIServices verify it, whatever the address.
  hosts: ['127.0.0.1', serviceHost(NAMESPACE)],
};

/** For an API server that calls the Service printed by `kubewright install --namespace`. */
export function behindService(namespace: string, port: number): WebhookPlace {
  return { namespace, port, hosts: [serviceHost(namespace)] };
}

/** For an API server that calls a manager outside of the cluster by URL; `host` is a name or an address. */
export function atUrl(
  host: string,
  { namespace, port }: Pick<WebhookPlace, 'namespace' | 'port'>,
): WebhookPlace {
  return { namespace, port, hosts: [host, serviceHost(namespace)] };
}

function serviceHost(namespace: string): string {
  return `${MANAGER}.${namespace}.svc`;
}

/** The manager's option `webhooks`, and the port once it listens; undefined when no operator has webhooks. */
export function servedWebhooks(
  operators: readonly OperatorParts[],
  { namespace, hosts, ...listen }: WebhookPlace,
): { readonly options: ManagerWebhookOptions; readonly port: Promise<number> } | undefined {
  const configurations = webhookConfigurationRefs(operators);
  if (configurations.length === 0) return undefined;
  let onListening: (port: number) => void = () => undefined;
  const port = new Promise<number>((resolve) => (onListening = resolve));
  const certificates = { secret: { namespace, name: CERTIFICATES }, configurations, hosts };
  return { options: { ...listen, certificates, onListening: (at) => onListening(at) }, port };
}
