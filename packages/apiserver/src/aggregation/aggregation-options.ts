import { type ServiceResolver, storedServices } from '../upstream/service-resolver.ts';
import type { RestContext } from '../rest/rest-context.ts';
import type { DelegateAccess } from './call-delegate.ts';
import type { ExtensionTransport } from './extension-transport.ts';
import { type FrontProxyCertificates, frontProxy } from './front-proxy.ts';
import { httpsExtensionTransport } from './https-extension-transport.ts';

/** How the extension servers of APIServices are called. All have defaults. */
export type AggregationOptions = {
  /** Carries requests to extension servers. Default: HTTPS. Its connections are dropped when the server closes. */
  readonly extensionTransport?: ExtensionTransport;
  /** The client certificate for extension servers. Default: made by this server. */
  readonly frontProxy?: FrontProxyCertificates;
  /** Resolves the Services of webhooks and extension servers. Default: by the store. */
  readonly resolveService?: ServiceResolver;
};

export function delegateAccess(options: AggregationOptions, { store, now }: RestContext): DelegateAccess {
  return {
    transport: options.extensionTransport ?? httpsExtensionTransport(),
    resolveService: options.resolveService ?? storedServices(store),
    certificates: frontProxy(options.frontProxy, now),
  };
}
