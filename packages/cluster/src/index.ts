export { Cluster, type ClusterOptions } from './cluster.ts';
export { ClusterError, type ClusterErrorCode } from './cluster-error.ts';
export {
  addGarbageCollector,
  type GarbageCollectorOptions,
} from './controllers/garbage-collector/garbage-collector.ts';
export type { AutoscalerSettings } from './controllers/horizontal-pod-autoscaler/autoscaler-settings.ts';
export {
  addNamespaceController,
  type NamespaceControllerOptions,
} from './controllers/namespace/namespace-controller.ts';
export {
  CONTROLLER_NAMES,
  type ControllerName,
  type ControllersOptions,
  startControllers,
} from './controllers/start-controllers.ts';
export { addScheduler, type SchedulerOptions } from './scheduler/add-scheduler.ts';
export { startScheduler } from './scheduler/start-scheduler.ts';
export {
  addNodes,
  type Nodes,
  type NodesOptions,
  type RunningNodes,
  startNodes,
} from './nodes/start-nodes.ts';
export { type Checkpoints, memoryCheckpoints } from './nodes/kubelet/checkpoints.ts';
export { unpackCheckpoint } from './nodes/kubelet/pack-checkpoint.ts';
export type { KubeletApi } from './nodes/kubelet/kubelet-api.ts';
export type { KubeletRequest } from './nodes/kubelet/kubelet-request.ts';
export {
  type KubeletServer,
  type KubeletServerOptions,
  openKubeletServer,
} from './nodes/kubelet/kubelet-server.ts';
export { type LocalKubelets, localKubelets } from './nodes/kubelet/local-kubelets.ts';
export { WorkerRuntime, type WorkerRuntimeOptions } from './nodes/workers/worker-runtime.ts';
export type { NodeOptions } from './nodes/node/node-options.ts';
export type { Behaviour, ImageBehaviours } from './nodes/runtime/behaviour.ts';
export type * from './nodes/runtime/container-runtime.ts';
export { SimulatedRuntime, type SimulatedRuntimeOptions } from './nodes/runtime/simulated-runtime.ts';
export type {
  BackendCall,
  BackendOperation,
  BackendResponse,
} from './storage/backend/behaviour-by-parameters.ts';
export { CsiError, type CsiCode } from './storage/backend/csi-error.ts';
export {
  type BackendSnapshot,
  type BackendVolume,
  type Content,
  StorageBackend,
  type StorageBackendOptions,
  type VolumeOrder,
} from './storage/backend/storage-backend.ts';
export * from './storage/snapshots/api.ts';
export { DRIVER_NAME, startStorage, type StorageOptions } from './storage/start-storage.ts';
export type { PartEnvironment, RunningPart } from './part-manager.ts';
export { type PartsOptions, type RunningParts, startParts } from './start-parts.ts';
export {
  installMetrics,
  type MetricsAddress,
} from './metrics/install-metrics.ts';
export {
  createPrometheusApi,
  type PrometheusApi,
  type PrometheusApiOptions,
} from './metrics/prometheus-api.ts';
export { type ServedPrometheus, servePrometheus } from './metrics/serve-prometheus.ts';
export { createMetricsApi, type MetricsApi, type MetricsApiOptions } from './metrics/metrics-api.ts';
export {
  type EmbeddedMetrics,
  type EmbeddedMetricsOptions,
  embeddedMetrics,
} from './metrics/embedded-metrics.ts';
export { drawFaults } from './world/draw-faults.ts';
export type { WorldFault } from './world/world-fault.ts';
export type { History, Written } from './world/history.ts';
export type { Component, ComponentEnvironment } from './world/component.ts';
export type { ScenarioContext, Scenario } from './world/scenario.ts';
export { createSeededRandom, type SeededRandom } from './world/seeded-random.ts';
export { sievePatterns, type SievePatterns } from './world/sieve-patterns.ts';
export { shrinkFaults } from './world/shrink-faults.ts';
export type { WebhookCallHandler } from './world/webhook-network.ts';
export { type RunOptions, type RunResult, runWorld } from './world/run-world.ts';
