import type { Clock } from '@kubewright/client';
import type { ServingCertificate } from './serving-certificate.ts';
import type { ExtensionCall, ExtensionResponse } from './extension-api.ts';
import type { WebhookCall } from './webhook.ts';

/** A request to a webhook server, before its path is looked up. */
export type WebhookRequest = Omit<ExtensionCall, 'log'> & {
  /** Without the query. */
  readonly path: string;
  /** Reads the body: called only for paths that are served. */
  body(): Promise<WebhookCall['body']>;
};

export type WebhookHttpResponse = ExtensionResponse;

/** Handles a request. Never rejects. */
export type WebhookHandler = (request: WebhookRequest) => Promise<WebhookHttpResponse>;

export type WebhookListener = {
  readonly port: number;
  /** Uses this certificate for new connections; open ones keep theirs. */
  use(certificate: ServingCertificate): void;
  /**
   * From now on each response asks its caller for another connection. One that the server closes is lost for a request that
   * is on its way.
   */
  retire?(): void;
  /** Accepts no new connections; closes open ones when their requests are done, after `ms` at the latest. */
  stop(clock: Clock, ms: number): Promise<void>;
};

/** How a webhook server listens: over HTTPS, or on the network of a simulation. */
export type WebhookListen = (
  certificate: ServingCertificate,
  address: { readonly host?: string | undefined; readonly port: number },
  handler: WebhookHandler,
) => Promise<WebhookListener>;
