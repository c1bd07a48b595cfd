import type { ApiRequest, ApiResponse } from '@kubewright/kube';

/** A request that is sent on to what runs in the cluster: a kubelet, or a port of a node, a pod or a service. */
export type UpstreamCall = Pick<ApiRequest, 'headers' | 'signal'> & {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly scheme: 'http' | 'https';
  readonly address: { readonly host: string; readonly port: number };
  /** The node whose kubelet is called with the client certificate; absent: anything else, without one. */
  readonly kubeletOf?: string;
  /** The kubelet's certificate is not verified, though there is an authority to verify it by. */
  readonly insecure?: boolean;
};

/** How such requests leave this process. */
export type UpstreamTransport = {
  /** Rejects where there is no response; the client gets the message. The body is streamed. */
  call(call: UpstreamCall): Promise<ApiResponse>;
  /** The addresses of a host name. Rejects where it has none. Not called with addresses. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Drops connections that are kept. */
  close(): void;
};
