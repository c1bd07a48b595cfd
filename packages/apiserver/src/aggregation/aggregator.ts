import type { UserInfo } from '../request/user-info.ts';
import { type Clock, errorText } from '@kubewright/kube';
import type { HandledRequest } from '../request/handled-request.ts';
import type { ExtensionHost } from '../registry/server-extension.ts';
import { type Reply, textReply } from '../request/reply.ts';
import type { Store } from '../storage/store.ts';
import type { Delegate } from './delegate.ts';
import { callDelegate, type DelegateAccess } from './call-delegate.ts';
import { checkDelegate } from './check-delegate.ts';
import { type Delegates, trackDelegates } from './delegates.ts';
import { keepAvailable } from './keep-available.ts';

/** The response of the extension server of a path; undefined where this server serves the path. */
export type Forward = (
  request: HandledRequest,
  path: string,
  user: UserInfo,
) => Reply | Promise<Reply> | undefined;

/** Proxies requests to extension servers, and tracks whether these are available. */
export type Aggregator = {
  readonly delegates: Pick<Delegates, 'revision' | 'versions'>;
  readonly forward: Forward;
  /** Starts to check whether extension servers are available. */
  start(): void;
  stop(): void;
};

export type AggregatorOptions = DelegateAccess & {
  readonly store: Store;
  readonly host: ExtensionHost;
  readonly clock: Clock;
};

/** https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/ */
export function createAggregator(options: AggregatorOptions): Aggregator {
  const { store, host, clock } = options;
  const delegates = trackDelegates(store);
  const availability = keepAvailable({
    host,
    clock,
    async check(delegate, signal) {
      const { availability: found, discovery } = await checkDelegate(host, options, delegate, signal);
      if (discovery !== undefined) delegates.learn(delegate.name, discovery);
      return found;
    },
  });
  return {
    delegates,
    forward(request, path, user) {
      const delegate = delegates.find(nameOf(path));
      return delegate === undefined ? undefined : forward(options, delegate, request, user);
    },
    start: () => availability.start(),
    stop() {
      availability.stop();
      options.transport.close();
    },
  };
}

/** The APIService of `/apis/GROUP/VERSION/…`. Empty for all other paths. */
function nameOf(path: string): string {
  if (!path.startsWith('/apis/')) return '';
  const [, group = '', version = ''] = path.split('/', 4).filter((part) => part !== '');
  return version === '' ? '' : `${version}.${group}`;
}

function forward(
  reach: DelegateAccess,
  delegate: Delegate,
  request: HandledRequest,
  user: UserInfo,
): Reply | Promise<Reply> {
  if (!delegate.available) return textReply(503, 'service unavailable\n');
  return callDelegate(reach, delegate, request, user).then(
    ({ status, headers, body }) => ({ status, headers, body: body as Reply['body'] }),
    (error: unknown) => {
      const why = errorText(error);
      return textReply(503, `error trying to reach service: ${why}\n`);
    },
  );
}
