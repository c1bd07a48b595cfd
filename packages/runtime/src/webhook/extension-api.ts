import type { WebhookCall } from './webhook.ts';

/** One request to an API that is served for an APIService. */
export type ExtensionCall = Pick<WebhookCall, 'headers' | 'log' | 'signal'> & {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  /** The client's certificate, in DER. The server does not verify it: what it proves is for the API to find out. */
  readonly certificate: Uint8Array | undefined;
};

export type ExtensionResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream that fails breaks the connection: the caller sees that the body is incomplete. */
  readonly body: string | AsyncIterable<Uint8Array>;
};

/** An API below a path, which authenticates and authorizes its callers itself. */
export type ExtensionApi = (call: ExtensionCall) => Promise<ExtensionResponse>;
