export { OPERATORS } from './operators.ts';
export type * from './kit/operator.ts';
export {
  accountUser,
  anyKindRoles,
  binding,
  installObjects,
  type InstallOptions,
  LEASE_OPERATORS,
  LEASE_VERSION,
  MANAGER,
  NAMESPACE,
  role,
} from './kit/install-objects.ts';
export { installAccounts, installOperators } from './kit/install-operators.ts';
export { managerRoles } from './kit/manager-roles.ts';
export * from './kit/served-webhooks.ts';
export {
  installWebhooks,
  configurationResource,
  isTrusted,
  type WebhookAddress,
  webhookConfigurationRefs,
  webhookConfigurations,
} from './kit/webhook-configurations.ts';
export { certificatesOf, checkCaBundle } from './kit/check-ca-bundle.ts';
export { checkOperatorClock, checkThisClock, type Clocks, readClocks } from './kit/check-clocks.ts';
export { findingsFrom, type Read, readOr } from './kit/findings-from.ts';
export { inParallel } from './kit/in-parallel.ts';
export { type Finding, reportFindings } from './kit/report-findings.ts';
export { textTable } from './kit/text-table.ts';
export { CERTIFICATES } from './kit/manager-roles.ts';
export { dryRunClient } from './kit/dry-run-client.ts';
export { type Paint, paintFor } from './kit/paint.ts';
export * from './operator-error.ts';
export { type AnyKindApi, anyKindApi } from './kit/any-kind-api.ts';
export { FINALIZERS } from './finalizers.ts';
export { CAPTURE_SCHEDULES } from './capture/api/capture-schedule.ts';
export { CONTENT_CHUNKS, type ContentChunk } from './capture/api/content-chunk.ts';
export {
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from './capture/api/manifest-capture-request.ts';
export { MANIFEST_CHECKPOINTS, type ManifestCheckpoint } from './capture/api/manifest-checkpoint.ts';
export { OBJECT_KEEPERS, type ObjectKeeper } from './capture/api/object-keeper.ts';
export { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from './capture/api/volume-capture-request.ts';
export { VOLUME_RESTORE_REQUESTS } from './capture/api/volume-restore-request.ts';
export { type CaptureChanges, captureParts, capturePartsWith } from './capture/controller.ts';
export { readCheckpoint } from './capture/manifests/read-checkpoint.ts';
export { judgeChunk } from './capture/manifests/new-checkpoint.ts';
export { CLASS_RUNTIMES, type ClassRuntime } from './classes/api.ts';
export { addClasses, classesParts, type ClassSteps } from './classes/controller.ts';
export { isLegal } from './classes/decide/edges.ts';
export { addDeployments, type Serve as ServeDeployments } from './classes/deployments/deployments-part.ts';
export type { MetricsSource } from './classes/load/metrics-source.ts';
export { type MigrationStatus, STATEFUL_MIGRATIONS, type StatefulMigration } from './migration/api.ts';
export { STEP_NAMES } from './migration/decide/step-name.ts';
export { addDriftWebhook, driftGuards, driftParts, type DriftTools } from './drift/controller.ts';
export { CONTROLLER_PROFILES } from './drift/controller-profile/controller-profiles.ts';
export { APPROVAL_POLICIES, CLUSTER_APPROVAL_POLICIES } from './drift/approval-policy/approval-policies.ts';
export { ANNOTATIONS as DRIFT_ANNOTATIONS, KAUSALITIES } from './drift/api.ts';
export {
  addStandaloneController,
  addStandaloneWebhook,
  type StandaloneController,
} from './drift/standalone/add-standalone.ts';
export {
  type ChartCertificate,
  chartManifests,
  type ChartOptions,
} from './drift/standalone/chart-manifests.ts';
export { chartValues } from './drift/standalone/chart-values.ts';
export { decideAdmission } from './drift/decide/decide-admission.ts';
export { needsConfirmation } from './drift/decide/needs-confirmation.ts';
export { migrationParts, migrationPartsWith, type MigrationSteps } from './migration/controller.ts';
export { identityOf, readManagedFields } from './ownership/read-managed-fields.ts';
export { act } from './ownership/act.ts';
export { addOwnership, ownershipParts } from './ownership/controller.ts';
export type { OwnershipTools } from './ownership/manifest-steps.ts';
export type { Binding, Broker, BrokerAddress, Brokers, QueueFacts } from './migration/brokers/broker.ts';
export { type AmqpServer, type AmqpServerOptions, serveAmqp } from './migration/brokers/amqp/serve-amqp.ts';
export { jetstreamBrokers } from './migration/brokers/jetstream/jetstream-brokers.ts';
export { rabbitmqBrokers } from './migration/brokers/rabbitmq/rabbitmq-brokers.ts';
export { InProcessBroker } from './migration/brokers/in-process/in-process-broker.ts';
export { kubeletCheckpoint } from './migration/checkpoints/kubelet-checkpoint.ts';
export type { NodeTools } from './migration/checkpoints/checkpoint-jobs.ts';
export type {
  CheckpointOrder,
  CheckpointRef,
  CheckpointState,
  NodeAgents,
  NodeFacts,
} from './migration/checkpoints/node-agents.ts';
export { type AgentOptions, type RunningAgent, serveAgent } from './migration/checkpoints/serve-agent.ts';
