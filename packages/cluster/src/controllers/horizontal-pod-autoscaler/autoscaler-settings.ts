/** The settings of kube-controller-manager that autoscalers depend on; all times in milliseconds. */
export type AutoscalerSettings = {
  /** Between two looks at an autoscaler: `--horizontal-pod-autoscaler-sync-period`. */
  readonly syncPeriodMs: number;
  /** Without `behavior`, the highest recommendation of so long ago counts: `--…-downscale-stabilization`. */
  readonly downscaleStabilizationMs: number;
  /** CPU of a pod that has started less long ago counts only if it was ready all the while: `--…-cpu-initialization-period`. */
  readonly cpuInitializationMs: number;
  /** A pod that was never ready after so long has never been ready: `--…-initial-readiness-delay`. */
  readonly readinessDelayMs: number;
  /** No change for a metric that is off by less: `--…-tolerance`. */
  readonly tolerance: number;
};

export const DEFAULT_SETTINGS: AutoscalerSettings = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 300_000,
  cpuInitializationMs: 300_000,
  readinessDelayMs: 30_000,
  tolerance: 0.1,
};
