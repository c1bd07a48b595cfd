import type { ApiRequest, ApiResponse } from '@kubewright/kube';
import type { KeyPair } from '../certificates/authority.ts';

/** A request to a server that answers for a part of the API. */
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
  /** By which the server knows that what the headers say of the user is true. */
  readonly credentials: KeyPair;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
};

/** Carries requests to such servers. Rejects where no answer could be had; the message is told to the client. */
export type ExtensionTransport = {
  call(call: ExtensionCall): Promise<ApiResponse>;
  /** Drops connections that are kept. */
  close(): void;
};
