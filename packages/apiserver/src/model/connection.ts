import type { ApiRequest } from '@kubewright/kube';
import type { Reply } from '../request/reply.ts';

/** A subresource that is proxied to something else in the cluster: a Pod's `log`, a Node's `proxy`. */
export type Connection = {
  /** As discovery shows it: mostly the kind of the options that the query holds. */
  readonly kind: string;
  readonly methods: readonly ApiRequest['method'][];
  /** It takes any path below it. */
  readonly subpaths: boolean;
  /** Throws an `ApiServerError` where the request is rejected before it is forwarded. */
  readonly connect: (request: ConnectRequest) => Reply | Promise<Reply>;
};

/** A request on such a subresource. */
export type ConnectRequest = {
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined;
  readonly method: ApiRequest['method'];
  /** As it came, with the query. */
  readonly target: string;
  readonly headers: ApiRequest['headers'];
  readonly body: Uint8Array;
  /** The path after the subresource, decoded, with its leading slash; may be empty. */
  readonly subpath: string;
  /** The address that it came from. */
  readonly source: string | undefined;
};

const VERBS: Readonly<Partial<Record<ApiRequest['method'], string>>> = {
  POST: 'create',
  DELETE: 'delete',
  GET: 'get',
  PATCH: 'patch',
  PUT: 'update',
};

/** As discovery lists them. */
export function verbsOf({ methods }: Pick<Connection, 'methods'>): readonly string[] {
  return Object.entries(VERBS).flatMap(([method, verb]) =>
    methods.some((one) => one === method) ? [verb] : [],
  );
}
