import type { KeyPair } from '../certificates/authority.ts';
import type { ClientAuthority } from '../certificates/client-authority.ts';
import { MASTERS } from '../auth/authorizer.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { badRequest } from '../api-server-error.ts';
import type { RestContext } from '../rest/rest-context.ts';
import type { Connection } from '../model/connection.ts';
import { httpUpstreamTransport } from './http-upstream-transport.ts';
import { storedKubelets } from './kubelets.ts';
import { podLog } from './pod-log.ts';
import { proxyConnection } from './proxy-connection.ts';
import { nodeTarget, podTarget, serviceTarget } from './proxy-target.ts';
import type { UpstreamTransport } from './upstream-transport.ts';

/** How what runs in the cluster is reached: kubelets, pods. All have defaults. */
export type UpstreamOptions = {
  /**
   * Carries requests to kubelets, nodes and pods; as a function, in front of the usual one, which is HTTP and HTTPS. It is
   * closed with the server.
   */
  readonly upstreamTransport?: UpstreamTransport | ((usual: UpstreamTransport) => UpstreamTransport);
  readonly kubelets?: {
    /** PEM of the CA of their certificates. Default: they are not verified, as in kube-apiserver without the flag. */
    readonly certificateAuthority?: string;
    /** PEM, this server's client certificate. Default: made at first use, where the client CA's key is here. */
    readonly clientCertificate?: KeyPair;
    /** Types of node addresses, the best first. Default: that of kube-apiserver. */
    readonly preferredAddressTypes?: readonly string[];
  };
};

/** The name that clusters give this server's certificate for kubelets. */
const CLIENT = { username: 'kube-apiserver-kubelet-client', groups: [MASTERS] };

export function upstreamOf(
  { upstreamTransport, kubelets = {} }: UpstreamOptions,
  authority: ClientAuthority,
): UpstreamTransport {
  if (typeof upstreamTransport === 'object') return upstreamTransport;
  const { certificateAuthority, clientCertificate } = kubelets;
  let made: Promise<KeyPair | undefined> | undefined;
  const usual = httpUpstreamTransport({
    certificateAuthority,
    async credentials() {
      if (clientCertificate !== undefined) return clientCertificate;
      made ??= authority.issue(CLIENT).catch(() => undefined);
      return await made;
    },
  });
  return upstreamTransport?.(usual) ?? usual;
}

/** The subresources that are proxied, by resource of the core group. */
export function connectionsTo(
  transport: UpstreamTransport,
  { store, random }: Pick<RestContext, 'store' | 'random'>,
  { kubelets: { preferredAddressTypes } = {} }: UpstreamOptions,
): Readonly<Record<string, ResourceDefinition['connections']>> {
  const kubelets = storedKubelets(store, preferredAddressTypes);
  const proxy = (kind: string, targetOf: Parameters<typeof proxyConnection>[2]): Connection =>
    proxyConnection(kind, transport, targetOf);
  return {
    nodes: { proxy: proxy('NodeProxyOptions', (request) => nodeTarget(kubelets, request)) },
    pods: {
      attach: unsupported('PodAttachOptions'),
      exec: unsupported('PodExecOptions'),
      log: podLog({ store, kubelets, transport }),
      portforward: unsupported('PodPortForwardOptions'),
      proxy: proxy('PodProxyOptions', (request) => podTarget(store, request)),
    },
    services: {
      proxy: proxy('ServiceProxyOptions', (request) => serviceTarget(store, random, request)),
    },
  };
}

/** The resource with its connections, if it has any. Others are left as they are. */
export function withConnections(
  definition: ResourceDefinition,
  known: ReturnType<typeof connectionsTo>,
): ResourceDefinition {
  const connections =
    definition.group === '' && Object.hasOwn(known, definition.resource)
      ? known[definition.resource]
      : undefined;
  return connections === undefined ? definition : { ...definition, connections };
}

/** Bidirectional streams, which are not supported. A request without `Upgrade` gets the error of a real server. */
function unsupported(kind: string): Connection {
  return {
    kind,
    methods: ['GET', 'POST'],
    subpaths: false,
    connect({ headers }) {
      const upgrade = headers['upgrade'] !== undefined;
      throw badRequest(upgrade ? 'streams to containers are not served here' : 'Upgrade request required');
    },
  };
}
