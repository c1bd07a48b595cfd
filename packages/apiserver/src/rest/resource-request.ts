import type { JsonObject } from '@kubewright/kube';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import type { OutputForm } from '../request/negotiate.ts';
import type { UserInfo } from '../request/user-info.ts';

/** One request on a resource, routed and read. */
export type ResourceRequest = {
  readonly definition: ResourceDefinition;
  /** Where `definition` is that of a subresource: whose subresource it is. */
  readonly parent?: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The object is deleted with others of its collection. */
  readonly inCollection?: boolean;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: Uint8Array;
  readonly user: UserInfo;
  readonly output: OutputForm;
  /** Aborted when the client disconnects; made when first read, which only a watch does. */
  readonly signal: () => AbortSignal | undefined;
  /** Texts for `Warning` headers, filled on the way. */
  readonly warnings: string[];
  /** The body as its client wrote it, with the empty maps that decoding drops. Filled on the way. */
  readonly sent: { object?: JsonObject };
  /** When it came, in milliseconds of the server's clock. */
  readonly receivedAt: number;
  /** Adds an annotation to the audit event; the first value of a key stays. */
  readonly annotate: (key: string, value: string) => void;
};
