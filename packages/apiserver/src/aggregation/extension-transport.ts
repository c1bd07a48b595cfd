import type { ApiRequest, ApiResponse } from '@kubewright/kube';
import type { KeyPair } from '../certificates/authority.ts';

/** A request to an extension server. */
export type ExtensionCall = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: ApiRequest['headers'];
  readonly body: Uint8Array;
  readonly address: { readonly host: string; readonly port: number };
  /** The name in the server's certificate. */
  readonly serverName: string;
  /** PEM, by which alone the server's certificate is verified; empty: by the system's roots. */
  readonly caBundle: string;
  /** The server's certificate is not verified at all. */
  readonly insecure: boolean;
  /** The front proxy's client certificate, for which the server trusts the headers that name the user. */
  readonly credentials: KeyPair;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
};

/** Carries requests to such servers. Rejects where there is no response; the client gets the message. */
export type ExtensionTransport = {
  call(call: ExtensionCall): Promise<ApiResponse>;
  /** Drops connections that are kept. */
  close(): void;
};
