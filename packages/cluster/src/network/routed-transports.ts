import {
  type ExtensionTransport,
  httpsExtensionTransport,
  httpsWebhookTransport,
  type UpstreamTransport,
  type WebhookTransport,
} from '@kubewright/apiserver';
import type { ClusterNetwork } from './cluster-network.ts';

const HTTPS_PORT = 443;

/** Calls webhooks in the cluster and outside of it. */
export function routedWebhooks({ route }: Pick<ClusterNetwork, 'route'>): WebhookTransport {
  const inner = httpsWebhookTransport();
  return {
    async call(call) {
      const { hostname, port } = new URL(call.url);
      const wanted = call.address ?? { host: hostname, port: port === '' ? HTTPS_PORT : Number(port) };
      const address = route(wanted);
      return inner.call(address === wanted ? call : { ...call, address });
    },
    close: () => inner.close(),
  };
}

/** Calls extension servers in the cluster and outside of it. */
export function routedExtensions({ route }: Pick<ClusterNetwork, 'route'>): ExtensionTransport {
  const inner = httpsExtensionTransport();
  return {
    call: async (call) => inner.call({ ...call, address: route(call.address) }),
    close: () => inner.close(),
  };
}

/** Forwards requests to ports of pods and nodes in the cluster, and to what is elsewhere. */
export function routedUpstream(
  inner: UpstreamTransport,
  { route }: Pick<ClusterNetwork, 'route'>,
): UpstreamTransport {
  return {
    ...inner,
    async call(call) {
      const { host, port } = call.address;
      const headers = { host: `${host}:${port}`, ...call.headers };
      return inner.call({ ...call, headers, address: route(call.address) });
    },
  };
}
