export type * from './model/resource-definition.ts';
export type * from './registry/server-extension.ts';
export { createRegistry, type Registry, type RegistryChange } from './registry/registry.ts';
export { builtInResources } from './kinds/built-in-resources.ts';
export { type ApiServer, type ApiServerOptions, createApiServer } from './api-server.ts';
export { KUBERNETES_VERSION } from './kubernetes-version.ts';
export type { AggregationOptions } from './aggregation/aggregation-options.ts';
export type { ExtensionCall, ExtensionTransport } from './aggregation/extension-transport.ts';
export { httpsExtensionTransport } from './aggregation/https-extension-transport.ts';
export type { UpstreamOptions } from './upstream/upstream-options.ts';
export type { UpstreamCall, UpstreamTransport } from './upstream/upstream-transport.ts';
export type { KeyPair, Validity } from './certificates/authority.ts';
export type { ClientCertificateOrder } from './certificates/client-authority.ts';
export type { IdentityOptions } from './auth/identity.ts';
export type { TokenUser } from './auth/tokens/static-tokens.ts';
export { makeCertificates, type ServingCertificates } from './http/serving-certificates.ts';
export type { ListenOptions, ServerAddress } from './http/listener.ts';
export type { KubeconfigUser } from './kubeconfig-of.ts';
export type { AuthorizationAttributes, Authorizer, Decision } from './auth/authorizer.ts';
export type { ServiceRangeOptions } from './model/service-ranges.ts';
export { ADMIN, type UserInfo } from './request/user-info.ts';
export { requestInfo, type RequestInfo, type ResourceInfo } from './request/request-info.ts';
export type { FaultRule, ServerFault } from './faults/fault-rule.ts';
export type { Faults } from './faults/faults.ts';
export type { RecordedRequest, RequestRecording } from './faults/request-recording.ts';
export type { AuditSink } from './http/audit-event.ts';
export type { ServiceResolver } from './upstream/service-resolver.ts';
export type { WebhookCall, WebhookReply, WebhookTransport } from './admission/webhooks/webhook-transport.ts';
export { httpsWebhookTransport } from './admission/webhooks/https-webhook-transport.ts';
export type { ResourceSnapshot, RestoreOptions, StoreSnapshot } from './storage/store-snapshot.ts';
export {
  addAmounts,
  type Amounts,
  amountsAsJson,
  amountsIn,
  amountsOf,
  sameAmounts,
} from './quota/amounts.ts';
export { countedBy, countedResources, type GroupResource } from './quota/counted-resources.ts';
export { evaluatorFor } from './quota/evaluator-for.ts';
