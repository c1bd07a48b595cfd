import type { ApplyConfiguration, corev1 } from '@kubewright/kube';
import type { ClassRuntime } from '../api.ts';

type Container = NonNullable<NonNullable<ApplyConfiguration<corev1.Pod>['spec']>['containers']>[number];
type Probes = Pick<Container, 'readinessProbe' | 'livenessProbe'>;
type Probe = NonNullable<Probes['readinessProbe']>;

/** A busy process may miss some; one that is stuck is restarted after a minute. */
const [PERIOD, STUCK_AFTER] = [10, 6];

/** The probes of a function. */
export function probesOf({ spec: { probes } }: ClassRuntime, port: number): Probes {
  const { type = 'tcp', path = '/' } = probes ?? {};
  switch (type) {
    case 'none':
      return {};
    case 'http':
      return both({ httpGet: { path, port } });
    case 'grpc':
      return both({ grpc: { port } });
    case 'tcp':
      return tcpProbes(port);
  }
}

/** Something listens on the port. The data grid has no service for probes by gRPC. */
export function tcpProbes(port: number): Probes {
  return both({ tcpSocket: { port } });
}

function both(probe: Probe): Probes {
  const periodSeconds = PERIOD;
  return {
    readinessProbe: { ...probe, periodSeconds },
    livenessProbe: { ...probe, periodSeconds, failureThreshold: STUCK_AFTER },
  };
}
