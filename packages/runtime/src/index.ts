export {
  type Clock,
  createManualClock,
  type ManualClock,
  type Random,
  sleep,
  systemClock,
  systemRandom,
} from '@kubewright/client';
export * from './backoff.ts';
export { callWithin } from './call-within.ts';
export * from './runtime-error.ts';
export * from './objects/apply-object.ts';
export * from './objects/conditions-with.ts';
export * from './objects/confirm-live.ts';
export * from './objects/create-or-update.ts';
export * from './objects/finalizers.ts';
export type * from './objects/manager-client.ts';
export * from './objects/install-definitions.ts';
export {
  isControlledBy,
  isOwnedBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './objects/owner-references.ts';
export * from './objects/update-status.ts';
export * from './objects/update-status-once.ts';
export * from './objects/wait-for-object.ts';
export type * from './log/logger.ts';
export { silentLogger } from './log/logger.ts';
export * from './log/create-pino-logger.ts';
export type * from './cache/cache.ts';
export * from './cache/create-cache.ts';
export { type PartRef, partOf } from './cache/part-of.ts';
export * from './cache/read-your-writes.ts';
export { refreshCache } from './cache/refresh-cache.ts';
export type { Selection } from './cache/selection.ts';
export type * from './cache/cache-health.ts';
export { type CacheEvent, type CacheHandler, Informer, type InformerStatus } from './cache/informer.ts';
export { clientListWatch } from './cache/client-list-watch.ts';
export type { IndexFunction } from './cache/object-store.ts';
export * from './cache/transforms.ts';
export * from './queue/work-queue.ts';
export * from './controller/as-reconciler.ts';
export * from './controller/controller.ts';
export type * from './controller/controller-observer.ts';
export * from './controller/predicate.ts';
export * from './controller/reconciler.ts';
export * from './controller/source.ts';
export type * from './decision/decision.ts';
export type * from './decision/steps.ts';
export * from './decision/decisions.ts';
export * from './decision/decision-report.ts';
export * from './decision/run-steps.ts';
export * from './events/event-recorder.ts';
export type { ManagerHealth, ReadyCheck } from './health/manager-health.ts';
export * from './metrics/collect-together.ts';
export * from './metrics/manager-metrics.ts';
export type * from './manager/manager.ts';
export type { ClientAccess, ElectionOptions, NamedAccess, ServerAccess } from './manager/server-access.ts';
export type { Runnable } from './runnable.ts';
export * from './setup-signal-handler.ts';
export * from './manager/create-manager.ts';
export type { ManagedCertificates, ManagerWebhookOptions } from './manager/add-webhook-server.ts';
export * from './metrics/measure-requests.ts';
export { Registry } from 'prom-client';
export * from './loop/tune-heap.ts';
export { createHealthServer, type HealthServerOptions } from './health/create-health-server.ts';
export {
  createLeaderElection,
  type Leader,
  type LeaderElection,
  type LeaderElectionOptions,
} from './election/leader-election.ts';
export type { AdmissionRequest, AdmissionUser } from './webhook/admission-request.ts';
export * from './webhook/admission-response.ts';
export * from './webhook/admission-webhook.ts';
export type { TypedContext } from './webhook/typed-context.ts';
export { denial } from './webhook/denial.ts';
export * from './webhook/validating-webhook.ts';
export * from './webhook/defaulting-webhook.ts';
export type { Webhook, WebhookResponse, WebhookCall } from './webhook/webhook.ts';
export type { ExtensionApi, ExtensionCall, ExtensionResponse } from './webhook/extension-api.ts';
export * from './webhook/certificate-folder.ts';
export type { PathGuard } from './webhook/path-guard.ts';
export { isSegment, withoutSegment } from './webhook/path-segment.ts';
export type { CertificateSource, ServingCertificate } from './webhook/serving-certificate.ts';
export type { WebhookHandler, WebhookListen, WebhookListener } from './webhook/webhook-listener.ts';
export * from './webhook/webhook-server.ts';
export {
  type CertificateIssuer,
  type Validity,
  x509Issuer,
} from './webhook/certificates/certificate-issuer.ts';
export type { WebhookConfigurationRef } from './webhook/certificates/webhook-configuration-ref.ts';
export * from './webhook/certificates/webhook-certificates.ts';
