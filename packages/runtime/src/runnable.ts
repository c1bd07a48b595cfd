/** Anything that lives as long as the manager. A rejection stops the manager. */
export type Runnable = {
  /** False: runs on standby too, as probes and webhooks must. Default true; no matter without an election. */
  readonly needLeaderElection?: boolean;
  start(signal: AbortSignal): Promise<void>;
};
