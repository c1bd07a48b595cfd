import type { corev1 } from '@kubewright/kube';
import type { CommandStage } from '@kubewright/operators';
import type { Installation } from './read-installation.ts';
import type { Result } from './result.ts';

const HEALTH_PORT = 8081;

/** Whether the manager's pods are ready, and what they report of their operators. */
export async function checkReplicas(
  { deployment, pods, namespace }: Installation,
  { getText }: Pick<CommandStage, 'getText'>,
): Promise<readonly Result[]> {
  if (deployment === undefined)
    return [
      { status: 'unknown', what: `there is no Deployment ${namespace}/kubewright: managers run elsewhere` },
    ];
  const wanted = deployment.spec?.replicas ?? 1;
  const ready = pods.filter(isReady);
  const found = `${ready.length} of ${wanted} replicas are ready`;
  const fix = `kubectl -n ${namespace} describe deployment/kubewright`;
  const counted: Result =
    ready.length >= wanted
      ? { status: 'ok', what: found }
      : { status: ready.length === 0 ? 'failed' : 'warning', what: found, fix };
  const reported = await Promise.all(ready.map(async (pod) => reportOf(pod, getText)));
  const troubled = pods.filter((pod) => !isReady(pod)).flatMap(troubleOf);
  return [counted, ...troubled, ...reported.flat()];
}

function isReady({ status }: corev1.Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

/** Why a pod is not ready, with the next step. */
export function troubleOf({ metadata: { name, namespace }, status }: corev1.Pod): readonly Result[] {
  const why = reasonIn(status?.containerStatuses?.[0]?.state);
  const what = `${name} is not ready${why === '' ? '' : `: ${why}`}`;
  return [
    {
      status: 'warning',
      what,
      fix: `kubectl -n ${namespace} logs ${name}; kubectl -n ${namespace} describe pod ${name}`,
    },
  ];
}

function reasonIn(state: corev1.ContainerState | undefined): string {
  const { reason, message } = state?.waiting ?? state?.terminated ?? {};
  return [reason, message].filter((one) => one != null && one !== '').join(': ');
}

/** The lines of `/readyz`, as the API server passes them on. */
async function reportOf(
  { metadata: { name, namespace } }: corev1.Pod,
  getText: CommandStage['getText'],
): Promise<readonly Result[]> {
  const { status, text } = await getText(
    `/api/v1/namespaces/${namespace}/pods/${name}:${HEALTH_PORT}/proxy/readyz`,
  );
  if (status !== 200) return [{ status: 'unknown', what: `the probe of ${name} failed: ${status}` }];
  const degraded = text.split('\n').filter((line) => line.startsWith('degraded: '));
  if (degraded.length === 0) return [{ status: 'ok', what: `${name} reports no trouble of an operator` }];
  return degraded.map((line) => ({
    status: 'warning',
    what: `${name}: ${line.slice('degraded: '.length)}`,
    fix: `kubectl -n ${namespace} logs ${name}`,
  }));
}
