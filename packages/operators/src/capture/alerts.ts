import type { Alert } from '../kit/operator.ts';

/** When somebody should look at captures. The metrics are those of `metrics/`, and the decisions that every manager counts. */
export const captureAlerts: readonly Alert[] = [
  {
    name: 'CaptureRequestStuck',
    expr: 'max by (kind) (capture_oldest_pending_seconds) > 3600',
    for: '5m',
    severity: 'warning',
    summary: 'A capture or restore request has not ended for an hour',
    description:
      'Look at its Events and status.progress: a claim that a pod uses, a snapshot that does not become ready, or an API server that rejects writes. deadlineSeconds ends volume requests.',
  },
  {
    name: 'CaptureRequestsFailing',
    expr: 'sum by (kind) (rate(capture_requests_total{result="failed"}[30m])) / sum by (kind) (rate(capture_requests_total[30m])) > 0.5',
    for: '30m',
    severity: 'warning',
    summary: 'More than half of the requests of a kind fail',
    description:
      'The label reason of capture_requests_total says why; "kubewright capture list" shows the messages.',
  },
  {
    name: 'CaptureScheduleOverdue',
    expr: 'max by (namespace, name) (capture_schedule_overdue_seconds) > 3600',
    for: '5m',
    severity: 'warning',
    summary: 'A CaptureSchedule has had no run that succeeded for an hour longer than it should',
    description:
      'There is no new capture to restore from. "kubectl describe captureschedule" shows why, its requests ("kubewright capture list") what failed. A schedule that is suspended does not count.',
  },
  {
    name: 'CaptureCheckpointDamaged',
    expr: 'sum(increase(capture_damaged_reads_total[1h])) > 0',
    severity: 'critical',
    summary: 'A checkpoint cannot be read: a chunk is missing or is not what was captured',
    description:
      '"kubewright capture verify" names the chunk. Restore from an export, capture again, and find out who deletes or changes chunks.',
  },
  {
    name: 'CaptureKeeperPending',
    expr: 'max(capture_keepers{phase="Pending"}) > 0',
    for: '30m',
    severity: 'warning',
    summary: 'An ObjectKeeper cannot read what it follows',
    description:
      'Its artifacts stay until it can. "kubectl get objectkeepers" shows the condition Active: an invalid TTL, or a kind that the operator may not read.',
  },
  {
    name: 'CaptureKeepersOrphaned',
    expr: 'max(capture_orphaned_keepers) > 0',
    for: '15m',
    severity: 'warning',
    summary: 'An ObjectKeeper stays although its object is gone, or its TTL has passed',
    description:
      'Snapshots, volumes and checkpoints that it owns stay with it, and cost storage. Look for a finalizer on it ("kubectl get objectkeepers -o yaml"), and at the log of the manager: a webhook, or missing rights, may reject its deletion.',
  },
  {
    name: 'CaptureCompletedInFuture',
    expr: 'sum(increase(kubewright_decisions_total{controller=~"expiry-.*",reason="CompletedInFuture"}[1h])) > 0',
    severity: 'warning',
    summary: 'Requests have ended in the future: a clock is wrong',
    description:
      'They are kept longer than their TTL. Compare the clocks of the nodes on which managers run, and of the API servers.',
  },
];
