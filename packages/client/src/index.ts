export {
  type Clock,
  createManualClock,
  type ManualClock,
  onAbort,
  type Random,
  sleep,
  systemClock,
  systemRandom,
} from '@kubewright/kube';
export * from './errors/api-error.ts';
export * from './errors/predicates.ts';
export * from './errors/without-values.ts';
export * from './transport/create-transport.ts';
export * from './transport/create-http1-transport.ts';
export { proxyFromEnvironment } from './transport/proxy-from-environment.ts';
export { createHttp2Transport } from './transport/create-http2-transport.ts';
export type { Authorizer, TlsMaterial, TransportOptions } from './transport/transport-options.ts';
export { collectBody, discardBody } from './transport/response-body.ts';
export type * from './client/client.ts';
export * from './client/create-client.ts';
export { createRestMapper, type RestMapper } from './rest/rest-mapper.ts';
export * from './rest/discover-resources.ts';
export { createCall } from './call/call.ts';
export * from './rest/resource-ref.ts';
export * from './rest/object-path.ts';
export type * from './watch/watch-event.ts';
export type * from './kubeconfig/kubeconfig.ts';
export * from './kubeconfig/load-kubeconfig.ts';
export * from './kubeconfig/parse-kubeconfig.ts';
export * from './kubeconfig/kubeconfig-transport.ts';
export * from './kubeconfig/in-cluster-context.ts';
export * from './kubeconfig/find-context.ts';
export * from './kubeconfig/impersonation-headers.ts';
export * from './decorators/with-dry-run.ts';
export * from './decorators/with-field-owner.ts';
export * from './decorators/with-field-validation.ts';
export * from './decorators/with-impersonation.ts';
export * from './decorators/with-namespace.ts';
export * from './decorators/with-user-agent.ts';
export { type InputOptions, readInput, readRegularFile } from './files/read-input.ts';
export * from './wrappers/inject-faults.ts';
export * from './wrappers/record-requests.ts';
export * from './wrappers/with-retry.ts';
