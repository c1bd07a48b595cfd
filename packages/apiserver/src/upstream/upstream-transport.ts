import type { ApiRequest, ApiResponse } from '@kubewright/kube';

/** A request that is sent on to what runs in the cluster: a kubelet, or a port of a node, a pod or a service. */
export type UpstreamCall = Pick<ApiRequest, 'headers' | 'signal'> & {
  readonly method: string;
  /** With the query, percent-encoded. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly scheme: 'http' | 'https';
  readonly address: { readonly host: string; readonly port: number };
  /** The node whose kubelet is asked, which shall know by whom; absent: anything else, which is not told. */
  readonly kubeletOf?: string;
  /** The kubelet's certificate is not verified, though there is an authority to verify it by. */
  readonly insecure?: boolean;
};

/** How such requests leave this process. */
export type UpstreamTransport = {
  /** Rejects where no answer could be had; the message is told to the client. The body comes as it is sent. */
  call(call: UpstreamCall): Promise<ApiResponse>;
  /** The addresses of a host name. Rejects where it has none. Never asked about what is an address itself. */
  addressesOf(host: string): Promise<readonly string[]>;
  /** Drops connections that are kept. */
  close(): void;
};
