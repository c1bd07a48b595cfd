import type { corev1, Stored } from '@kubewright/kube';

/** An init container runs to its end before the next; a sidecar is one that lives beside the main ones. */
type Role = 'init' | 'sidecar' | 'main';

export type PodContainer = { readonly container: corev1.Container; readonly role: Role };

/** The containers of a pod in the order in which they start. Ephemeral ones are not run. */
export function podContainers({ spec }: Stored<corev1.Pod>): readonly PodContainer[] {
  return [
    ...(spec.initContainers ?? []).map((container) => ({
      container,
      role: container.restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    ...spec.containers.map((container) => ({ container, role: 'main' as const })),
  ];
}

/** Where an Event about a container points. */
export function fieldPathOf({ container, role }: PodContainer): string {
  return `spec.${role === 'main' ? 'containers' : 'initContainers'}{${container.name}}`;
}

/** Whether a container that ended with `exitCode` is to run again: its own rules and policy come before the pod's. */
export function restarts(pod: Stored<corev1.Pod>, container: corev1.Container, exitCode: number): boolean {
  if (container.restartPolicy !== undefined && hasRestartRule(container, exitCode)) return true;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function hasRestartRule({ restartPolicyRules = [] }: corev1.Container, exitCode: number): boolean {
  return restartPolicyRules.some(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes !== undefined && (exitCodes.operator === 'In' ? listed : !listed);
  });
}
