import type { corev1 } from '@kubewright/kube';

type Taint = Pick<corev1.Taint, 'key' | 'value' | 'effect'>;

/** Whether a toleration is about a taint: empty keys and effects are about all. */
export function tolerates(toleration: corev1.Toleration, taint: Taint): boolean {
  const { key = '', effect = taint.effect } = toleration;
  return effect === taint.effect && (key === '' || key === taint.key) && suits(toleration, taint);
}

function suits({ key = '', operator = 'Equal', value = '' }: corev1.Toleration, taint: Taint): boolean {
  return operator === 'Exists' || (operator === 'Equal' && key !== '' && value === (taint.value ?? ''));
}

/** Whether any of a pod's tolerations is about a taint. */
export function isTolerated(taint: Taint, tolerations: readonly corev1.Toleration[] | undefined): boolean {
  return (tolerations ?? []).some((toleration) => tolerates(toleration, taint));
}
